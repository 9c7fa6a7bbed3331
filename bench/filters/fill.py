"""Fills a database with documents of one chunk each, submitted over a year; some have a tag."""

from __future__ import annotations

import random
import sys
import uuid
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta

import numpy as np

from bench.search.model_vectors import PrecomputedEmbedder
from towpath.ledger.database import Database, Transaction
from towpath.ledger.tables import chunks, document_tags, documents
from towpath.ledger.verbs.index_words import index_documents
from towpath.ledger.verbs.merge_words import read_merge, write_merged
from towpath.model.ids import DEFAULT_ORG_ID, chunk_rowid
from towpath.providers.contract import Vectors

START = datetime(2025, 1, 1, tzinfo=UTC)
#: Every tenth document has the tag; the range holds half of the year.
TAG, TAGGED = "audit", 10
RANGE = (START + timedelta(days=90), START + timedelta(days=272))
SENTENCES = 2
#: Documents of one transaction: Postgres ends one in which no statement is sent for 15 s, also on a busy machine.
_BATCH = 500
_NAMESPACE = uuid.UUID("0f2dd3b0-1f70-5a53-8a4e-93a4f0b9c7f1")


def fill(
    database: Database, count: int, pool: Sequence[str], vectors: Vectors, *, with_search: bool = True
) -> None:
    """Insert the documents; without ``with_search`` their chunks are neither stored nor indexed."""
    for first in range(0, count, _BATCH):
        numbers = range(first, min(count, first + _BATCH))
        database.transact(lambda tx, numbers=numbers: _write(tx, numbers, count, pool, vectors, with_search))
        if first % (20 * _BATCH) == 0:
            print(f"filled {first:,} of {count:,}", file=sys.stderr, flush=True)
    while (plan := database.transact(read_merge, read=True)) is not None:
        merged = plan.merge()
        database.transact(lambda tx, plan=plan, merged=merged: write_merged(tx, plan, merged))


def _write(
    tx: Transaction, numbers: range, count: int, pool: Sequence[str], vectors: Vectors, with_search: bool
) -> None:
    made = [(number, START + timedelta(days=365) * (number / count)) for number in numbers]
    chunk_rows = list(_chunks(numbers, pool, vectors))
    rows = [
        _document(number, created_at, chunk["vector"])
        for (number, created_at), chunk in zip(made, chunk_rows, strict=True)
    ]
    tx.connection.execute(documents.insert(), rows)
    tags = [
        {
            "document_id": _id(number),
            "tag": TAG,
            "org_id": DEFAULT_ORG_ID,
            "document_created_at": created_at,
        }
        for number, created_at in made
        if number % TAGGED == 0
    ]
    tx.connection.execute(document_tags.insert(), tags)
    if with_search:
        tx.connection.execute(chunks.insert(), chunk_rows)
        index_documents(tx, [_id(number) for number in numbers])


def _chunks(numbers: range, pool: Sequence[str], vectors: Vectors) -> Iterator[dict[str, object]]:
    for number in numbers:
        chosen = random.Random(number).sample(range(len(pool)), SENTENCES)
        mean = np.mean(vectors[chosen], axis=0)
        chunk_id = str(uuid.uuid5(_NAMESPACE, f"chunk {number}"))
        yield {
            "id": chunk_id,
            "number": chunk_rowid(chunk_id),
            "org_id": DEFAULT_ORG_ID,
            "document_id": _id(number),
            "ordinal": 0,
            "text": " ".join(pool[index] for index in chosen),
            "tokens": 60,
            "anchor": {"page": 1},
            "vector": np.asarray(mean / np.linalg.norm(mean), np.float32),
            "model": PrecomputedEmbedder.model,
            "dimension": PrecomputedEmbedder.dimension,
        }


def _document(number: int, created_at: datetime, vector: object) -> dict[str, object]:
    return {
        "id": _id(number),
        "org_id": DEFAULT_ORG_ID,
        "kind": "document",
        "name": f"document {number}.pdf",
        "media_type": "application/pdf",
        "size": 1_000 + number,
        "sha256": _id(number),
        "blob_key": _id(number),
        "status": "COMPLETED",
        "published_run_id": _id(number),
        "summary": {"title": f"Document {number}", "language": "en", "pages": 1},
        "vector": vector,
        "vector_model": PrecomputedEmbedder.model,
        "collection": f"collection {number % 20}",
        "created_at": created_at,
        "updated_at": created_at,
    }


def _id(number: int) -> str:
    return str(uuid.uuid5(_NAMESPACE, str(number)))
