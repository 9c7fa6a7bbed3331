"""Database triggers that record every update of a job or provider call with the process that wrote it.

Every database session of a drill's worker carries its process id. A write under a lease epoch is allowed
only for the process that holds the lease of that epoch.
"""

from __future__ import annotations

import sqlite3
from typing import Any

from sqlalchemy import Row, event, text

from towpath.ledger.database import Database
from towpath.ledger.sqlite.database import SqliteDatabase

_TABLES = """
create table audit_jobs (
  id integer primary key, job_id text, old_epoch integer, new_epoch integer,
  old_status text, new_status text, holder text, writer text
);
create table audit_calls (
  id integer primary key, call_id text, old_epoch integer, new_epoch integer,
  old_status text, new_status text, old_answered text, new_answered text, holder text, writer text
);
"""

_HOLDER = """
select locked_by from document_processing_jobs
where id = new.job_id and lease_epoch = new.lease_epoch and status = 'PROCESSING'
"""

_JOB = """
insert into audit_jobs (job_id, old_epoch, new_epoch, old_status, new_status, holder, writer)
values (old.id, old.lease_epoch, new.lease_epoch, old.status, new.status, old.locked_by, {writer});
"""

_CALL = """
insert into audit_calls (
  call_id, old_epoch, new_epoch, old_status, new_status, old_answered, new_answered, holder, writer
)
values (
  old.id, old.lease_epoch, new.lease_epoch, old.status, new.status, old.answered_at, new.answered_at,
  ({holder}), {writer}
);
"""

#: (old status, new status, increase of the epoch) of every allowed change, and the verb that makes it.
_ALLOWED = {
    ("PENDING", "PROCESSING", 1): "claim",
    ("PENDING", "PENDING", 0): "wake_next",
    ("PROCESSING", "PROCESSING", 0): "heartbeat or progress",
    ("PROCESSING", "COMPLETED", 0): "advance or finish",
    ("PROCESSING", "PENDING", 0): "fail, suspend or release",
    ("PROCESSING", "FAILED", 0): "fail",
    ("PROCESSING", "PENDING", 1): "rescue",
    ("PROCESSING", "FAILED", 1): "rescue",
    ("PROCESSING", "CANCELLED", 1): "cancel or time out",
    ("PENDING", "CANCELLED", 1): "cancel or time out",
}


def signed_url(url: str, writer: str) -> str:
    """The URL of a Postgres database whose sessions carry ``writer``."""
    return f"{url}{'&' if '?' in url else '?'}options=-c%20drill.writer%3D{writer}"


def sign_sqlite(database: SqliteDatabase, writer: str) -> None:
    """Add a SQL function ``writer()`` to every connection of this database, for the audit triggers."""

    def sign(connection: sqlite3.Connection, _entry: object) -> None:
        connection.create_function("writer", 0, lambda: writer)

    event.listen(database.engine, "connect", sign)


def install_audit(database: Database) -> None:
    """Create the audit tables and triggers in this database."""
    on_postgres = database.dialect == "postgres"
    writer = "current_setting('drill.writer', true)" if on_postgres else "writer()"
    watched = {
        "document_processing_jobs": _JOB.format(writer=writer),
        "provider_calls": _CALL.format(writer=writer, holder=_HOLDER),
    }
    statements = [part for part in _TABLES.split(";") if part.strip()]
    if on_postgres:
        statements = [
            part.replace("id integer primary key", "id bigserial primary key") for part in statements
        ]
    for table, insert in watched.items():
        if on_postgres:
            body = f"$$ begin {insert} return null; end $$"
            # Security definer: the role that writes for one organization has no rights on the audit tables.
            kind = "returns trigger language plpgsql security definer"
            statements.append(f"create function audit_{table}() {kind} as {body}")
            statements.append(
                f"create trigger audit after update on {table} for each row execute function audit_{table}()"
            )
        else:
            statements.append(f"create trigger audit_{table} after update on {table} begin {insert} end")

    def create(connection: Any) -> None:
        for statement in statements:
            connection.exec_driver_sql(statement)

    database.transact(lambda tx: create(tx.connection))


def clear_audit(database: Database) -> None:
    for table in ("audit_jobs", "audit_calls"):
        database.transact(lambda tx, table=table: tx.connection.exec_driver_sql(f"delete from {table}"))


def lease_violations(database: Database) -> list[str]:
    """Every recorded change that the holder of the lease did not make, described in words; empty if none."""
    jobs = _rows(database, "select * from audit_jobs order by id")
    calls = _rows(database, "select * from audit_calls order by id")
    return [
        *(f"job {row.job_id} {_describe(row)}" for row in jobs if not _is_allowed_job_change(row)),
        *(f"call {row.call_id} {_describe(row)}" for row in calls if not _is_allowed_call_change(row)),
    ]


def _describe(row: Row[Any]) -> str:
    return (
        f"went from {row.old_status} (epoch {row.old_epoch}) to {row.new_status} (epoch {row.new_epoch}): "
        f"written by process {row.writer}, while its lease was held by {row.holder or 'nobody'}"
    )


def audited_change_count(database: Database) -> int:
    return int(
        _rows(database, "select (select count(*) from audit_jobs) + (select count(*) from audit_calls)")[0][0]
    )


def answered_twice(database: Database) -> int:
    """The number of provider calls whose answer was written more than once."""
    query = """
    select call_id from audit_calls
    where new_status = 'ANSWERED' and (old_status <> 'ANSWERED' or old_answered <> new_answered)
    group by call_id having count(*) > 1
    """
    return len(_rows(database, query))


def _is_allowed_job_change(row: Row[Any]) -> bool:
    if (row.old_status, row.new_status, row.new_epoch - row.old_epoch) not in _ALLOWED:
        return False
    under_a_lease = row.old_status == "PROCESSING" and row.new_epoch == row.old_epoch
    return not under_a_lease or _is_worker_process(row.holder, row.writer)


def _is_allowed_call_change(row: Row[Any]) -> bool:
    if row.old_status == "ANSWERED":
        # Only the count of its reuses may change.
        return row.new_status == "ANSWERED" and row.old_answered == row.new_answered
    return _is_worker_process(row.holder, row.writer)


def _is_worker_process(worker: str | None, pid: str | None) -> bool:
    """Workers are named host:pid:serial."""
    return worker is not None and pid is not None and worker.split(":")[-2] == pid


def _rows(database: Database, query: str) -> list[Row[Any]]:
    return database.transact(lambda tx: list(tx.connection.execute(text(query)).all()), read=True)
