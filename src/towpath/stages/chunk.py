"""chunk: cuts the extraction into chunks and finds its fields. The same input gives the same chunk ids."""

from __future__ import annotations

from contextlib import AsyncExitStack
from pathlib import Path

from towpath.chunking.markdown_chunker import chunk_markdown
from towpath.fields.document_properties import PROPERTY_NAMES
from towpath.fields.finder import find_fields
from towpath.model.codec import decode_extraction, encode, encode_chunks
from towpath.model.content import Extraction, Field
from towpath.model.outcome import Done, Outcome
from towpath.model.writes import KeepArtifact
from towpath.process_runner import ProcessRunner
from towpath.providers.tokens import estimate
from towpath.stages.capabilities import document_of, result_of
from towpath.stages.contract import Context
from towpath.stages.support.artifact import store
from towpath.storage.contract import BlobStore


async def chunk(context: Context, *, blobs: BlobStore, compute: ProcessRunner) -> Outcome:
    extracted = result_of(context, "extract")
    extraction = str(extracted["extraction"])
    # Version 0.1.0 stored content.md in save_markdown.
    content = str(extracted.get("markdown") or result_of(context, "save_markdown")["markdown"])
    name = document_of(context)["name"]
    async with AsyncExitStack() as files:
        extraction_path = await files.enter_async_context(blobs.as_file(extraction))
        content_path = await files.enter_async_context(blobs.as_file(content))
        chunks, fields, summary = await compute.run(
            chunk_file, str(extraction_path), str(content_path), context.document_id, name, seconds=120
        )
    artifacts: list[KeepArtifact] = []
    result: dict[str, object] = {"summary": summary, "content": content}
    for kind, body in (("chunks", chunks), ("fields", fields)):
        artifacts.append(await store(context, blobs, kind, "json", "application/json", body))
        result[kind] = artifacts[-1].key
    return Done(result, writes=artifacts)


def chunk_file(
    extraction_path: str, content_path: str, document_id: str, name: str
) -> tuple[bytes, bytes, dict[str, object]]:
    """Runs in a child process: chunks, fields and the summary of a stored extraction."""
    extraction = decode_extraction(Path(extraction_path).read_bytes(), Path(content_path).read_bytes())
    chunks = chunk_markdown(document_id, extraction, count_tokens=estimate)
    fields = all_fields(extraction)
    summary = summarize(extraction, name, len(chunks), {field.name: field.value for field in fields})
    return encode_chunks(chunks, extraction.markdown), encode(fields), summary


def all_fields(extraction: Extraction) -> tuple[Field, ...]:
    """The fields of the reader, and those found in the text under other names."""
    given = tuple(field for field in extraction.fields if field.name.casefold() not in PROPERTY_NAMES)
    names = {field.name.casefold() for field in given}
    return (*given, *(field for field in find_fields(extraction) if field.name.casefold() not in names))


def summarize(
    extraction: Extraction, name: str, chunk_count: int, fields: dict[str, str]
) -> dict[str, object]:
    """The values that a list of documents shows."""
    return {
        "title": fields.get("title") or name,
        "language": fields.get("language"),
        "pages": len(extraction.pages) or None,
        "words": int(fields["word_count"]) if fields.get("word_count", "").isdigit() else None,
        "chunks": chunk_count,
        "engine": extraction.engine,
        "warnings": list(extraction.warnings),
    }
