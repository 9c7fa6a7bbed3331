"""import-sqlite: copies all rows of a SQLite ledger into an empty Postgres database, in one transaction."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from functools import partial
from typing import Any

from sqlalchemy import (
    Column,
    Connection,
    MetaData,
    Table,
    Text,
    cast,
    delete,
    exists,
    func,
    select,
    text,
    true,
    update,
)
from sqlalchemy.dialects.postgresql import JSONB, insert
from sqlalchemy.sql.elements import BindParameter, ColumnElement
from sqlalchemy.types import TypeDecorator

from towpath.errors import ConfigError, UserError
from towpath.ledger.columns import Json, Serial, strip_unstorable
from towpath.ledger.database import Database, Transaction
from towpath.ledger.postgres.row_level_security import COMMON, role_access, roles_of
from towpath.ledger.tables import (
    audit,
    document_processing_jobs,
    metadata,
    organizations,
    processing_runs,
    workers,
)
from towpath.ledger.verbs import row_conversion
from towpath.ledger.verbs.revoke_lease import revoke_lease
from towpath.model.audit import AuditAction
from towpath.model.ids import DEFAULT_ORG_ID
from towpath.model.job import JobStatus
from towpath.model.run import RunState

#: Rows in memory at a time.
BATCH = 500
#: Any other writer of the target starts with one of these tables.
_ENTRY_TABLES = "organizations, api_keys, documents"
_IS_OWNER = text("select pg_has_role(relowner, 'usage') from pg_class where oid = 'chunks'::regclass")
_INDEXES = text("""
    select indexname, indexdef from pg_indexes
    where schemaname = current_schema() and tablename = 'chunks' and starts_with(indexname, 'ix_chunks_search_')
    order by indexname
""")
# A vector index that does not fit into memory is built slowly: 30,000 vectors of 384 dimensions fill the default
# 64 MB. Parallel workers need shared memory that containers often lack, and the import would fail at the end.
_INDEX_BUILD_SETTINGS = text("""
    select set_config('max_parallel_maintenance_workers', '0', true), set_config('maintenance_work_mem',
      greatest(pg_size_bytes(current_setting('maintenance_work_mem')), 512 << 20) / 1024 || 'kB', true)
""")
_REQUEUED = "The server stopped while this was running; its data was imported into Postgres."


class _WrittenJson(TypeDecorator[str]):
    """JSON copied as text: as a value, JSON null and SQL NULL could not be told apart."""

    impl = Text
    cache_ok = True

    def bind_expression(self, bindparam: BindParameter[str]) -> ColumnElement[Any]:
        return cast(bindparam, JSONB)


def check_target(tx: Transaction) -> None:
    """Raise an error if the target is not empty or this role cannot write all tables."""
    access = role_access(tx.connection)
    if roles_of(tx.connection) is None:
        raise ConfigError("The tables of the target have no row-level security. Run `towpath migrate` first.")
    if not access.sees_all or not tx.connection.scalar(_IS_OWNER):
        raise ConfigError(
            f"The database role {access.role} may not write all tables. "
            "Import with the role that ran `towpath migrate`."
        )
    for table in metadata.sorted_tables:
        others = _not_from_a_start(table)
        # Workers may have written throttles and registrations before the first document.
        if table.name not in COMMON and tx.connection.scalar(
            select(exists().where(others).select_from(table))
        ):
            raise UserError(
                f"The target is not empty: there are rows in {table.name}. Nothing was imported. "
                "Use an empty, migrated database."
            )


def _not_from_a_start(table: Table) -> ColumnElement[bool]:
    """The rows that a migration and the start of a server have not written."""
    if table is organizations:
        return table.c.id != DEFAULT_ORG_ID
    return table.c.action != AuditAction.SETTINGS_CHANGED if table is audit else true()


def copy_all(tx: Transaction, source: Database, now: datetime) -> Mapping[str, int]:
    """Copy every row and requeue unfinished jobs; return the number of rows per table."""
    tx.connection.exec_driver_sql(f"lock table {_ENTRY_TABLES} in share row exclusive mode")
    check_target(tx)
    # The organization that the migration created; the source has its own row.
    tx.connection.execute(delete(organizations))
    tx.connection.execute(delete(audit))
    indexes = _drop_search_indexes(tx.connection)
    counts = source.transact(partial(_copy_tables, target=tx.connection), read=True)
    for index in indexes:
        tx.connection.exec_driver_sql(index)
    for table in _numbered():
        _advance_sequence(tx.connection, table)
    _requeue_unfinished(tx, now)
    # Search estimates word frequencies from the planner's statistics.
    tx.connection.exec_driver_sql(f"analyze {', '.join(metadata.tables)}")
    return counts


def _drop_search_indexes(target: Connection) -> list[str]:
    """Drop the search indexes and return their definitions: building them after the copy is much faster."""
    target.execute(_INDEX_BUILD_SETTINGS)
    indexes = target.execute(_INDEXES).all()
    for index in indexes:
        target.exec_driver_sql(f"drop index {index.indexname}")
    return [index.indexdef for index in indexes]


def _copy_tables(source: Transaction, target: Connection) -> dict[str, int]:
    return {
        table.name: _copy(source.connection, target, _with_json_as_text(table))
        for table in metadata.sorted_tables
        # The workers of the data folder are not copied.
        if table is not workers
    }


def _copy(source: Connection, target: Connection, table: Table) -> int:
    statement = insert(table)
    if table.name in COMMON:
        statement = statement.on_conflict_do_nothing()
    copied = 0
    for batch in source.execute(select(table)).mappings().partitions(BATCH):
        target.execute(statement, [_row(row) for row in batch])
        copied += len(batch)
    return copied


def _row(row: Mapping[Any, Any]) -> dict[str, Any]:
    return {
        str(name): strip_unstorable(value) if isinstance(value, str) else value for name, value in row.items()
    }


def _with_json_as_text(table: Table) -> Table:
    """The same table with its JSON columns as text."""
    columns = (
        Column(column.name, _WrittenJson() if column.type is Json else column.type, key=column.key)
        for column in table.columns
        # Sealed with the key of the data folder: the target has another one.
        if column.name != "sealed_password"
    )
    return Table(table.name, MetaData(), *columns)


def _numbered() -> list[Table]:
    return [table for table in metadata.sorted_tables if "id" in table.c and table.c.id.type is Serial]


def _advance_sequence(target: Connection, table: Table) -> None:
    """Make the sequence continue after the copied rows."""
    last = target.scalar(select(func.max(table.c.id)))
    if last is not None:
        target.execute(select(func.setval(_sequence(table), last)))


def _sequence(table: Table) -> ColumnElement[str]:
    return func.pg_get_serial_sequence(table.name, "id")


def _requeue_unfinished(tx: Transaction, now: datetime) -> None:
    """Make PROCESSING jobs of the source due and remove run deadlines: no worker serves the source any more."""
    jobs, runs = document_processing_jobs, processing_runs
    held = tx.connection.execute(select(jobs).where(jobs.c.status == JobStatus.PROCESSING)).all()
    for job in map(row_conversion.job, held):
        revoke_lease(tx, job, JobStatus.PENDING, _REQUEUED, now, suspect=job.suspect)
    tx.connection.execute(
        update(runs)
        .where(runs.c.state.in_([RunState.QUEUED, RunState.RUNNING]), runs.c.deadline_at.is_not(None))
        .values(deadline_at=None)
    )
