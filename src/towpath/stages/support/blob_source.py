"""A file as the input of a provider: streamed from storage or disk, or fetched by the provider from a signed URL."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

from towpath.errors import BlobMissing
from towpath.storage.contract import MISSING_MESSAGE, BlobStore


@dataclass(frozen=True, slots=True)
class BlobSource:
    blobs: BlobStore
    key: str
    size: int
    media_type: str

    @classmethod
    async def of(cls, blobs: BlobStore, key: str, media_type: str) -> BlobSource:
        size = await blobs.size(key)
        if size is None:
            raise BlobMissing(MISSING_MESSAGE)
        return cls(blobs, key, size, media_type)

    def stream(self) -> AsyncIterator[bytes]:
        return self.blobs.stream(self.key)

    async def signed_url(self) -> str | None:
        return await self.blobs.signed_url(self.key)


#: Bytes that are read at a time.
_BLOCK = 1 << 18


@dataclass(frozen=True, slots=True)
class FileSource:
    """A file of this machine, such as the copy of a locked PDF."""

    path: Path
    size: int
    media_type: str

    @classmethod
    def of(cls, path: Path, media_type: str) -> FileSource:
        return cls(path, path.stat().st_size, media_type)

    async def stream(self) -> AsyncIterator[bytes]:
        with await asyncio.to_thread(self.path.open, "rb") as file:
            while block := await asyncio.to_thread(file.read, _BLOCK):
                yield block

    async def signed_url(self) -> str | None:
        return None
