"""Loads the chunks that an earlier stage stored, with their texts from content.md."""

from __future__ import annotations

import asyncio

from towpath.model.codec import decode_chunks
from towpath.model.content import Chunk
from towpath.stages.capabilities import result_of
from towpath.stages.contract import Context
from towpath.storage.contract import BlobStore


async def load_chunks(context: Context, blobs: BlobStore) -> list[Chunk]:
    """The chunks of this run."""
    result = result_of(context, "chunk")
    body = await blobs.get(str(result["chunks"]))
    # Version 0.1.0 stored the texts with the chunks.
    markdown = await blobs.get(str(result["content"])) if "content" in result else None
    return await asyncio.to_thread(decode_chunks, body, markdown)
