"""connect: writes the connections of one document, only for the document versions that were compared."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import datetime
from typing import Any

from sqlalchemy import bindparam, delete, insert, select, union_all, update

from towpath.ledger.columns import dump, to_instant
from towpath.ledger.database import Transaction
from towpath.ledger.tables import chunk_profiles, connection_marks, connections
from towpath.model.ids import connection_id
from towpath.model.writes import (
    ChunkProfile,
    Connect,
    Connection,
    ConnectionDiff,
    DocumentPublication,
    MovedMark,
)

_connections = connections.c


def _stored_query(document: Any, other: Any) -> Any:
    c = _connections
    return select(c.id, c.a_chunk_id, c.b_chunk_id, other.label("other"), c.created_at).where(
        document == bindparam("document"), ~c.pinned, ~c.hidden
    )


# Built once: building a statement takes SQLAlchemy longer than SQLite takes to run it.
#: The connections of a document that are not pinned or hidden, with the other document.
_STORED = union_all(
    _stored_query(_connections.a_document_id, _connections.b_document_id),
    _stored_query(_connections.b_document_id, _connections.a_document_id),
)
_DELETE_CONNECTION = delete(connections).where(_connections.id == bindparam("connection"))
_DELETE_PROFILE = delete(chunk_profiles).where(chunk_profiles.c.chunk_id == bindparam("chunk"))
_INSERT_PROFILE = insert(chunk_profiles)

#: Rows per statement; SQLite allows 32,766 parameters in one.
_BATCH = 500


def connect(tx: Transaction, org_id: str, write: Connect, claimed_at: datetime | None) -> None:
    """Write the connections that a job found, which was claimed at ``claimed_at``.

    Lock the documents first, so that no chunk is deleted before its connection is written.
    """
    document_ids = sorted({write.document.document_id, *(diff.other.document_id for diff in write.diffs)})
    published_runs = {
        str(row.id): None if row.published_run_id is None else str(row.published_run_id)
        for row in tx.run("lock_documents", documents=dump(document_ids), org_id=org_id)
    }
    if not _is_current(published_runs, write.document):
        return
    current = [diff for diff in write.diffs if _is_current(published_runs, diff.other)]
    for diff in current:
        for moved in diff.moved_marks:
            _move_mark(tx, moved, write)
    _delete_outdated(tx, write.document.document_id, current, claimed_at)
    rows = [_row(connection) for diff in current for connection in diff.connections]
    _save_profiles(tx, org_id, write.profiles)
    if rows:
        tx.run("connect", rows=dump(rows), org_id=org_id, now=write.at)


def _row(connection: Connection) -> dict[str, object]:
    return {
        "id": connection_id(connection.a_chunk_id, connection.b_chunk_id),
        "a": connection.a_chunk_id,
        "b": connection.b_chunk_id,
        "score": connection.score,
        "kind": connection.kind,
        "similarity": connection.similarity,
        "shared_terms": list(connection.shared_terms),
        "shared_identifiers": list(connection.shared_identifiers),
    }


def _save_profiles(tx: Transaction, org_id: str, profiles: Mapping[str, ChunkProfile]) -> None:
    chunk_ids = sorted(profiles)
    tx.write(_DELETE_PROFILE, [{"chunk": chunk_id} for chunk_id in chunk_ids])
    for start in range(0, len(chunk_ids), _BATCH):
        batch = chunk_ids[start : start + _BATCH]
        rows = [{"chunk_id": chunk_id, "org_id": org_id, **asdict(profiles[chunk_id])} for chunk_id in batch]
        tx.write(_INSERT_PROFILE, rows)


def _is_current(published_runs: dict[str, str | None], version: DocumentPublication) -> bool:
    return version.document_id in published_runs and published_runs[version.document_id] == version.run_id


def _delete_outdated(
    tx: Transaction, document_id: str, diffs: Sequence[ConnectionDiff], claimed_at: datetime | None
) -> None:
    """Delete the stored connections of the compared documents that no longer hold and are not pinned or hidden.

    A connection that was created after the job was claimed is kept: the job of the other document found it at the same
    time, and this job may not have it among its candidates. Editions have one connection: the jobs of both may have
    found it between different passages, and the later one replaces the other.
    """
    valid = {
        diff.other.document_id: {
            (connection.a_chunk_id, connection.b_chunk_id) for connection in diff.connections
        }
        for diff in diffs
    }
    if not valid:
        return
    editions = {
        diff.other.document_id
        for diff in diffs
        if any(connection.kind == "edition" for connection in diff.connections)
    }
    outdated = sorted(
        str(row.id)
        for row in tx.fetch(_STORED, document=document_id)
        if str(row.other) in valid
        and (str(row.a_chunk_id), str(row.b_chunk_id)) not in valid[str(row.other)]
        and (claimed_at is None or to_instant(row.created_at) <= claimed_at or str(row.other) in editions)
    )
    tx.write(_DELETE_CONNECTION, [{"connection": connection} for connection in outdated])


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
