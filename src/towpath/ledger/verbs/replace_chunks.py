"""Replaces the chunks of a document. A chunk whose text did not change keeps its row, id and connections.

On Postgres a batch of rows is one statement with binary arrays. Inserting a vector into an HNSW index takes 5 to 50
milliseconds, so a large publication leaves that to `index_vectors`, after the commit: until then the dimension of
the rows is null, which keeps them out of the index, and search compares them one by one.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from sqlalchemy import bindparam, delete, insert, select, update

from towpath.ledger.columns import to_json
from towpath.ledger.database import Transaction
from towpath.ledger.tables import chunks
from towpath.model.codec import anchor_json
from towpath.model.content import Chunk
from towpath.model.ids import chunk_rowid
from towpath.model.writes import Publish

_c = chunks.c
_STORED = select(_c.id, _c.ordinal, _c.anchor, _c.model).where(_c.document_id == bindparam("document"))
_INSERT = insert(chunks)

#: Rows sent in one statement; SQLite allows 32,766 parameters in one.
_BATCH = 500
#: Up to this many new or moved vectors are put into the index by the publishing transaction itself.
MAX_INDEXED_AT_ONCE = 100


def replace_chunks(tx: Transaction, org_id: str, document_id: str, new: Publish) -> dict[str, int]:
    """Replace the chunks of a document; the numbers of chunks added, kept and removed."""
    stored = {str(row.id): row for row in tx.fetch(_STORED, document=document_id)}
    new_ids = {chunk.id for chunk in new.chunks}
    for batch in _batches(sorted(stored.keys() - new_ids)):
        tx.connection.execute(delete(chunks).where(_c.id.in_(batch)))
    added: list[dict[str, object]] = []
    embedded: list[dict[str, object]] = []
    moved: list[dict[str, object]] = []
    for chunk, vector in zip(new.chunks, new.vectors, strict=True):
        known = stored.get(chunk.id)
        position: dict[str, object] = {
            "id": chunk.id,
            "ordinal": chunk.ordinal,
            "anchor": anchor_json(chunk.anchor),
        }
        if known is None:
            added.append(_row(chunk) | position | {"vector": vector})
            continue
        if (known.ordinal, to_json(known.anchor)) != (position["ordinal"], position["anchor"]):
            moved.append(position)
        if known.model != new.model:
            embedded.append({"id": chunk.id, "vector": vector})
    common: dict[str, Any] = {"org_id": org_id, "document_id": document_id, "model": new.model}
    dimension = new.vectors.shape[1]
    if tx.dialect == "postgres":
        indexed = len(added) + len(embedded) + len(moved) <= MAX_INDEXED_AT_ONCE
        common["dimension"] = dimension if indexed else None
        _write_postgres(tx, common, added, moved, embedded)
    else:
        common["dimension"] = dimension
        _write_sqlite(tx, common, added, moved, embedded)
    return {
        "added": len(added),
        "kept": len(new.chunks) - len(added),
        "removed": len(stored.keys() - new_ids),
    }


def _row(chunk: Chunk) -> dict[str, object]:
    return {"number": chunk_rowid(chunk.id), "text": chunk.text, "tokens": chunk.tokens}


Rows = Sequence[dict[str, Any]]


def _write_postgres(
    tx: Transaction, common: dict[str, Any], added: Rows, moved: Rows, embedded: Rows
) -> None:
    # Imports psycopg, which SQLite does not need.
    from towpath.ledger.postgres import chunk_batches

    if moved:
        # All at once: the constraint on ordinals is checked at the end of the statement.
        chunk_batches.move_chunks(tx, moved, indexed=common["dimension"] is not None)
    for batch in _batches(embedded):
        chunk_batches.update_vectors(tx, common, batch)
    for batch in _batches(added):
        chunk_batches.insert_chunks(tx, common, batch)


def _write_sqlite(tx: Transaction, common: dict[str, Any], added: Rows, moved: Rows, embedded: Rows) -> None:
    # SQLite checks unique ordinals row by row, so the old ones are put out of the way first.
    for batch in _batches([row["id"] for row in moved]):
        tx.connection.execute(update(chunks).where(_c.id.in_(batch)).values(ordinal=-1 - _c.ordinal))
    for row in moved:
        values = {"ordinal": row["ordinal"], "anchor": row["anchor"]}
        tx.connection.execute(update(chunks).where(_c.id == row["id"]).values(**values))
    for row in embedded:
        values = {"vector": row["vector"], "model": common["model"], "dimension": common["dimension"]}
        tx.connection.execute(update(chunks).where(_c.id == row["id"]).values(**values))
    for batch in _batches(added):
        tx.write(_INSERT, [row | common for row in batch])


def index_vectors(tx: Transaction, limit: int) -> int:
    """Put up to ``limit`` published vectors into the index of their dimension; how many there were."""
    return len(tx.run("index_vectors", limit=limit)) if tx.dialect == "postgres" else 0


def _batches(items: Sequence[Any]) -> Iterable[Sequence[Any]]:
    return (items[start : start + _BATCH] for start in range(0, len(items), _BATCH))
