"""Where bytes are kept: originals, artifacts, answers. Keys are made by us, never by anyone outside."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Protocol

_KEY = re.compile(r"[a-z0-9][a-z0-9._-]*(/[a-z0-9][a-z0-9._-]*)*")


def checked(key: str) -> str:
    """A key that can name nothing outside the store; anything else is a bug of ours."""
    if not _KEY.fullmatch(key) or ".." in key or len(key) > 400:
        raise ValueError(f"not a blob key: {key!r}")
    return key


def original_key(org_id: str, upload_id: str) -> str:
    """Each upload has a blob of its own: deleting one document can never take another's bytes."""
    return checked(f"orgs/{org_id}/originals/{upload_id}")


def document_key(org_id: str, document_id: str, name: str) -> str:
    return checked(f"orgs/{org_id}/documents/{document_id}/{name}")


def document_prefix(org_id: str, document_id: str) -> str:
    return checked(f"orgs/{org_id}/documents/{document_id}") + "/"


class BlobStore(Protocol):
    """What is acknowledged is durable. Writing a key again replaces it; a torn blob is never visible.

    A store that cannot serve now raises StorageUnavailable: the work waits for it and loses no attempt.
    """

    async def put(self, key: str, body: bytes) -> None: ...

    async def put_file(self, key: str, path: Path) -> None:
        """Store a finished local file, which may be moved away by this."""
        ...

    async def get(self, key: str) -> bytes:
        """The whole blob. Raises FileNotFoundError when there is none."""
        ...

    def stream(self, key: str, start: int = 0, end: int | None = None) -> AsyncIterator[bytes]:
        """The bytes from ``start`` up to, not including, ``end``."""
        ...

    async def size(self, key: str) -> int | None:
        """How many bytes, or None when there is no such blob."""
        ...

    async def delete(self, key: str) -> None:
        """Remove the blob; nothing happens when there is none."""
        ...

    def keys(self, prefix: str = "") -> AsyncIterator[str]: ...

    def as_file(self, key: str) -> AbstractAsyncContextManager[Path]:
        """The blob as a local file to read from, for as long as the context lasts."""
        ...

    async def signed_url(self, key: str) -> str | None:
        """An address a provider can fetch for a while, where the store can give one."""
        ...

    async def close(self) -> None: ...
