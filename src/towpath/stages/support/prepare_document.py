"""Chunks and indexes a small text in the call of the child process that read it: one call instead of three."""

from __future__ import annotations

from typing import cast

from towpath.model.codec import EncodedExtraction, decode_extraction, encode, encode_chunks
from towpath.model.ids import chunk_rowid
from towpath.model.writes import EncodedSegment
from towpath.stages.chunk import chunk_extraction
from towpath.stages.publish import index_words
from towpath.stages.support.prepared_documents import MAX_BYTES, PreparedDocument

#: Plain values, which the parent of the child process decodes fast: chunks, fields, summary and word index.
_Values = tuple[bytes, bytes, dict[str, object], tuple[int, int, bytes, list[tuple[bytes, bytes]]]]


def prepare_document(reading: EncodedExtraction, document_id: str, name: str) -> _Values | None:
    """Runs in a child process; None for a long or empty text."""
    if len(reading.markdown) > MAX_BYTES or not reading.markdown.strip():
        return None
    extraction = decode_extraction(reading.extraction, reading.markdown)
    chunks, fields, summary = chunk_extraction(extraction, document_id, name)
    texts = [(chunk_rowid(chunk.id), chunk.text, chunk.anchor.heading_path) for chunk in chunks]
    words = index_words(document_id, name, summary, texts, [field.value for field in fields])
    segment = (words.chunks, words.length, words.header, list(words.pages))
    return encode_chunks(chunks, extraction.markdown), encode(fields), summary, segment


def prepared_document(markdown: bytes, values: object) -> PreparedDocument | None:
    """What `prepare_document` returned, with the text."""
    if values is None:
        return None
    chunks, fields, summary, words = cast("_Values", values)
    return PreparedDocument(markdown, chunks, fields, summary, EncodedSegment(*words))
