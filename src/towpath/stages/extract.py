"""extract: text, markdown, pages and fields out of the original. Remembered by content, so done once.

A reader on this machine answers while it is waited for. An analyzer elsewhere is started once, its
operation's id is saved at once, and it is asked by suspending: no worker waits for it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

from towpath.errors import Rejected
from towpath.model.content import Extraction
from towpath.model.encode import dump_extraction
from towpath.model.work import Done, Outcome
from towpath.providers.contract import Analyzer, Answer
from towpath.stages.artifact import store
from towpath.stages.capabilities import AnalyzerFor, PageCounter, Reader, document_of
from towpath.stages.contract import Context, PaidCall
from towpath.stages.reporting import reporter
from towpath.stages.source import BlobSource
from towpath.storage.contract import BlobStore


async def extract(
    context: Context,
    *,
    blobs: BlobStore,
    reader: Reader,
    analyzer_for: AnalyzerFor,
    count_pages: PageCounter,
) -> Outcome:
    document = document_of(context)
    if refusal := document.get("refusal"):
        raise Rejected("unsupported", refusal)
    analyzer = analyzer_for(document["media_type"])
    if analyzer is None:
        body = await _read(context, blobs, reader, document)
    else:
        extraction = await _analyze(context, blobs, analyzer, document)
        async with blobs.as_file(document["blob_key"]) as path:
            check_pages(extraction, await count_pages(path, document["media_type"]))
        body = await asyncio.to_thread(dump_extraction, extraction)
    made = await store(context, blobs, "extraction", "json", "application/json", body)
    return Done({"extraction": made.key}, writes=[made])


def check_pages(extraction: Extraction, in_file: int | None) -> None:
    """A service may read the first pages only and say nothing of it: half a document is not a document."""
    if in_file is not None and len(extraction.pages) < in_file:
        raise Rejected(
            "pages_missing",
            f"Only {len(extraction.pages)} of {in_file} pages were read by {extraction.engine}. A free tier"
            " reads two pages: choose a paid one, or the local reader, and reprocess the document afresh.",
        )


async def _read(context: Context, blobs: BlobStore, reader: Reader, document: Mapping[str, str]) -> bytes:
    media_type = document["media_type"]

    async def read() -> Answer:
        async with blobs.as_file(document["blob_key"]) as path:
            return await reader.read(path, media_type, reporter(context))

    call = PaidCall(reader.provider, reader.model, reader.parameters(media_type), document["sha256"])
    return (await context.once(call, read)).body


async def _analyze(
    context: Context, blobs: BlobStore, analyzer: Analyzer, document: Mapping[str, str]
) -> Extraction:
    async def start() -> str:
        return await analyzer.start(await BlobSource.of(blobs, document["blob_key"], document["media_type"]))

    call = PaidCall(analyzer.provider, analyzer.model, analyzer.parameters(), document["sha256"])
    answer = await context.operation(call, start, analyzer.poll)
    return await asyncio.to_thread(analyzer.read, answer.body)
