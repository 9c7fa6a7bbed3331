"""Puts the generated collection into a database, as if it had been processed."""

from __future__ import annotations

import sys
import uuid
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from itertools import islice

from bench.search.corpus import CHUNKS_PER_DOCUMENT, MadeChunk
from towpath.ledger.database import Database, Transaction
from towpath.ledger.tables import chunks, documents
from towpath.model.ids import HOME_ORG, chunk_number
from towpath.providers.local.embedder import LocalEmbedder

THEN = datetime(2026, 1, 1, tzinfo=UTC)
_SPACE = uuid.UUID("6f8c1f0e-5d0c-5b52-9d2e-0c4f2f5f9a11")
_TOGETHER = 40 * CHUNKS_PER_DOCUMENT


def document_id(number: int) -> str:
    return str(uuid.uuid5(_SPACE, str(number)))


def fill(database: Database, made: Iterable[MadeChunk], total: int) -> None:
    """Whole documents, two thousand chunks in a transaction."""
    waiting = iter(made)
    written = 0
    while some := list(islice(waiting, _TOGETHER)):
        database.transact(lambda tx, some=some: write(tx, some))
        written += len(some)
        if written % (10 * _TOGETHER) == 0:
            print(f"filled {written:,} of {total:,}", file=sys.stderr, flush=True)


def write(tx: Transaction, made: Sequence[MadeChunk]) -> None:
    numbers = dict.fromkeys(one.document for one in made)
    tx.connection.execute(documents.insert(), [_document(number) for number in numbers])
    tx.connection.execute(chunks.insert(), [chunk(one) for one in made])


def chunk(made: MadeChunk) -> dict[str, object]:
    chunk_id = str(uuid.uuid5(_SPACE, f"{made.document}/{made.ordinal}/{made.text}"))
    return {
        "id": chunk_id,
        "number": chunk_number(chunk_id),
        "org_id": HOME_ORG,
        "document_id": document_id(made.document),
        "ordinal": made.ordinal,
        "text": made.text,
        "tokens": len(made.text) // 5,
        "anchor": {"heading_path": [made.heading], "page": made.ordinal + 1},
        "vector": made.vector,
        "model": LocalEmbedder.model,
        "dimension": len(made.vector),
    }


def _document(number: int) -> dict[str, object]:
    return {
        "id": document_id(number),
        "org_id": HOME_ORG,
        "kind": "document",
        "name": f"document {number}.pdf",
        "media_type": "application/pdf",
        "size": 1,
        "sha256": document_id(number),
        "blob_key": document_id(number),
        "status": "COMPLETED",
        "created_at": THEN,
        "updated_at": THEN,
    }
