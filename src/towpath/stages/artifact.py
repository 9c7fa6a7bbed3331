"""Stores a stage's large outcome under a key made of its own hash, so that late writers spoil nothing."""

from __future__ import annotations

import asyncio
import hashlib

from towpath.model.writes import KeepArtifact
from towpath.stages.contract import Context
from towpath.storage.contract import BlobStore, document_key


async def store(
    context: Context, blobs: BlobStore, kind: str, suffix: str, media_type: str, body: bytes
) -> KeepArtifact:
    """Write the blob; give the note that rides with the stage's checkpoint."""
    digest = (await asyncio.to_thread(hashlib.sha256, body)).hexdigest()
    key = document_key(context.org_id, context.document_id, f"{kind}-{digest[:16]}.{suffix}")
    if await blobs.size(key) != len(body):
        await blobs.put(key, body)
    return KeepArtifact(kind, key, media_type, len(body), digest)
