"""chunk: the extraction cut into searchable passages, and the fields found in it. Deterministic."""

from __future__ import annotations

from pathlib import Path

from towpath.model.content import Extraction, Field
from towpath.model.encode import dump_chunks, dump_fields, load_extraction
from towpath.model.work import Done, Outcome
from towpath.model.writes import KeepArtifact
from towpath.providers.tokens import estimate
from towpath.stages.artifact import store
from towpath.stages.capabilities import Compute, document_of, result_of
from towpath.stages.chunking import cut
from towpath.stages.contract import Context
from towpath.stages.field_finder import find_fields
from towpath.stages.fields.about import FACTS
from towpath.storage.contract import BlobStore


async def chunk(context: Context, *, blobs: BlobStore, compute: Compute) -> Outcome:
    source = str(result_of(context, "extract")["extraction"])
    name = document_of(context)["name"]
    async with blobs.as_file(source) as path:
        chunks, facts, summary = await compute.run(
            cut_file, str(path), context.document_id, name, seconds=120
        )
    made: list[KeepArtifact] = []
    result: dict[str, object] = {"summary": summary}
    for kind, body in (("chunks", chunks), ("fields", facts)):
        made.append(await store(context, blobs, kind, "json", "application/json", body))
        result[kind] = made[-1].key
    return Done(result, writes=made)


def cut_file(path: str, document_id: str, name: str) -> tuple[bytes, bytes, dict[str, object]]:
    """Runs in a child: chunks, fields and a summary of a stored extraction."""
    extraction = load_extraction(Path(path).read_bytes())
    chunks = cut(document_id, extraction, count=estimate)
    fields = gather(extraction)
    summary = summarize(extraction, name, len(chunks), {item.name: item.value for item in fields})
    return dump_chunks(chunks), dump_fields(fields), summary


def gather(extraction: Extraction) -> tuple[Field, ...]:
    """What the reader found, with its own confidence, and what can be found in the text beside it."""
    given = tuple(field for field in extraction.fields if field.name.casefold() not in FACTS)
    known = {field.name.casefold() for field in given}
    return (*given, *(field for field in find_fields(extraction) if field.name.casefold() not in known))


def summarize(extraction: Extraction, name: str, chunks: int, fields: dict[str, str]) -> dict[str, object]:
    """What a list of documents shows of one."""
    return {
        "title": fields.get("title") or name,
        "language": fields.get("language"),
        "pages": len(extraction.pages) or None,
        "words": int(fields["word_count"]) if fields.get("word_count", "").isdigit() else None,
        "chunks": chunks,
        "engine": extraction.engine,
        "warnings": list(extraction.warnings),
    }
