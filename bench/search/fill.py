"""Inserts the generated collection into a database as processed documents."""

from __future__ import annotations

import sys
import uuid
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from itertools import islice

from bench.search.corpus import CHUNKS_PER_DOCUMENT, GeneratedChunk
from towpath.ledger.database import Database, Transaction
from towpath.ledger.tables import chunks, documents
from towpath.ledger.verbs.index_words import index_documents
from towpath.ledger.verbs.merge_words import read_merge, write_merged
from towpath.model.ids import DEFAULT_ORG_ID, chunk_rowid
from towpath.providers.local.embeddings.english import EnglishEmbedder

CREATED_AT = datetime(2026, 1, 1, tzinfo=UTC)
_ID_NAMESPACE = uuid.UUID("6f8c1f0e-5d0c-5b52-9d2e-0c4f2f5f9a11")
_CHUNKS_PER_TRANSACTION = 40 * CHUNKS_PER_DOCUMENT


def document_id(number: int) -> str:
    return str(uuid.uuid5(_ID_NAMESPACE, str(number)))


def fill(database: Database, generated: Iterable[GeneratedChunk], total: int) -> None:
    """Insert whole documents, 2,000 chunks per transaction."""
    remaining = iter(generated)
    written = 0
    while batch := list(islice(remaining, _CHUNKS_PER_TRANSACTION)):
        database.transact(lambda tx, batch=batch: write(tx, batch))
        written += len(batch)
        if written % (10 * _CHUNKS_PER_TRANSACTION) == 0:
            print(f"filled {written:,} of {total:,}", file=sys.stderr, flush=True)
    while (plan := database.transact(read_merge, read=True)) is not None:
        merged = plan.merge()
        database.transact(lambda tx, plan=plan, merged=merged: write_merged(tx, plan, merged))


def write(tx: Transaction, generated: Sequence[GeneratedChunk]) -> None:
    numbers = dict.fromkeys(item.document for item in generated)
    tx.connection.execute(documents.insert(), [_document(number) for number in numbers])
    tx.connection.execute(chunks.insert(), [chunk(item) for item in generated])
    index_documents(tx, [document_id(number) for number in numbers])


def chunk(generated: GeneratedChunk) -> dict[str, object]:
    chunk_id = str(uuid.uuid5(_ID_NAMESPACE, f"{generated.document}/{generated.ordinal}/{generated.text}"))
    return {
        "id": chunk_id,
        "number": chunk_rowid(chunk_id),
        "org_id": DEFAULT_ORG_ID,
        "document_id": document_id(generated.document),
        "ordinal": generated.ordinal,
        "text": generated.text,
        "tokens": len(generated.text) // 5,
        "anchor": {"heading_path": [generated.heading], "page": generated.ordinal + 1},
        "vector": generated.vector,
        "model": EnglishEmbedder.model,
        "dimension": len(generated.vector),
    }


def _document(number: int) -> dict[str, object]:
    return {
        "id": document_id(number),
        "org_id": DEFAULT_ORG_ID,
        "kind": "document",
        "name": f"document {number}.pdf",
        "media_type": "application/pdf",
        "size": 1,
        "sha256": document_id(number),
        "blob_key": document_id(number),
        "status": "COMPLETED",
        "created_at": CREATED_AT,
        "updated_at": CREATED_AT,
    }
