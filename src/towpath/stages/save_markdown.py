"""save_markdown: `content.md` at its deterministic key."""

from __future__ import annotations

from pathlib import Path

from towpath.errors import Rejected
from towpath.model.encode import load_extraction
from towpath.model.work import Done, Outcome
from towpath.stages.artifact import store
from towpath.stages.capabilities import Compute, result_of
from towpath.stages.contract import Context
from towpath.storage.contract import BlobStore


async def save_markdown(context: Context, *, blobs: BlobStore, compute: Compute) -> Outcome:
    source = str(result_of(context, "extract")["extraction"])
    async with blobs.as_file(source) as path:
        markdown = await compute.run(markdown_of, str(path), seconds=60)
    if not markdown.strip():
        raise Rejected("empty", "No text was found in this file.")
    made = await store(context, blobs, "content", "md", "text/markdown", markdown)
    return Done({"markdown": made.key, "bytes": made.size}, writes=[made])


def markdown_of(path: str) -> bytes:
    """Runs in a child: the markdown inside a stored extraction."""
    return load_extraction(Path(path).read_bytes()).markdown.encode("utf-8", "replace")
