"""Writes the word index: the segment of a publication, of documents that are not indexed yet, and of a deletion."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

from sqlalchemy import delete, insert, or_, select, update

from towpath.ledger.columns import to_json
from towpath.ledger.database import Transaction
from towpath.ledger.tables import chunks, document_fields, documents, word_pages, word_segments
from towpath.model.writes import EncodedSegment
from towpath.text.analyzer import VERSION
from towpath.text.chunk_texts import chunk_texts
from towpath.text.word_index_segment import ChunkText, build_segment, encode_segment

_INSERT_SEGMENT = insert(word_segments).returning(word_segments.c.id)
_INSERT_PAGES = insert(word_pages)

#: Documents and chunks of one background transaction.
MAX_DOCUMENTS = 50
MAX_CHUNKS = 500


@dataclass(frozen=True, slots=True)
class IndexedDocument:
    """A document as it was read for the index; if another run published since, it is not written."""

    document_id: str
    org_id: str
    run_id: str | None
    chunks: Sequence[ChunkText]


def write_segment(
    tx: Transaction, org_id: str, segment: EncodedSegment, generation: int | None = None
) -> int:
    """Insert a segment; its id."""
    values = {
        "org_id": org_id,
        "generation": generation,
        "chunks": segment.chunks,
        "length": segment.length,
        "header": segment.header,
    }
    [inserted] = tx.fetch(_INSERT_SEGMENT, **values)
    segment_id = int(inserted.id)
    pages = [
        {
            "segment_id": segment_id,
            "page": page,
            "org_id": org_id,
            "postings": postings,
            "positions": positions,
        }
        for page, (postings, positions) in enumerate(segment.pages)
    ]
    tx.write(_INSERT_PAGES, pages)
    return segment_id


def remove_from_index(tx: Transaction, org_id: str, document_id: str) -> None:
    """Write a segment without chunks that names the document: older segments no longer answer for it."""
    write_segment(tx, org_id, encode_segment([], [], [], [], (), removed=[document_id]))


def read_unindexed(tx: Transaction, *, document_ids: Sequence[str] | None = None) -> list[IndexedDocument]:
    """Some published documents that are not in the index, or whose words were analyzed by an older version."""
    c = documents.c
    outdated = or_(c.words_version.is_(None), c.words_version < VERSION)
    query = select(c.id, c.org_id, c.published_run_id, c.name, c.summary)
    query = (
        query.where(outdated, c.published_run_id.is_not(None)).limit(MAX_DOCUMENTS)
        if document_ids is None
        else query.where(c.id.in_(document_ids))
    )
    found: list[IndexedDocument] = []
    total = 0
    for row in tx.connection.execute(query).all():
        run_id = None if row.published_run_id is None else str(row.published_run_id)
        rows = _chunk_rows(tx, str(row.id))
        values = _field_values(tx, str(row.id))
        texts = chunk_texts(str(row.id), str(row.name), to_json(row.summary), rows, values)
        found.append(IndexedDocument(str(row.id), str(row.org_id), run_id, texts))
        total += len(texts)
        if total >= MAX_CHUNKS and document_ids is None:
            break
    return found


def _chunk_rows(tx: Transaction, document_id: str) -> list[tuple[int, str, Sequence[str]]]:
    c = chunks.c
    query = select(c.number, c.text, c.anchor).where(c.document_id == document_id).order_by(c.ordinal)
    return [
        (int(number), str(text), cast("Sequence[str]", to_json(anchor).get("heading_path") or ()))
        for number, text, anchor in tx.connection.execute(query)
    ]


def _field_values(tx: Transaction, document_id: str) -> list[str]:
    c = document_fields.c
    # Values of schemas are words of the text already, and come after the document is indexed.
    query = select(c.value).where(c.document_id == document_id, c.schema.is_(None)).order_by(c.id)
    return [str(value) for value in tx.connection.scalars(query)]


def write_indexed(
    tx: Transaction, org_id: str, indexed: Sequence[IndexedDocument], segment: EncodedSegment
) -> None:
    """Write one segment for several documents; those that were published or deleted meanwhile are not in it."""
    c = documents.c
    current: list[IndexedDocument] = []
    # In one order, so that two workers with the same documents wait for each other.
    for item in sorted(indexed, key=lambda item: item.document_id):
        same_run = c.published_run_id == item.run_id if item.run_id else c.published_run_id.is_(None)
        changed = tx.connection.execute(
            update(documents).where(c.id == item.document_id, same_run).values(words_version=VERSION)
        )
        if changed.rowcount == 1:
            current.append(item)
    if len(current) < len(indexed):
        segment = build_segment(text for item in current for text in item.chunks)
    if current:
        write_segment(tx, org_id, segment)


def index_publication(tx: Transaction, org_id: str, document_id: str, words: EncodedSegment | None) -> None:
    """Index a document in the transaction that publishes it, after its row was updated and so is locked."""
    if words is None:
        index_documents(tx, [document_id])
        return
    write_segment(tx, org_id, words)


def index_documents(tx: Transaction, document_ids: Sequence[str]) -> None:
    """Index these documents now, in this transaction."""
    by_org: dict[str, list[IndexedDocument]] = {}
    for item in read_unindexed(tx, document_ids=document_ids):
        by_org.setdefault(item.org_id, []).append(item)
    for org_id, items in by_org.items():
        write_indexed(tx, org_id, items, build_segment(text for item in items for text in item.chunks))


def delete_segments(tx: Transaction, segment_ids: Sequence[int]) -> int:
    deleted = tx.connection.execute(delete(word_segments).where(word_segments.c.id.in_(segment_ids)))
    return deleted.rowcount
