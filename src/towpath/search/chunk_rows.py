"""Reads the chunks of search hits with their document names; the same SQL on SQLite and Postgres."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import bindparam, select, text

from towpath.ledger.columns import to_json
from towpath.ledger.database import Transaction
from towpath.ledger.tables import chunks
from towpath.model.page_unit import with_page_unit
from towpath.model.speaker_name import with_speaker_name
from towpath.search.contract import ChunkRow, Scope

#: The columns of a chunk row, in the order of the parameters of `to_chunk_row`.
COLUMNS = (
    "chunks.number, chunks.id, chunks.document_id, documents.name, documents.kind, chunks.text, chunks.anchor, "
    "chunks.ordinal, documents.media_type, documents.speaker_names"
)

_SELECT_ROWS = text(
    f"select {COLUMNS}, chunks.org_id from chunks join documents on documents.id = chunks.document_id "
    "where chunks.number in :numbers"
).bindparams(bindparam("numbers", expanding=True))

_SELECT_TEXTS = select(chunks.c.number, chunks.c.text).where(
    chunks.c.number.in_(bindparam("numbers", expanding=True))
)


def read_texts(tx: Transaction, chunk_rowids: Sequence[int]) -> dict[int, str]:
    """The texts of chunks by row id. Does not check the organization: the caller searched inside a scope."""
    rows = tx.connection.execute(_SELECT_TEXTS, {"numbers": list(chunk_rowids)}) if chunk_rowids else ()
    return {rowid: text for rowid, text in rows}


def read_chunk_rows(tx: Transaction, scope: Scope, chunk_rowids: Sequence[int]) -> dict[int, ChunkRow]:
    if not chunk_rowids:
        return {}
    return {
        rowid: to_chunk_row(rowid, *rest)
        for rowid, *rest, org_id in tx.connection.execute(_SELECT_ROWS, {"numbers": list(chunk_rowids)})
        # Filtered here: with this condition in the SQL, SQLite scans the index of the organization (150 ms).
        if str(org_id) == scope.org_id
    }


def to_chunk_row(
    chunk_rowid: int,
    chunk_id: object,
    document_id: object,
    name: str,
    kind: str,
    text: str,
    anchor: object,
    ordinal: int,
    media_type: str,
    speaker_names: object,
) -> ChunkRow:
    """A chunk row from the values of `COLUMNS`, as either engine returns them."""
    place = with_speaker_name(with_page_unit(to_json(anchor), media_type), to_json(speaker_names))
    return ChunkRow(chunk_rowid, str(chunk_id), str(document_id), name, kind, text, place, ordinal)
