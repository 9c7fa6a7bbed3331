"""Ledgers with one rule taken out on purpose: proof that the machine would notice."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Generator, Sequence
from datetime import datetime
from unittest.mock import patch

from towpath.clock import ManualClock
from towpath.ledger import database
from towpath.ledger.database import Transaction
from towpath.ledger.ledger import SqlLedger
from towpath.ledger.statements import statements
from towpath.ledger.verbs import submit
from towpath.model.work import Claimed

#: How each engine compares epochs, by verb. SQLite's settling verbs share one comparison in hold.sql.
FENCES = {
    "postgres": {
        **dict.fromkeys(
            ("heartbeat", "progress", "advance", "finish", "fail", "suspend", "release"),
            " and job.lease_epoch = item.epoch",
        ),
        "fence": " and lease_epoch = %(epoch)s",
    },
    "sqlite": {
        **dict.fromkeys(
            ("heartbeat", "progress"), "and document_processing_jobs.lease_epoch = item.value ->> 'epoch'"
        ),
        **dict.fromkeys(
            ("advance", "finish", "fail", "suspend", "release"),
            "and job.lease_epoch = item.value ->> 'epoch'",
        ),
        "fence": " and lease_epoch = :epoch",
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
    """The verb's SQL with a clause replaced, as the ledger will see it; the files stay as they are."""
    sound = statements(dialect, verb)
    broken = tuple(statement.replace(clause, instead) for statement in sound)
    assert broken != sound, f"{verb}.sql of {dialect} has no such clause: {clause}"

    def patched(asked_dialect: str, asked_verb: str) -> Sequence[str]:
        if (asked_dialect, asked_verb) == (dialect, verb):
            return broken
        return statements(asked_dialect, asked_verb)

    with patch.object(database, "statements", patched):
        yield


@contextlib.contextmanager
def guard_outside_the_transaction(dialect: str) -> Generator[Callable[[SqlLedger], SqlLedger]]:
    """Runs may start if none was RUNNING when the worker last looked, in an earlier transaction.

    All that would save it is gone: the unique index, and the parking of runs behind one another.
    """
    seen = "exists (select 1 from seen_free where seen_free.run_id = {}.id)"
    run = "run" if dialect == "postgres" else "processing_runs"
    due_at_once = ManualClock().now()
    with (
        without(dialect, "claim", _GUARDS[dialect], seen.format(run)),
        patch.object(submit, "NEVER", due_at_once),
    ):
        yield _careless


def _careless(sound: SqlLedger) -> SqlLedger:
    def prepare(tx: Transaction) -> None:
        tx.connection.exec_driver_sql("drop index if exists uq_processing_runs_one_running")
        kind = "uuid" if tx.dialect == "postgres" else "text"
        tx.connection.exec_driver_sql(f"create table if not exists seen_free (run_id {kind})")
        tx.connection.exec_driver_sql("delete from seen_free")

    sound.database.transact(prepare)
    return LooksFirst(sound.database)


class LooksFirst(SqlLedger):
    """Looks for runs that may start in one transaction, and starts whatever it saw so in a later one."""

    async def look(self, _worker: str, _now: datetime) -> None:
        free = (
            "insert into seen_free select id from processing_runs as run where state = 'QUEUED'"
            " and not exists (select 1 from processing_runs as other"
            " where other.document_id = run.document_id and other.state = 'RUNNING')"
        )
        await self.database.run(lambda tx: tx.connection.exec_driver_sql(free))

    async def claim(
        self,
        worker: str,
        *,
        limit: int,
        lease_seconds: float,
        now: datetime,
        stages: Sequence[str] | None = None,
    ) -> list[Claimed]:
        await self.look(worker, now)
        return await super().claim(worker, limit=limit, lease_seconds=lease_seconds, now=now, stages=stages)
