"""Checks values of settings, alone and together. A mistake raises ConfigError, which says what to change."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import fields
from ipaddress import ip_network
from math import inf
from urllib.parse import urlsplit

from towpath.config.settings import Settings
from towpath.errors import ConfigError

#: Before the name of an embedder, a transcriber or an analyzer that a package offers.
OWN_PREFIX = "own:"

#: Renamed values of settings: (setting, old value) → new value.
RENAMED_VALUES: Mapping[tuple[str, str], str] = {
    ("embedder", "minilm"): "english",
    ("embedder", "wordllama"): "fast",
    ("transcriber", "local"): "whisper",
}

_CONTAINER = re.compile(r"(?=.{3,63}$)[a-z0-9]+(-[a-z0-9]+)*")


def validate(settings: Settings) -> None:
    for item in fields(Settings):
        choices = item.metadata["choices"]
        value = getattr(settings, item.name)
        is_own = item.metadata["own"] and str(value).startswith(OWN_PREFIX)
        if choices and value is not None and value not in choices and not is_own:
            if (item.name, value) in RENAMED_VALUES:
                raise ConfigError(
                    f"The value {value!r} of the setting `{item.name}` was renamed: use "
                    f"{RENAMED_VALUES[item.name, value]!r}."
                )
            raise ConfigError(
                f"The setting `{item.name}` must be one of {', '.join(choices)}, not {value!r}."
            )
        if isinstance(value, int | float) and not isinstance(value, bool) and not 0 <= value < inf:
            raise ConfigError(f"The setting `{item.name}` must not be negative: {value}.")
        if item.name.endswith(("_url", "_endpoint")) and item.name != "redis_url" and isinstance(value, str):
            _require_address(item.name, value)
    if settings.heartbeat_seconds * 2 > settings.lease_seconds:
        raise ConfigError(
            "heartbeat_seconds must be at most half of lease_seconds. A worker renews its leases at least three times "
            "per lease in any case."
        )
    if settings.worker_concurrency < 1 or settings.max_attempts < 1:
        raise ConfigError("worker_concurrency and max_attempts must be at least 1.")
    if settings.openai_batch_size < 1 or settings.openai_batch_tokens < 1:
        raise ConfigError("openai_batch_size and openai_batch_tokens must be at least 1.")
    if settings.openai_embedding_dimensions == 0:
        raise ConfigError("The setting `openai_embedding_dimensions` must be at least 1.")
    if not 1 <= settings.answer_passages <= 50:
        raise ConfigError("The setting `answer_passages` must be between 1 and 50.")
    if settings.field_part_characters < 500:
        raise ConfigError("The setting `field_part_characters` must be at least 500.")
    if settings.call_speakers == 0:
        raise ConfigError("The setting `call_speakers` must be at least 1.")
    if settings.port > 65_535:
        raise ConfigError(f"The setting `port` must be at most 65535, not {settings.port}.")
    if not settings.speechkit_languages:
        raise ConfigError("The setting `speechkit_languages` needs at least one language, such as ru-RU.")
    for name in ("database", "database_listen"):
        address = getattr(settings, name)
        if address is not None and not address.startswith(("postgresql://", "postgres://")):
            raise ConfigError(f"The setting `{name}` must be an address like postgresql://user@host/name.")
    _validate_queue(settings)
    for network in settings.webhook_networks:
        try:
            ip_network(network)
        except ValueError as error:
            raise ConfigError(
                f"The setting `webhook_networks` needs networks like 10.0.0.0/8: {error}."
            ) from error
    if not _CONTAINER.fullmatch(settings.blob_container):
        raise ConfigError(
            "The setting `blob_container` must be 3 to 63 lower-case letters, digits and single hyphens."
        )


def _validate_queue(settings: Settings) -> None:
    address = settings.redis_url
    if address is not None and not address.startswith(("redis://", "rediss://", "unix://")):
        raise ConfigError("The setting `redis_url` must be an address like redis://host:6379/0.")
    if settings.queue != "bullmq":
        return
    if settings.database is None:
        raise ConfigError(
            "The setting `queue = bullmq` needs Postgres (the setting `database`): with SQLite there is one process, "
            "which claims its jobs itself."
        )
    if address is None:
        raise ConfigError("The setting `queue = bullmq` needs the setting `redis_url`.")


def _require_address(name: str, value: str) -> None:
    parts = urlsplit(value)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ConfigError(f"The setting `{name}` must be an address like https://host, not {value!r}.")
