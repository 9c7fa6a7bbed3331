"""The contract of blob storage for originals, artifacts and cached answers. Keys are never taken from user input."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Protocol

MISSING_MESSAGE = "The stored file is missing. Upload the file again, or restore it from a backup."
DAMAGED_MESSAGE = (
    "The stored file was changed after its upload. Upload the file again, or restore it from a backup."
)

_KEY = re.compile(r"[a-z0-9][a-z0-9._-]*(/[a-z0-9][a-z0-9._-]*)*")


def require_key(key: str) -> str:
    """Return the key if it cannot name anything outside the store; raise ValueError otherwise."""
    if not is_key(key):
        raise ValueError(f"not a blob key: {key!r}")
    return key


def is_key(text: str) -> bool:
    return bool(_KEY.fullmatch(text)) and ".." not in text and len(text) <= 400


def original_key(org_id: str, upload_id: str) -> str:
    """The key of an uploaded file. Each upload has its own blob; versions and documents with keys share equal ones."""
    return require_key(f"orgs/{org_id}/originals/{upload_id}")


def document_key(org_id: str, document_id: str, name: str) -> str:
    return require_key(f"orgs/{org_id}/documents/{document_id}/{name}")


class BlobStore(Protocol):
    """Stores blobs by key. An acknowledged write is durable and atomic; writing a key again replaces the blob.

    An unavailable store raises StorageUnavailable: the job is suspended and loses no attempt.
    """

    async def put(self, key: str, body: bytes) -> None: ...

    async def put_file(self, key: str, path: Path) -> None:
        """Store a local file; the store may move the file."""
        ...

    async def get(self, key: str) -> bytes:
        """The whole blob. Raises FileNotFoundError if it does not exist."""
        ...

    def stream(self, key: str, start: int = 0, end: int | None = None) -> AsyncIterator[bytes]:
        """The bytes from ``start`` up to, not including, ``end``."""
        ...

    async def size(self, key: str) -> int | None:
        """The size in bytes; None if the blob does not exist."""
        ...

    async def delete(self, key: str) -> None:
        """Delete the blob; does nothing if it does not exist."""
        ...

    def keys(self, prefix: str = "") -> AsyncIterator[str]: ...

    def as_file(self, key: str) -> AbstractAsyncContextManager[Path]:
        """The blob as a local file for reading, until the context ends."""
        ...

    async def signed_url(self, key: str) -> str | None:
        """A temporary URL from which a provider can download the blob; None if the store has none."""
        ...

    async def close(self) -> None: ...
