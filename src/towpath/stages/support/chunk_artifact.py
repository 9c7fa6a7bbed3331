"""Loads the chunks that an earlier stage stored, with their texts from content.md."""

from __future__ import annotations

from towpath.model.codec import decode_chunks
from towpath.model.content import Chunk
from towpath.stages.capabilities import result_of
from towpath.stages.contract import Context
from towpath.stages.support.artifact import load_result
from towpath.stages.support.inline_or_thread import run_inline_or_in_thread
from towpath.stages.support.prepared_documents import PreparedDocuments
from towpath.storage.contract import BlobStore


async def load_chunks(
    context: Context, blobs: BlobStore, prepared: PreparedDocuments | None = None
) -> list[Chunk]:
    """The chunks of this run."""
    result = result_of(context, "chunk")
    ready = None if prepared is None else prepared.find_by_chunks(context.run_id, result)
    if ready is not None:
        return ready.chunks()
    body = await load_result(blobs, result["chunks"])
    # Version 0.1.0 stored the texts with the chunks.
    markdown = await blobs.get(str(result["content"])) if "content" in result else None
    return await run_inline_or_in_thread(decode_chunks, body, markdown, size=len(body) + len(markdown or b""))
