"""connect: writes the connections of one document, only for the document versions that were compared."""

from __future__ import annotations

from sqlalchemy import and_, delete, or_, select, update

from towpath.ledger.columns import dump
from towpath.ledger.database import Transaction
from towpath.ledger.tables import connection_marks, connections
from towpath.model.ids import connection_id
from towpath.model.writes import Connect, Connection, ConnectionDiff, DocumentVersion, MovedMark

_connections = connections.c


def connect(tx: Transaction, org_id: str, write: Connect) -> None:
    """Lock the documents first, so that no chunk is deleted before its connection is written."""
    document_ids = sorted({write.document.document_id, *(diff.other.document_id for diff in write.diffs)})
    published_runs = {
        str(row.id): None if row.published_run_id is None else str(row.published_run_id)
        for row in tx.run("lock_documents", documents=dump(document_ids), org_id=org_id)
    }
    if not _is_current(published_runs, write.document):
        return
    current = [diff for diff in write.diffs if _is_current(published_runs, diff.other)]
    rows: list[dict[str, object]] = []
    for diff in current:
        for moved in diff.moved_marks:
            _move_mark(tx, moved, write)
        remaining_ids = _delete_outdated(tx, write.document.document_id, diff)
        rows += [_row(connection) for connection in diff.connections]
        rows += [row for row in map(_row, diff.refreshed) if row["id"] in remaining_ids]
    if rows:
        tx.run("connect", rows=dump(rows), org_id=org_id, now=write.at)


def _row(connection: Connection) -> dict[str, object]:
    return {
        "id": connection_id(connection.a_chunk_id, connection.b_chunk_id),
        "a": connection.a_chunk_id,
        "b": connection.b_chunk_id,
        "score": connection.score,
        "kind": connection.kind,
        "reason": connection.reason,
    }


def _is_current(published_runs: dict[str, str | None], version: DocumentVersion) -> bool:
    return version.document_id in published_runs and published_runs[version.document_id] == version.run_id


def _delete_outdated(tx: Transaction, document_id: str, diff: ConnectionDiff) -> set[str]:
    """Delete connections that are no longer valid and not pinned or hidden; return the ids of the remaining ones."""
    other = diff.other.document_id
    c = _connections
    stored = tx.connection.execute(
        select(c.id, c.a_chunk_id, c.b_chunk_id, or_(c.pinned, c.hidden).label("marked")).where(
            or_(
                and_(c.a_document_id == document_id, c.b_document_id == other),
                and_(c.a_document_id == other, c.b_document_id == document_id),
            )
        )
    ).all()
    outdated = sorted(
        str(row.id)
        for row in stored
        if not row.marked and (str(row.a_chunk_id), str(row.b_chunk_id)) not in diff.valid
    )
    for start in range(0, len(outdated), 500):
        batch = outdated[start : start + 500]
        tx.connection.execute(
            delete(connections).where(
                _connections.id.in_(batch),
                ~_connections.pinned,
                ~_connections.hidden,
            )
        )
    return {str(row.id) for row in stored}.difference(outdated)


def _move_mark(tx: Transaction, moved: MovedMark, write: Connect) -> None:
    """Move a pin or hide to the chunk that replaced the marked one."""
    new = connection_id(moved.a_chunk_id, moved.b_chunk_id)
    marks = connection_marks.c
    old = tx.connection.execute(select(connection_marks).where(marks.id == moved.mark_id)).one_or_none()
    if old is None or new == moved.mark_id:
        return
    if tx.connection.execute(select(marks.id).where(marks.id == new)).one_or_none() is not None:
        # The connection of the new chunk has a mark already; that mark is newer and stays.
        tx.connection.execute(delete(connection_marks).where(marks.id == moved.mark_id))
        return
    tx.connection.execute(
        update(connection_marks)
        .where(marks.id == moved.mark_id)
        .values(
            id=new,
            a_document_id=moved.a_document_id,
            b_document_id=moved.b_document_id,
            a_chunk_id=moved.a_chunk_id,
            b_chunk_id=moved.b_chunk_id,
            a_text=moved.a_text,
            b_text=moved.b_text,
            updated_at=write.at,
        )
    )
    tx.connection.execute(
        update(connections).where(_connections.id == new).values(pinned=old.pinned, hidden=old.hidden)
    )
