"""extract: reads the original into markdown, pages, blocks and fields, by a local reader or a remote analyzer.

The answer is cached by the content of the file, so each file is read once. The answer of a local reader is itself the
stored extraction; the markdown is stored once, as content.md. The answer for a long scan is a plan: its pages are
recognized in batches, each of them cached, and a second answer is made of them. A remote analyzer is started once, its
operation id is saved at once, and it is polled by suspending the job.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import replace

from towpath.errors import Rejected
from towpath.model.codec import EncodedExtraction, decode_markdown_reference, encode_extraction, encode_text
from towpath.model.content import Extraction
from towpath.model.job import ProgressUnit
from towpath.model.outcome import Done, Outcome
from towpath.model.page_plan import PagePlan, decode_plan, encode_plan
from towpath.model.provider_answer import Answer
from towpath.model.writes import KeepArtifact
from towpath.process_runner import Continuation
from towpath.providers.contract import Analyzer
from towpath.stages.capabilities import (
    AnalyzerFor,
    ChildFinder,
    PageCounter,
    PdfUnlocker,
    Reader,
    document_of,
    size_of,
)
from towpath.stages.contract import Context, ProviderCall
from towpath.stages.support.artifact import find_content, store_content, store_result
from towpath.stages.support.original_file import Original, open_original, reject_locked
from towpath.stages.support.page_batches import recognize_batches
from towpath.stages.support.prepare_document import LightModel, prepare_document, prepared_document
from towpath.stages.support.prepared_documents import PreparedDocument, PreparedDocuments
from towpath.stages.support.progress_callback import progress_callback
from towpath.storage.contract import BlobStore

#: Reading a file up to this size is a brief call.
BRIEF_BYTES = 65_536


async def extract(
    context: Context,
    *,
    blobs: BlobStore,
    reader: Reader,
    analyzer_for: AnalyzerFor,
    count_pages: PageCounter,
    children: ChildFinder,
    unlocker: PdfUnlocker | None = None,
    prepared: PreparedDocuments | None = None,
    light_model: LightModel | None = None,
) -> Outcome:
    document = document_of(context)
    if refusal := document.get("refusal"):
        raise Rejected("unsupported", refusal)
    analyzer = analyzer_for(document["media_type"])
    artifacts: list[KeepArtifact] = []
    ready: PreparedDocument | None = None
    if analyzer is None:
        async with open_original(context, blobs, document, unlocker) as original:
            # The last attempt prepares nothing, so that an error of a later stage is not one of reading.
            prepare = prepared is not None and not context.last_attempt
            answer, content, ready = await _read(
                context, blobs, reader, document, original, light_model, prepare=prepare
            )
        extraction_key, body = answer.blob_key, answer.body
    else:
        extraction = await _analyze(context, blobs, analyzer, document, unlocker)
        async with open_original(context, blobs, document, unlocker) as original, original.file() as path:
            pages = await count_pages(path, document["media_type"])
            check_pages(extraction, pages, analyzer.provider)
        encoded = await asyncio.to_thread(encode_extraction, extraction)
        extraction_key, body = None, encoded.extraction
        content = await store_content(context, blobs, encoded.markdown)
    if extraction_key is None:
        extraction_key, artifacts = await store_result(
            context, blobs, "extraction", "json", "application/json", body
        )
    result = {
        "extraction": extraction_key,
        "markdown": content.key,
        "markdown_bytes": content.size,
        "markdown_sha256": content.sha256,
    }
    if prepared is not None and ready is not None:
        prepared.put(context.run_id, result, ready)
    return Done(result, writes=[*artifacts, content, *await children.find(context, document)])


def check_pages(extraction: Extraction, pages_in_file: int | None, provider: str) -> None:
    """Reject an incomplete analysis: a service may read the first pages only and not report it."""
    if pages_in_file is not None and len(extraction.pages) < pages_in_file:
        raise Rejected(
            "pages_missing",
            f"Only {len(extraction.pages)} of {pages_in_file} pages were read by {extraction.engine}. A free tier"
            " reads two pages: choose a paid one, or the local reader, and reprocess the document without cached"
            " answers.",
            provider,
        )


async def _read(
    context: Context,
    blobs: BlobStore,
    reader: Reader,
    document: Mapping[str, str],
    original: Original,
    light_model: LightModel | None,
    *,
    prepare: bool,
) -> tuple[Answer, KeepArtifact, PreparedDocument | None]:
    """The answer of the local reader, the content.md that belongs to it, and what was prepared if it is small."""
    media_type = document["media_type"]
    content: KeepArtifact | None = None
    ready: PreparedDocument | None = None

    async def store_reading(encoded: EncodedExtraction) -> Answer:
        nonlocal content
        content = await store_content(context, blobs, encoded.markdown)
        units = {"bytes": float(len(encoded.extraction) + len(encoded.markdown))}
        return Answer(encoded.extraction, units)

    async def read() -> Answer:
        nonlocal ready
        arguments = (context.document_id, document["name"], light_model)
        then = Continuation.of(prepare_document, *arguments) if prepare else None
        async with original.checked_file() as path:
            reading, values = await reader.read_and_continue(
                path, media_type, then, progress_callback(context, ProgressUnit.PAGE)
            )
        if isinstance(reading, PagePlan):
            return Answer(encode_plan(reading))
        ready = prepared_document(reading.markdown, values, light_model)
        return await store_reading(reading)

    parameters = reader.parameters(media_type)
    size = size_of(document)
    is_brief = size is not None and size <= BRIEF_BYTES
    call = ProviderCall(
        reader.provider, reader.model, parameters, document["sha256"], as_blob=True, is_brief=is_brief
    )
    answer = await context.call_once(call, read)
    plan = decode_plan(answer.body)
    if plan is not None:

        async def assemble() -> Answer:
            batches = await recognize_batches(context, original, reader, document, plan)
            async with original.file() as path:
                return await store_reading(
                    await reader.assemble(path, media_type, batches, lambda done, total: None)
                )

        read = assemble
        call = replace(call, parameters={**parameters, "pages": "all"}, is_brief=False)
        answer = await context.call_once(call, read)
    if content is None:
        content = await _cached_content(context, blobs, answer)
    if content is None:
        # The answer is cached, but its content.md belongs to another or a deleted document: reading is free.
        await read()
    assert content is not None
    return answer, content, ready


async def _cached_content(context: Context, blobs: BlobStore, answer: Answer) -> KeepArtifact | None:
    """The content.md of a cached answer; None if this document has none."""
    reference = await asyncio.to_thread(decode_markdown_reference, answer.body)
    if reference.markdown is not None:
        return await store_content(context, blobs, encode_text(reference.markdown))
    return await find_content(context, blobs, str(reference.markdown_sha256))


async def _analyze(
    context: Context,
    blobs: BlobStore,
    analyzer: Analyzer,
    document: Mapping[str, str],
    unlocker: PdfUnlocker | None,
) -> Extraction:
    async def start() -> str:
        async with open_original(context, blobs, document, unlocker) as original:
            return await analyzer.start(await original.source())

    call = ProviderCall(analyzer.provider, analyzer.model, analyzer.parameters(), document["sha256"])
    try:
        answer = await context.run_operation(call, start, analyzer.poll)
    except Rejected:
        # A service does not say that a file is locked.
        if context.password() is None:
            await reject_locked(blobs, document, unlocker)
        raise
    return await asyncio.to_thread(analyzer.read, answer.body)
