"""move: everything a SQLite ledger knows, into an empty Postgres, in one transaction and with the same ids."""

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
    update,
)
from sqlalchemy.dialects.postgresql import JSONB, insert
from sqlalchemy.sql.elements import BindParameter, ColumnElement
from sqlalchemy.types import TypeDecorator

from towpath.errors import ConfigError, UserError
from towpath.ledger.columns import Json, Serial, readable
from towpath.ledger.database import Database, Transaction
from towpath.ledger.postgres.protection import COMMON, roles_of, standing
from towpath.ledger.tables import document_processing_jobs, metadata, organizations, processing_runs, workers
from towpath.ledger.verbs import rows
from towpath.ledger.verbs.resume import take_away
from towpath.model.ids import HOME_ORG
from towpath.model.work import JobStatus, RunState

#: Rows in memory at a time.
BATCH = 500
#: Whoever fills the target from elsewhere begins with one of these.
_BEGINNINGS = "organizations, api_keys, documents"
_IS_OWNER = text("select pg_has_role(relowner, 'usage') from pg_class where oid = 'chunks'::regclass")
_INDEXES = text("""
    select indexname, indexdef from pg_indexes
    where schemaname = current_schema() and tablename = 'chunks' and starts_with(indexname, 'ix_chunks_search_')
    order by indexname
""")
# A graph of vectors that does not fit is built slowly: 30,000 of 384 dimensions fill the usual 64 MB. Workers
# of its own would share memory that containers often lack, and the move would fail in the end.
_ROOM = text("""
    select set_config('max_parallel_maintenance_workers', '0', true), set_config('maintenance_work_mem',
      greatest(pg_size_bytes(current_setting('maintenance_work_mem')), 512 << 20) / 1024 || 'kB', true)
""")
_LET_GO = "The process ended before the stage did, and its work was moved to Postgres."


class _WrittenJson(TypeDecorator[str]):
    """Json in its own words: read as a value, json's null and SQL's could not be told apart."""

    impl = Text
    cache_ok = True

    def bind_expression(self, bindparam: BindParameter[str]) -> ColumnElement[Any]:
        return cast(bindparam, JSONB)


def check_target(tx: Transaction) -> None:
    """Refuse a target that is not empty, or where this role could not write everything."""
    stands = standing(tx.connection)
    if roles_of(tx.connection) is None:
        raise ConfigError(
            "The tables of the target are not bound to organizations. Run `towpath migrate` first."
        )
    if not stands.sees_all or not tx.connection.scalar(_IS_OWNER):
        raise ConfigError(
            f"The database role {stands.role} may not write all that is moved. "
            "Move as the role that ran `towpath migrate`."
        )
    for table in metadata.sorted_tables:
        others = table.c.id != HOME_ORG if table is organizations else text("true")
        # What workers know of providers is no one's property, and may be there before the first document.
        if table.name not in COMMON and tx.connection.scalar(
            select(exists().where(others).select_from(table))
        ):
            raise UserError(
                f"The target is not empty: there are rows in {table.name}. Nothing was moved. "
                "Name a database that holds nothing but what `towpath migrate` made."
            )


def carry(tx: Transaction, source: Database, now: datetime) -> Mapping[str, int]:
    """Copy every row and let go of what was being worked; answers how many rows each table has got."""
    tx.connection.exec_driver_sql(f"lock table {_BEGINNINGS} in share row exclusive mode")
    check_target(tx)
    # The organization that every migration makes; the source has its own.
    tx.connection.execute(delete(organizations))
    indexes = _without_indexes(tx.connection)
    counts = source.transact(partial(_copy_all, target=tx.connection), read=True)
    for index in indexes:
        tx.connection.exec_driver_sql(index)
    for table in _numbered():
        _count_on(tx.connection, table)
    _let_go(tx, now)
    # Search weighs words by the planner's statistics.
    tx.connection.exec_driver_sql(f"analyze {', '.join(metadata.tables)}")
    return counts


def _without_indexes(target: Connection) -> list[str]:
    """Take away what search is indexed by, and tell how it is made: all at once that takes a fraction."""
    target.execute(_ROOM)
    found = target.execute(_INDEXES).all()
    for index in found:
        target.exec_driver_sql(f"drop index {index.indexname}")
    return [index.indexdef for index in found]


def _copy_all(source: Transaction, target: Connection) -> dict[str, int]:
    return {
        table.name: _copy(source.connection, target, _as_written(table))
        for table in metadata.sorted_tables
        # Who worked for the folder does not come along.
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
    return {str(name): readable(value) if isinstance(value, str) else value for name, value in row.items()}


def _as_written(table: Table) -> Table:
    """The same table, with its json as text."""
    columns = (
        Column(column.name, _WrittenJson() if column.type is Json else column.type, key=column.key)
        for column in table.columns
    )
    return Table(table.name, MetaData(), *columns)


def _numbered() -> list[Table]:
    return [table for table in metadata.sorted_tables if "id" in table.c and table.c.id.type is Serial]


def _count_on(target: Connection, table: Table) -> None:
    """New rows are numbered after those that came along."""
    last = target.scalar(select(func.max(table.c.id)))
    if last is not None:
        target.execute(select(func.setval(_sequence(table), last)))


def _sequence(table: Table) -> ColumnElement[str]:
    return func.pg_get_serial_sequence(table.name, "id")


def _let_go(tx: Transaction, now: datetime) -> None:
    """Nobody works for the source any more: its jobs are due, and no clock of its runs ticks on."""
    jobs, runs = document_processing_jobs, processing_runs
    held = tx.connection.execute(select(jobs).where(jobs.c.status == JobStatus.PROCESSING)).all()
    for job in map(rows.job, held):
        take_away(tx, job, JobStatus.PENDING, job.crashes + 1, _LET_GO, now)
    tx.connection.execute(
        update(runs)
        .where(runs.c.state.in_([RunState.QUEUED, RunState.RUNNING]), runs.c.deadline_at.is_not(None))
        .values(deadline_at=None)
    )
