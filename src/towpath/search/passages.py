"""Reads the passages that are shown; the same on both engines."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import bindparam, select, text

from towpath.ledger.columns import to_json
from towpath.ledger.database import Transaction
from towpath.ledger.tables import chunks
from towpath.search.contract import Passage, Scope

#: What a passage is made of, in the order in which `passage` takes it.
COLUMNS = (
    "chunks.number, chunks.id, chunks.document_id, documents.name, documents.kind, chunks.text, chunks.anchor, "
    "chunks.ordinal"
)

_WANTED = text(
    f"select {COLUMNS}, chunks.org_id from chunks join documents on documents.id = chunks.document_id "
    "where chunks.number in :numbers"
).bindparams(bindparam("numbers", expanding=True))

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
        number: passage(number, *rest)
        for number, *rest, org_id in tx.connection.execute(_WANTED, {"numbers": list(numbers)})
        # Asked for in SQL, SQLite prefers the index of the organization and reads all of it (150 ms).
        if str(org_id) == scope.org_id
    }


def passage(
    number: int,
    chunk_id: object,
    document_id: object,
    name: str,
    kind: str,
    text: str,
    anchor: object,
    ordinal: int,
) -> Passage:
    """A passage of a row of `COLUMNS`, as either engine gives it."""
    return Passage(number, str(chunk_id), str(document_id), name, kind, text, to_json(anchor), ordinal)
