"""Reads the passages that are shown; the same on both engines."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import select

from towpath.ledger.columns import to_json
from towpath.ledger.database import Transaction
from towpath.ledger.tables import chunks, documents
from towpath.search.contract import Passage, Scope


def read_passages(tx: Transaction, scope: Scope, numbers: Sequence[int]) -> dict[int, Passage]:
    if not numbers:
        return {}
    wanted = (
        select(
            chunks.c.number,
            chunks.c.id,
            chunks.c.org_id,
            chunks.c.document_id,
            documents.c.name,
            documents.c.kind,
            chunks.c.text,
            chunks.c.anchor,
            chunks.c.ordinal,
        )
        .join_from(chunks, documents, documents.c.id == chunks.c.document_id)
        .where(chunks.c.number.in_(numbers))
    )
    return {
        row.number: Passage(
            row.number,
            row.id,
            row.document_id,
            row.name,
            row.kind,
            row.text,
            to_json(row.anchor),
            row.ordinal,
        )
        for row in tx.connection.execute(wanted)
        # Asked for in SQL, SQLite prefers the index of the organization and reads all of it (150 ms).
        if row.org_id == scope.org_id
    }
