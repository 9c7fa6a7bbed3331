"""Encrypts and decrypts short secrets, such as PDF passwords, with a key of the installation (AES-256-GCM)."""

from __future__ import annotations

import base64
import binascii
import os
from collections.abc import Callable
from pathlib import Path

from towpath.errors import ConfigError
from towpath.private_files import make_private_file, open_private

KEY_BYTES = 32
NONCE_BYTES = 12
#: The first characters of a sealed text: the format, so that a later version can read this one.
_PREFIX = "1:"

_WRONG_KEY = (
    "The password of this run was sealed with another key. Servers and workers need the same `password_key`; with "
    "SQLite, the key file of the data folder was replaced. Enter the password again."
)


class Sealer:
    """Seals texts. A sealed text opens only for the subject that it was sealed for, such as a document's id."""

    def __init__(self, load_key: Callable[[], bytes]) -> None:
        """``load_key`` is called when the first text is sealed or opened."""
        self._load_key = load_key

    def seal(self, text: str, subject: str) -> str:
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM

        nonce = os.urandom(NONCE_BYTES)
        sealed = nonce + AESGCM(self._load_key()).encrypt(nonce, text.encode(), subject.encode())
        return _PREFIX + base64.b64encode(sealed).decode()

    def unseal(self, sealed: str, subject: str) -> str:
        from cryptography.exceptions import InvalidTag
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM

        body = base64.b64decode(sealed.removeprefix(_PREFIX))
        nonce, encrypted = body[:NONCE_BYTES], body[NONCE_BYTES:]
        try:
            return AESGCM(self._load_key()).decrypt(nonce, encrypted, subject.encode()).decode()
        except InvalidTag:
            # Without the cause: nothing about the secret belongs into an error.
            raise ConfigError(_WRONG_KEY) from None


def parse_key(text: str) -> bytes:
    """The key of a setting: 32 bytes in base64, with either alphabet."""
    try:
        key = base64.b64decode(text.strip().replace("-", "+").replace("_", "/"), validate=True)
    except (binascii.Error, ValueError):
        key = b""
    if len(key) != KEY_BYTES:
        raise ConfigError(
            "The setting `password_key` must be 32 bytes in base64. Make one with `openssl rand -base64 32`."
        )
    return key


def key_of_file(path: Path) -> bytes:
    """The key in the file, which is created if it is missing and which only its owner can read."""
    if not path.exists():
        part = path.with_name(f".{path.name}.{os.getpid()}.part")
        with open_private(part) as file:
            file.write(base64.b64encode(os.urandom(KEY_BYTES)))
            file.flush()
            os.fsync(file.fileno())
        try:
            # A link, and no replacement: the first one stays if two processes create the file.
            os.link(part, path)
        except FileExistsError:
            pass
        finally:
            part.unlink()
        _sync_folder(path.parent)
    make_private_file(path)
    return parse_key(path.read_text("ascii"))


def _sync_folder(folder: Path) -> None:
    """The new name must survive a power failure: a text that was sealed with a lost key cannot be opened."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
