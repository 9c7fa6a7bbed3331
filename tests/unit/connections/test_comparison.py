"""Pairs of passages with every embedding model: copies are found among look-alikes, and unrelated texts are not."""

from __future__ import annotations

import numpy as np
import pytest

from tests.support.books import CHAPTERS, read_book
from towpath.connections.comparison import NEIGHBOURS, Scored, Work, score
from towpath.connections.features import TermCounts
from towpath.connections.store import DocumentChunks
from towpath.model.writes import DocumentPublication
from towpath.providers.contract import Vectors

MODELS = ("use-multilingual-3", "wordllama-256", "minilm-l6-int8", "text-embedding-3-small")


def _chunks(name: str, texts: list[str], vectors: Vectors, model: str) -> DocumentChunks:
    ids = [f"{name}-{number:03d}" for number in range(len(texts))]
    return DocumentChunks(DocumentPublication(name, None), model, ids, texts, vectors, {})


def _unit(vectors: Vectors) -> Vectors:
    return (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)


def _compare(document: DocumentChunks, others: list[DocumentChunks], chunks: int) -> Scored:
    """Compares every chunk with all others, as if all were candidates."""
    every = frozenset(chunk_id for other in others for chunk_id in other.ids)
    vectors = np.concatenate([other.vectors for other in others])
    similarities = [
        sorted((vectors @ vector).tolist(), reverse=True)[:NEIGHBOURS] for vector in document.vectors
    ]
    pairs = dict.fromkeys(document.ids, every)
    counts = TermCounts(chunks, {})
    return score(Work(document, similarities, others, pairs, counts))


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("background", [0.0, 0.5, 0.9])
def test_equal_passages_are_found_among_look_alikes(model: str, background: float) -> None:
    """All vectors of such a library are similar, as with OpenAI and invoices of one sender."""
    rng = np.random.default_rng(1)
    common = rng.normal(size=64)
    texts = [chapter.first for chapter in CHAPTERS][:12]

    def embed(count: int) -> Vectors:
        noise = rng.normal(size=(count, 64))
        return _unit(np.sqrt(background) * common + np.sqrt(1 - background) * noise)

    vectors = embed(len(texts))
    invoices = [
        _chunks(
            f"invoice {number:03d}", [f"Invoice {number} of the mill for {number * 7} sacks"], embed(1), model
        )
        for number in range(40)
    ]
    copy = _chunks("copy", texts, vectors, model)
    found = _compare(_chunks("document", texts, vectors, model), [copy, *invoices], 300).connections
    assert set(found) == {"copy"}
    pairs = {tuple(name.rsplit("-", 1)[1] for name in (c.a_chunk_id, c.b_chunk_id)) for c in found["copy"]}
    assert {(f"{number:03d}", f"{number:03d}") for number in range(len(texts))} <= pairs
    assert all(connection.kind == "quotation" for connection in found["copy"] if connection.similarity > 0.99)


@pytest.mark.parametrize("model", MODELS)
def test_unrelated_passages_are_not_connected(model: str) -> None:
    texts = list(read_book("unrelated_passages").unrelated)
    rng = np.random.default_rng(2)
    vectors = _unit(rng.normal(size=(len(texts), 64)).astype(np.float32))
    half = len(texts) // 2
    one = _chunks("one", texts[:half], vectors[:half], model)
    other = _chunks("other", texts[half:], vectors[half:], model)
    assert _compare(one, [other], len(texts)).connections == {}


def test_a_shared_identifier_connects_short_passages_of_different_wording() -> None:
    vectors = _unit(np.array([[1.0, 0.2, 0.0], [1.0, 0.0, 0.2]], np.float32))
    one = _chunks(
        "letter",
        ["With regard to your order 990-4711-B of last week we are sorry for the delay."],
        vectors[:1],
        "x",
    )
    other = _chunks(
        "note", ["The delay of order 990-4711-B was caused by the lock at the mill."], vectors[1:], "x"
    )
    (connection,) = _compare(one, [other], 50).connections["note"]
    assert connection.kind == "same_entity"
    assert connection.shared_identifiers == ["990-4711-B"]
    assert "delay" in connection.shared_terms


def test_the_same_licence_in_two_documents_is_no_connection() -> None:
    licence = (
        "This program is distributed in the hope that it will be useful, but without any warranty; without even the "
        "implied warranty of merchantability or fitness for a particular purpose."
    )
    vectors = _unit(np.array([[1.0, 0.2, 0.0]], np.float32))
    one = _chunks("canal handbook", [f"The canal handbook. {licence}"], vectors, "x")
    other = _chunks("bee keeping", [f"Keeping bees in the garden. {licence}"], vectors, "x")
    assert _compare(one, [other], 50).connections == {}
