"""chunk: cuts the extraction into chunks and finds its fields. The same input gives the same chunk ids."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AsyncExitStack
from pathlib import Path

from towpath.chunking.markdown_chunker import chunk_markdown
from towpath.fields.document_properties import PROPERTY_NAMES
from towpath.model.codec import decode_extraction, encode, encode_chunks
from towpath.model.content import Chunk, Extraction, Field
from towpath.model.outcome import Done, Outcome
from towpath.model.page_unit import have_printed_numbers
from towpath.model.writes import KeepArtifact
from towpath.process_runner import InputFile, ProcessRunner
from towpath.providers.token_counter import estimate
from towpath.stages.capabilities import document_of, result_of, text_result
from towpath.stages.contract import Context
from towpath.stages.support.artifact import inline_body, store_result
from towpath.stages.support.prepared_documents import PreparedDocuments
from towpath.storage.contract import BlobStore


async def chunk(
    context: Context, *, blobs: BlobStore, compute: ProcessRunner, prepared: PreparedDocuments | None = None
) -> Outcome:
    extracted = text_result(context)
    extraction = extracted["extraction"]
    # Version 0.1.0 stored content.md in save_markdown.
    content = str(extracted.get("markdown") or result_of(context, "save_markdown")["markdown"])
    ready = None if prepared is None else prepared.find_by_text(context.run_id, extracted)
    if ready is not None:
        chunks, fields, summary = ready.chunks_body, ready.fields_body, dict(ready.summary)
    else:
        chunks, fields, summary = await _compute(context, blobs, compute, extraction, content)
    artifacts: list[KeepArtifact] = []
    result: dict[str, object] = {"summary": summary, "content": content}
    for kind, body in (("chunks", chunks), ("fields", fields)):
        result[kind], stored = await store_result(context, blobs, kind, "json", "application/json", body)
        artifacts += stored
    if prepared is not None and ready is not None:
        prepared.set_chunks(context.run_id, result)
    return Done(result, writes=artifacts)


async def _compute(
    context: Context, blobs: BlobStore, compute: ProcessRunner, extraction: object, content: str
) -> tuple[bytes, bytes, dict[str, object]]:
    async with AsyncExitStack() as files:
        body = inline_body(extraction)
        if body is None:
            body = InputFile(await files.enter_async_context(blobs.as_file(str(extraction))))
        content_path = await files.enter_async_context(blobs.as_file(content))
        return await compute.run(
            chunk_file,
            body,
            InputFile(content_path),
            context.document_id,
            document_of(context)["name"],
            seconds=120,
        )


def chunk_file(
    extraction_body: str | bytes, content_path: str, document_id: str, name: str
) -> tuple[bytes, bytes, dict[str, object]]:
    """Runs in a child process: chunks, fields and the summary of an extraction, which is given or in a file."""
    body = Path(extraction_body).read_bytes() if isinstance(extraction_body, str) else extraction_body
    extraction = decode_extraction(body, Path(content_path).read_bytes())
    chunks, fields, summary = chunk_extraction(extraction, document_id, name)
    return encode_chunks(chunks, extraction.markdown), encode(fields), summary


def chunk_extraction(
    extraction: Extraction, document_id: str, name: str
) -> tuple[Sequence[Chunk], tuple[Field, ...], dict[str, object]]:
    """The chunks, the fields and the summary."""
    chunks = chunk_markdown(document_id, extraction, count_tokens=estimate)
    fields = all_fields(extraction, name)
    summary = summarize(extraction, name, len(chunks), {field.name: field.value for field in fields})
    return chunks, fields, summary


def all_fields(extraction: Extraction, file_name: str = "") -> tuple[Field, ...]:
    """The fields of the reader, and those found in the text under other names."""
    # The finder compiles many patterns; only child processes need it, not the server that starts them.
    from towpath.fields.finder import find_fields

    given = tuple(field for field in extraction.fields if field.name.casefold() not in PROPERTY_NAMES)
    names = {field.name.casefold() for field in given}
    return (
        *given,
        *(field for field in find_fields(extraction, file_name) if field.name.casefold() not in names),
    )


def summarize(
    extraction: Extraction, name: str, chunk_count: int, fields: dict[str, str]
) -> dict[str, object]:
    """The values that a list of documents shows."""
    return {
        "title": fields.get("title") or name,
        "language": fields.get("language"),
        "pages": len(extraction.pages) or None,
        "printed_numbers": have_printed_numbers(extraction.pages),
        "words": int(fields["word_count"]) if fields.get("word_count", "").isdigit() else None,
        "chunks": chunk_count,
        "engine": extraction.engine,
        "warnings": list(extraction.warnings),
    }
