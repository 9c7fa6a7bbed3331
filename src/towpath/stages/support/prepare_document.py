"""Chunks, embeds and indexes a small text in the child process that reads its file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

import numpy as np

from towpath.model.codec import EncodedExtraction, decode_extraction, encode, encode_chunks
from towpath.model.ids import chunk_rowid
from towpath.model.writes import EncodedSegment
from towpath.process_runner import Continuation
from towpath.providers.contract import Vectors
from towpath.stages.chunk import chunk_extraction
from towpath.stages.embed import BRIEF_TEXTS, searchable_text
from towpath.stages.publish import index_words
from towpath.stages.support.prepared_documents import MAX_BYTES, PreparedDocument

#: Plain values, which the parent of the child process decodes fast: chunks, fields, summary, word index and vectors.
_Values = tuple[
    bytes, bytes, dict[str, object], tuple[int, int, bytes, list[tuple[bytes, bytes]]], bytes | None
]


@dataclass(frozen=True, slots=True)
class LightModel:
    """An embedding model of this machine that takes less than a millisecond for a text."""

    model: str
    #: Unit vectors of texts; runs in a child process.
    embed: Continuation


def prepare_document(
    reading: EncodedExtraction, document_id: str, name: str, light_model: LightModel | None = None
) -> _Values | None:
    """Runs in a child process; None for a long or empty text. Without a model there are no vectors."""
    if len(reading.markdown) > MAX_BYTES or not reading.markdown.strip():
        return None
    extraction = decode_extraction(reading.extraction, reading.markdown)
    chunks, fields, summary = chunk_extraction(extraction, document_id, name)
    texts = [(chunk_rowid(chunk.id), chunk.text, chunk.anchor.heading_path) for chunk in chunks]
    words = index_words(document_id, name, summary, texts, [field.value for field in fields])
    segment = (words.chunks, words.length, words.header, list(words.pages))
    vectors = None
    if light_model is not None and len(chunks) <= BRIEF_TEXTS:
        searched = [searchable_text(chunk.anchor.heading_path, chunk.text) for chunk in chunks]
        vectors = cast("Vectors", light_model.embed(searched)).astype(np.float32).tobytes()
    return encode_chunks(chunks, extraction.markdown), encode(fields), summary, segment, vectors


def prepared_document(
    markdown: bytes, values: object, light_model: LightModel | None = None
) -> PreparedDocument | None:
    """What `prepare_document` returned, with the text."""
    if values is None:
        return None
    chunks, fields, summary, words, vectors = cast("_Values", values)
    model = None if light_model is None else light_model.model
    return PreparedDocument(markdown, chunks, fields, summary, EncodedSegment(*words), model, vectors)
