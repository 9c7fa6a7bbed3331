"""Ledgers with one rule removed on purpose, to prove that the state machine tests detect it."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Generator, Sequence
from datetime import datetime
from unittest.mock import patch

from towpath.clock import ManualClock
from towpath.ledger import database
from towpath.ledger.contract.ledger import ClaimRequest
from towpath.ledger.database import Transaction
from towpath.ledger.sql_files import statements
from towpath.ledger.sql_ledger import SqlLedger
from towpath.ledger.verbs import queue_run
from towpath.model.job import ClaimedJob

#: The epoch comparison of each engine, by verb. SQLite's settling verbs share one in select_leased_jobs.sql.
FENCES = {
    "postgres": {
        **dict.fromkeys(
            ("heartbeat", "progress", "advance", "finish", "fail", "suspend", "release"),
            " and job.lease_epoch = item.epoch",
        ),
        "lock_leased_job": " and lease_epoch = %(epoch)s",
    },
    "sqlite": {
        **dict.fromkeys(
            ("heartbeat", "progress"), "and document_processing_jobs.lease_epoch = item.value ->> 'epoch'"
        ),
        **dict.fromkeys(
            ("advance", "finish", "fail", "suspend", "release"),
            "and job.lease_epoch = item.value ->> 'epoch'",
        ),
        "lock_leased_job": " and lease_epoch = :epoch",
    },
}

RESCUE_BUMPS = {
    "postgres": "lease_epoch = job.lease_epoch + 1,",
    "sqlite": "lease_epoch = lease_epoch + 1,",
}

_GUARDS = {
    "postgres": """not exists (
      select 1
      from processing_runs as other
      where other.document_id = run.document_id
        and (other.state = 'RUNNING'
          or (other.state = 'QUEUED' and (other.created_at, other.id) < (run.created_at, run.id)))
    )""",
    "sqlite": """not exists (
    select 1
    from processing_runs as other
    where other.document_id = processing_runs.document_id
      and (other.state = 'RUNNING'
        or (other.state = 'QUEUED'
          and (other.created_at, other.id) < (processing_runs.created_at, processing_runs.id)))
  )""",
}


@contextlib.contextmanager
def without(dialect: str, verb: str, clause: str, instead: str = "") -> Generator[None]:
    """Replace a clause in the SQL of a verb for the ledger; the files are not changed."""
    intact = statements(dialect, verb)
    broken = tuple(statement.replace(clause, instead) for statement in intact)
    assert broken != intact, f"{verb}.sql of {dialect} has no such clause: {clause}"

    def patched(requested_dialect: str, requested_verb: str) -> Sequence[str]:
        if (requested_dialect, requested_verb) == (dialect, verb):
            return broken
        return statements(requested_dialect, requested_verb)

    with patch.object(database, "statements", patched):
        yield


@contextlib.contextmanager
def start_guard_before_transaction(dialect: str) -> Generator[Callable[[SqlLedger], SqlLedger]]:
    """Let a run start if no run was RUNNING in an earlier transaction of the worker.

    The two other protections are removed too: the unique index, and runs that wait for an earlier run.
    """
    seen = "exists (select 1 from seen_free where seen_free.run_id = {}.id)"
    run = "run" if dialect == "postgres" else "processing_runs"
    due_at_once = ManualClock().now()
    with (
        without(dialect, "claim", _GUARDS[dialect], seen.format(run)),
        patch.object(queue_run, "NEVER", due_at_once),
    ):
        yield _unguarded


def _unguarded(intact: SqlLedger) -> SqlLedger:
    def prepare(tx: Transaction) -> None:
        tx.connection.exec_driver_sql("drop index if exists uq_processing_runs_one_running")
        kind = "uuid" if tx.dialect == "postgres" else "text"
        tx.connection.exec_driver_sql(f"create table if not exists seen_free (run_id {kind})")
        tx.connection.exec_driver_sql("delete from seen_free")

    intact.database.transact(prepare)
    return CheckBeforeTransactionLedger(intact.database)


class CheckBeforeTransactionLedger(SqlLedger):
    """Selects the runs that may start in one transaction and starts them in a later one."""

    async def select_startable_runs(self) -> None:
        free = (
            "insert into seen_free select id from processing_runs as run where state = 'QUEUED'"
            " and not exists (select 1 from processing_runs as other"
            " where other.document_id = run.document_id and other.state = 'RUNNING')"
        )
        await self.database.run(lambda tx: tx.connection.exec_driver_sql(free))

    async def claim(self, request: ClaimRequest, now: datetime) -> list[ClaimedJob]:
        await self.select_startable_runs()
        return await super().claim(request, now)
