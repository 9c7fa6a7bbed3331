"""save_markdown: the checkpoint at which the document's content.md is stored and not empty."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

from towpath.errors import Rejected
from towpath.model.codec import decode_extraction, encode_text
from towpath.model.outcome import Done, Outcome
from towpath.model.writes import KeepArtifact
from towpath.stages.capabilities import text_result
from towpath.stages.contract import Context
from towpath.stages.support.artifact import find_content, load_result, store_content
from towpath.stages.support.prepared_documents import PreparedDocuments
from towpath.storage.contract import BlobStore


async def save_markdown(
    context: Context, *, blobs: BlobStore, prepared: PreparedDocuments | None = None
) -> Outcome:
    text = text_result(context)
    ready = None if prepared is None else prepared.find_by_text(context.run_id, text)
    if ready is not None:
        # `extract` stored this text, which is not empty, and writes its row.
        return Done({"markdown": text["markdown"], "bytes": len(ready.markdown)})
    content = await _content(context, blobs)
    if await _is_blank(blobs.stream(content.key)):
        raise Rejected("empty", "No text was found in this file.")
    return Done({"markdown": content.key, "bytes": content.size}, writes=[content])


async def _content(context: Context, blobs: BlobStore) -> KeepArtifact:
    extracted = text_result(context)
    if "markdown_sha256" not in extracted:
        # Version 0.1.0 stored the markdown inside the extraction.
        body = await load_result(blobs, extracted["extraction"])
        extraction = await asyncio.to_thread(decode_extraction, body, None)
        return await store_content(context, blobs, encode_text(extraction.markdown))
    content = await find_content(context, blobs, str(extracted["markdown_sha256"]))
    if content is None:
        raise FileNotFoundError(str(extracted["markdown"]))
    return content


async def _is_blank(parts: AsyncIterator[bytes]) -> bool:
    """Whether there is nothing but white space; usually decided by the first part."""
    async for part in parts:
        if part.strip():
            return False
    return True
