"""publish: checks the numbers of chunks and vectors, and makes the new content visible in one transaction."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import cast

from towpath.errors import Rejected, TowpathError
from towpath.model.codec import decode_fields
from towpath.model.content import Chunk, Field
from towpath.model.ids import chunk_rowid
from towpath.model.outcome import Done, Outcome
from towpath.model.writes import EncodedSegment, Publish
from towpath.process_runner import ProcessRunner
from towpath.stages.capabilities import document_of, own_field_keys, result_of, text_result
from towpath.stages.contract import Context
from towpath.stages.support.artifact import load_result
from towpath.stages.support.chunk_artifact import load_chunks
from towpath.stages.support.inline_or_thread import run_inline_or_in_thread
from towpath.stages.support.prepared_documents import PreparedDocuments
from towpath.stages.support.vector_blobs import load_vectors
from towpath.storage.contract import BlobStore
from towpath.text.chunk_texts import chunk_texts
from towpath.text.word_index_segment import build_segment


async def publish(
    context: Context, *, blobs: BlobStore, compute: ProcessRunner, prepared: PreparedDocuments | None = None
) -> Outcome:
    chunked, embedded = result_of(context, "chunk"), result_of(context, "embed")
    chunks = await load_chunks(context, blobs, prepared)
    vectors = await load_vectors(blobs, embedded)
    if not chunks:
        raise Rejected("empty", "No searchable text was found in this file.")
    if len(chunks) != len(vectors):
        raise TowpathError(f"There are {len(chunks)} chunks but {len(vectors)} vectors.")
    fields: list[Field] = []
    own_keys = own_field_keys(context)
    for key in (chunked["fields"], *own_keys):
        body = await load_result(blobs, key)
        fields += await run_inline_or_in_thread(decode_fields, body, size=len(body))
    summary = cast("Mapping[str, object]", chunked["summary"])
    ready = None if prepared is None else prepared.find_by_chunks(context.run_id, chunked)
    if ready is not None and not own_keys:
        words = ready.words
    else:
        words = await _index_words(context, compute, chunks, fields, summary)
    if prepared is not None:
        prepared.remove(context.run_id)
    # In version 0.1.0 the result of `extract` had no key of the markdown: the ledger finds it in `save_markdown`.
    markdown = text_result(context).get("markdown")
    content = Publish(
        chunks,
        vectors,
        str(embedded["model"]),
        fields,
        summary,
        words,
        None if markdown is None else str(markdown),
    )
    return Done({"chunks": len(chunks), "fields": len(fields)}, writes=[content])


async def _index_words(
    context: Context,
    compute: ProcessRunner,
    chunks: Sequence[Chunk],
    fields: Sequence[Field],
    summary: Mapping[str, object],
) -> EncodedSegment:
    texts = [(chunk_rowid(chunk.id), chunk.text, chunk.anchor.heading_path) for chunk in chunks]
    return await compute.run(
        index_words,
        context.document_id,
        document_of(context)["name"],
        dict(summary),
        texts,
        [field.value for field in fields],
        seconds=120,
    )


def index_words(
    document_id: str,
    name: str,
    summary: Mapping[str, object],
    texts: Sequence[tuple[int, str, Sequence[str]]],
    fields: Sequence[str],
) -> EncodedSegment:
    """Runs in a child process: the word index of a document."""
    return build_segment(chunk_texts(document_id, name, summary, texts, fields))
