"""Finds the key that encrypts stored PDF passwords: a setting, or with SQLite a file in the data folder."""

from __future__ import annotations

from functools import lru_cache

from towpath.config import Settings
from towpath.errors import ConfigError
from towpath.sealed_secrets import Sealer, key_of_file, parse_key

KEY_FILE = "password.key"


def build_sealer(settings: Settings) -> Sealer:
    """Raises ConfigError if the setting is no key. A key file is created when the first password is sealed."""
    if settings.password_key is not None:
        key = parse_key(settings.password_key)
        return Sealer(lambda: key)

    @lru_cache
    def load_key() -> bytes:
        if settings.embedded:
            return key_of_file(settings.data / KEY_FILE)
        # A file would differ between the machines of the workers.
        raise ConfigError(
            "A password needs the setting `password_key`, with the same value for every server and worker. Make one "
            "with `openssl rand -base64 32`."
        )

    return Sealer(load_key)
