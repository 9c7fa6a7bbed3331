"""What the reading call prepares is what the stages compute themselves."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from tests.support.readers import quiet
from towpath.intake.detect_media_type import detect_file
from towpath.model.codec import EncodedExtraction, decode_chunks, decode_fields, encode_extraction
from towpath.model.content import Extraction
from towpath.model.ids import chunk_rowid
from towpath.process_runner import Continuation
from towpath.providers.contract import Vectors
from towpath.providers.local.embeddings.fast import FastEmbedder, embed_fast
from towpath.providers.local.embeddings.multilingual import MultilingualEmbedder
from towpath.readers.local_reader import read_and_continue, read_file
from towpath.readers.ocr.settings import OcrSettings
from towpath.stages.chunk import chunk_file
from towpath.stages.embed import searchable_text
from towpath.stages.publish import index_words
from towpath.stages.support.prepare_document import LightModel, prepare_document, prepared_document
from towpath.stages.support.prepared_documents import MAX_BYTES

FILES = sorted((Path(__file__).parents[3] / "data" / "chunk_manifest" / "files").iterdir())
DOCUMENT_ID = "00000000-0000-5000-8000-000000000002"
OCR = OcrSettings("off")


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_the_prepared_chunks_fields_and_words_are_those_of_the_stages(path: Path, tmp_path: Path) -> None:
    media_type = detect_file(path, path.name).media_type
    reading = read_file(str(path), media_type, OCR, quiet)

    ready = prepared_document(reading.markdown, prepare_document(reading, DOCUMENT_ID, path.name))

    assert ready is not None
    content = tmp_path / "content.md"
    content.write_bytes(reading.markdown)
    chunks_body, fields_body, summary = chunk_file(reading.extraction, str(content), DOCUMENT_ID, path.name)
    assert (ready.chunks_body, ready.fields_body, ready.summary) == (chunks_body, fields_body, summary)
    chunks = decode_chunks(chunks_body, reading.markdown)
    assert ready.chunks() == chunks
    texts = [(chunk_rowid(chunk.id), chunk.text, chunk.anchor.heading_path) for chunk in chunks]
    values = [field.value for field in decode_fields(fields_body)]
    words = index_words(DOCUMENT_ID, path.name, summary, texts, values)
    assert (ready.words.chunks, ready.words.length, ready.words.header) == (
        words.chunks,
        words.length,
        words.header,
    )
    assert list(ready.words.pages) == list(words.pages)


async def run_here(function: Callable[[list[str]], Vectors], texts: list[str], /) -> Vectors:
    return function(texts)


def test_the_vectors_are_those_of_the_embedder() -> None:
    embedder = FastEmbedder(run_here)
    light_model = LightModel(embedder.model, Continuation.of(embedder.function))
    reading = encode_extraction(Extraction("# Weir\n\nThe weir was inspected in May.\n", "test"))

    ready = prepared_document(
        reading.markdown, prepare_document(reading, DOCUMENT_ID, "a.md", light_model), light_model
    )

    assert ready is not None
    texts = [searchable_text(chunk.anchor.heading_path, chunk.text) for chunk in ready.chunks()]
    vectors = ready.vectors_of(embedder)
    assert vectors is not None
    assert np.array_equal(vectors, embed_fast(texts))
    assert ready.vectors_of(MultilingualEmbedder(run_here)) is None


@pytest.mark.parametrize("markdown", [b"", b" \n\t", b"x" * (MAX_BYTES + 1)])
def test_an_empty_or_long_text_is_not_prepared(markdown: bytes) -> None:
    assert prepare_document(EncodedExtraction(b"not read", markdown), DOCUMENT_ID, "a.md") is None


def fail(_reading: EncodedExtraction, message: str) -> object:
    raise ValueError(message)


def test_a_file_is_read_although_its_preparation_fails(tmp_path: Path) -> None:
    path = tmp_path / "note.md"
    path.write_text("# Weir\n\nThe weir was inspected.\n", encoding="utf-8")

    reading, continued = read_and_continue(
        str(path), "text/markdown", OCR, Continuation.of(fail, "a bad chunk"), quiet
    )

    expected = read_file(str(path), "text/markdown", OCR, quiet)
    assert (reading, continued) == ((expected.extraction, expected.markdown), None)
