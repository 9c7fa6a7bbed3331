"""Stores the output of stages: large outputs as blobs, small ones in the row of the stage.

A blob has a key that contains its hash: a late writer changes nothing. A small result is committed with the checkpoint
of its stage, without a file, a sync of it and a row about it.
"""

from __future__ import annotations

import base64
import hashlib
import zlib

from towpath.model.writes import KeepArtifact
from towpath.stages.contract import Context
from towpath.stages.support.inline_or_thread import SHORT_BYTES, run_inline_or_in_thread
from towpath.storage.contract import BlobStore, document_key

MARKDOWN = "text/markdown"
#: Bodies up to this size are stored in the result of the stage.
INLINE_BYTES = 8_192
_INLINE = "inline:"


async def store_result(
    context: Context, blobs: BlobStore, kind: str, suffix: str, media_type: str, body: bytes
) -> tuple[str, list[KeepArtifact]]:
    """Store a part of the result; its reference for `load_result`, and the rows to write with the checkpoint."""
    if len(body) <= INLINE_BYTES:
        return _INLINE + base64.b64encode(zlib.compress(body, 1)).decode("ascii"), []
    artifact = await store(context, blobs, kind, suffix, media_type, body)
    return artifact.key, [artifact]


async def load_result(blobs: BlobStore, reference: object) -> bytes:
    """The body that `store_result` stored; ``reference`` may also be the key of a blob."""
    body = inline_body(reference)
    return await blobs.get(str(reference)) if body is None else body


def inline_body(reference: object) -> bytes | None:
    """The body of a reference that contains it; None for the key of a blob."""
    text = str(reference)
    if not text.startswith(_INLINE):
        return None
    return zlib.decompress(base64.b64decode(text.removeprefix(_INLINE)))


async def store(
    context: Context, blobs: BlobStore, kind: str, suffix: str, media_type: str, body: bytes
) -> KeepArtifact:
    """Store the blob; returns the row to write with the stage's checkpoint."""
    digest = (await run_inline_or_in_thread(hashlib.sha256, body, size=len(body))).hexdigest()
    key = _key(context, kind, suffix, digest)
    # Storing a small blob again takes no longer than the look whether it is stored.
    if len(body) <= SHORT_BYTES or await blobs.size(key) != len(body):
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
