"""Stores the large results of stages as blobs under keys that contain their hash: a late writer changes nothing."""

from __future__ import annotations

import asyncio
import hashlib

from towpath.model.writes import KeepArtifact
from towpath.stages.contract import Context
from towpath.storage.contract import BlobStore, document_key

MARKDOWN = "text/markdown"


async def store(
    context: Context, blobs: BlobStore, kind: str, suffix: str, media_type: str, body: bytes
) -> KeepArtifact:
    """Store the blob; returns the row to write with the stage's checkpoint."""
    digest = (await asyncio.to_thread(hashlib.sha256, body)).hexdigest()
    key = _key(context, kind, suffix, digest)
    if await blobs.size(key) != len(body):
        await blobs.put(key, body)
    return KeepArtifact(kind, key, media_type, len(body), digest)


async def store_content(context: Context, blobs: BlobStore, markdown: bytes) -> KeepArtifact:
    """Store the document's markdown as content.md."""
    return await store(context, blobs, "content", "md", MARKDOWN, markdown)


async def find_content(context: Context, blobs: BlobStore, sha256: str) -> KeepArtifact | None:
    """The document's content.md with this hash; None if it is not stored."""
    key = _key(context, "content", "md", sha256)
    size = await blobs.size(key)
    return None if size is None else KeepArtifact("content", key, MARKDOWN, size, sha256)


def _key(context: Context, kind: str, suffix: str, digest: str) -> str:
    return document_key(context.org_id, context.document_id, f"{kind}-{digest[:16]}.{suffix}")
