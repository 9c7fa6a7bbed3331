"""Reads the passages that are shown; the same on both engines."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import bindparam, select

from towpath.ledger.columns import to_json
from towpath.ledger.database import Transaction
from towpath.ledger.tables import chunks, documents
from towpath.search.contract import Passage, Scope

_WANTED = (
    select(
        chunks.c.number,
        chunks.c.id,
        chunks.c.document_id,
        documents.c.name,
        documents.c.kind,
        chunks.c.text,
        chunks.c.anchor,
        chunks.c.ordinal,
        chunks.c.org_id,
    )
    .join_from(chunks, documents, documents.c.id == chunks.c.document_id)
    .where(chunks.c.number.in_(bindparam("numbers", expanding=True)))
)

_TEXTS = select(chunks.c.number, chunks.c.text).where(
    chunks.c.number.in_(bindparam("numbers", expanding=True))
)


def read_texts(tx: Transaction, numbers: Sequence[int]) -> dict[int, str]:
    """For passages that were found in a scope already."""
    rows = tx.connection.execute(_TEXTS, {"numbers": list(numbers)}) if numbers else ()
    return {number: text for number, text in rows}


def read_passages(tx: Transaction, scope: Scope, numbers: Sequence[int]) -> dict[int, Passage]:
    if not numbers:
        return {}
    return {
        number: Passage(number, chunk_id, document_id, name, kind, text, to_json(anchor), ordinal)
        for number, chunk_id, document_id, name, kind, text, anchor, ordinal, org_id in tx.connection.execute(
            _WANTED, {"numbers": list(numbers)}
        )
        # Asked for in SQL, SQLite prefers the index of the organization and reads all of it (150 ms).
        if org_id == scope.org_id
    }
