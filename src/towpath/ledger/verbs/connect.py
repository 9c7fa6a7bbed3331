"""Connections of one document with others: written for the versions that were compared, and no others."""

from __future__ import annotations

from sqlalchemy import and_, delete, or_, select, update

from towpath.ledger.columns import dump
from towpath.ledger.database import Transaction
from towpath.ledger.tables import connection_marks, connections
from towpath.model.ids import connection_id
from towpath.model.writes import Between, Carry, Connect, Connection, Version

_connections = connections.c


def connect(tx: Transaction, org_id: str, write: Connect) -> None:
    """Documents are taken first, so that nobody can take a chunk away before its connection stands."""
    wanted = sorted({write.document.document_id, *(one.other.document_id for one in write.between)})
    held = {
        str(row.id): None if row.published_run_id is None else str(row.published_run_id)
        for row in tx.run("hold_documents", documents=dump(wanted), org_id=org_id)
    }
    if not _is_current(held, write.document):
        return
    current = [one for one in write.between if _is_current(held, one.other)]
    rows: list[dict[str, object]] = []
    for one in current:
        for carry in one.carried:
            _carry(tx, carry, write)
        standing = _end_others(tx, write.document.document_id, one)
        rows += [_row(found) for found in one.found]
        rows += [row for row in map(_row, one.refreshed) if row["id"] in standing]
    if rows:
        tx.run("connect", rows=dump(rows), org_id=org_id, now=write.at)


def _row(found: Connection) -> dict[str, object]:
    return {
        "id": connection_id(found.a_chunk_id, found.b_chunk_id),
        "a": found.a_chunk_id,
        "b": found.b_chunk_id,
        "score": found.score,
        "kind": found.kind,
        "reason": found.reason,
    }


def _is_current(held: dict[str, str | None], version: Version) -> bool:
    return version.document_id in held and held[version.document_id] == version.run_id


def _end_others(tx: Transaction, document_id: str, one: Between) -> set[str]:
    """What is no longer found goes, unless a person decided something about it; answers what stands."""
    other = one.other.document_id
    c = _connections
    there = tx.connection.execute(
        select(c.id, c.a_chunk_id, c.b_chunk_id, or_(c.pinned, c.hidden).label("decided")).where(
            or_(
                and_(c.a_document_id == document_id, c.b_document_id == other),
                and_(c.a_document_id == other, c.b_document_id == document_id),
            )
        )
    ).all()
    over = sorted(
        str(row.id)
        for row in there
        if not row.decided and (str(row.a_chunk_id), str(row.b_chunk_id)) not in one.valid
    )
    for start in range(0, len(over), 500):
        some = over[start : start + 500]
        tx.connection.execute(
            delete(connections).where(
                _connections.id.in_(some),
                ~_connections.pinned,
                ~_connections.hidden,
            )
        )
    return {str(row.id) for row in there}.difference(over)


def _carry(tx: Transaction, carry: Carry, write: Connect) -> None:
    new = connection_id(carry.a_chunk_id, carry.b_chunk_id)
    marks = connection_marks.c
    old = tx.connection.execute(select(connection_marks).where(marks.id == carry.mark_id)).one_or_none()
    if old is None or new == carry.mark_id:
        return
    if tx.connection.execute(select(marks.id).where(marks.id == new)).one_or_none() is not None:
        # The new passage was decided about by itself: that is the later word.
        tx.connection.execute(delete(connection_marks).where(marks.id == carry.mark_id))
        return
    tx.connection.execute(
        update(connection_marks)
        .where(marks.id == carry.mark_id)
        .values(
            id=new,
            a_document_id=carry.a_document_id,
            b_document_id=carry.b_document_id,
            a_chunk_id=carry.a_chunk_id,
            b_chunk_id=carry.b_chunk_id,
            a_text=carry.a_text,
            b_text=carry.b_text,
            updated_at=write.at,
        )
    )
    tx.connection.execute(
        update(connections).where(_connections.id == new).values(pinned=old.pinned, hidden=old.hidden)
    )
