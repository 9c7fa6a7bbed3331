"""Prepared documents are found only by the stored results that belong to them."""

from __future__ import annotations

from typing import Any

import pytest

from towpath.model.writes import EncodedSegment
from towpath.stages.support.prepared_documents import MAX_DOCUMENTS, PreparedDocument, PreparedDocuments

TEXT: dict[str, object] = {"extraction": "inline:abc", "markdown": "orgs/1/content-1.md"}
CHUNKED: dict[str, object] = {
    "chunks": "inline:chunks",
    "fields": "inline:fields",
    "summary": {"chunks": 2},
    "content": "orgs/1/content-1.md",
}
DOCUMENT = PreparedDocument(b"text", b"[]", b"[]", {"chunks": 2}, EncodedSegment(0, 0, b"", ()))


@pytest.fixture
def prepared() -> PreparedDocuments:
    documents = PreparedDocuments()
    documents.put("run", TEXT, DOCUMENT)
    return documents


def test_a_document_is_found_by_the_result_of_extract(prepared: PreparedDocuments) -> None:
    assert prepared.find_by_text("run", {**TEXT, "calls": {"made": 1}}) is DOCUMENT


@pytest.mark.parametrize("changed", [{"extraction": "other"}, {"markdown": "other"}])
def test_a_document_is_not_found_by_another_text(prepared: PreparedDocuments, changed: Any) -> None:
    assert prepared.find_by_text("run", {**TEXT, **changed}) is None
    assert prepared.find_by_text("other run", TEXT) is None


def test_a_text_of_an_early_version_without_these_keys_finds_nothing() -> None:
    prepared = PreparedDocuments()
    prepared.put("run", {}, DOCUMENT)
    assert prepared.find_by_text("run", {}) is None


def test_chunks_that_another_stage_made_find_nothing(prepared: PreparedDocuments) -> None:
    assert prepared.find_by_chunks("run", CHUNKED) is None


def test_a_document_is_found_by_the_result_of_chunk(prepared: PreparedDocuments) -> None:
    prepared.set_chunks("run", CHUNKED)
    assert prepared.find_by_chunks("run", dict(CHUNKED)) is DOCUMENT


@pytest.mark.parametrize("name", sorted(CHUNKED))
def test_a_document_is_not_found_by_another_result_of_chunk(prepared: PreparedDocuments, name: str) -> None:
    prepared.set_chunks("run", CHUNKED)
    assert prepared.find_by_chunks("run", {**CHUNKED, name: "other"}) is None


def test_another_text_of_the_same_run_replaces_the_document(prepared: PreparedDocuments) -> None:
    prepared.set_chunks("run", CHUNKED)
    prepared.put("run", {**TEXT, "extraction": "other"}, DOCUMENT)
    assert prepared.find_by_text("run", TEXT) is None
    assert prepared.find_by_chunks("run", CHUNKED) is None


def test_the_oldest_documents_are_forgotten(prepared: PreparedDocuments) -> None:
    for number in range(MAX_DOCUMENTS):
        prepared.put(f"run {number}", TEXT, DOCUMENT)
    assert prepared.find_by_text("run", TEXT) is None
    assert prepared.find_by_text("run 0", TEXT) is DOCUMENT


def test_a_removed_document_is_not_found(prepared: PreparedDocuments) -> None:
    prepared.remove("run")
    prepared.remove("run")
    prepared.set_chunks("run", CHUNKED)
    assert prepared.find_by_text("run", TEXT) is None
