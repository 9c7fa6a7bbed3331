"""A stored file as the input of a provider: streamed from storage, or fetched by the provider from a signed URL."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass

from towpath.storage.contract import BlobStore


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
            raise FileNotFoundError(key)
        return cls(blobs, key, size, media_type)

    def stream(self) -> AsyncIterator[bytes]:
        return self.blobs.stream(self.key)

    async def signed_url(self) -> str | None:
        return await self.blobs.signed_url(self.key)
