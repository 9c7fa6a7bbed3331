"""The crash harness: an audited database, worker processes on it, and the assertions about its rows."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import sqlite3
from collections.abc import Generator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from sqlalchemy import Row, func, select, update

from tests.crash.side_effects import Effect, executions, read_effects
from tests.support.databases import EngineUnderTest, PostgresServer, empty, postgres_engine, sqlite_engine
from tests.support.factories import a_document
from tests.support.processes import WorkerProcess, start_worker
from tests.support.timeouts import WAIT_SECONDS, wait_until
from towpath.drill.lease_audit import (
    answered_twice,
    clear_audit,
    install_audit,
    lease_violations,
    sign_sqlite,
    signed_url,
)
from towpath.errors import DatabaseUnavailable
from towpath.ledger.contract.ledger import RunPlan, Submission, Submitted
from towpath.ledger.database import Transaction
from towpath.ledger.sqlite.database import SqliteDatabase
from towpath.ledger.tables import document_processing_jobs, metadata, processing_runs, provider_calls, workers

_jobs, _runs = document_processing_jobs.c, processing_runs.c

#: Every table's rows, as text, by table.
Dump = dict[str, list[tuple[str, ...]]]


@dataclass(slots=True)
class CrashHarness:
    """One database with audit triggers, and the worker processes that a test starts on it."""

    engine: EngineUnderTest
    folder: Path
    #: The address that workers use; a test may put a proxy between them and the database.
    address: str
    workers: list[WorkerProcess] = field(default_factory=list[WorkerProcess])
    _serial: itertools.count[int] = field(default_factory=itertools.count)

    # Work

    def submit(
        self,
        pipeline: str,
        stages: Sequence[str] = (),
        *,
        count: int = 1,
        max_attempts: int = 5,
        **options: object,
    ) -> list[Submitted]:
        plan = RunPlan(pipeline, 1, tuple(stages) or (pipeline,), options, max_attempts=max_attempts)
        submissions = [Submission(a_document(f"{pipeline} {next(self._serial)}"), plan) for _ in range(count)]
        return asyncio.run(self.engine.ledger.submit_many(submissions, datetime.now(UTC)))

    def start(self, *arguments: str) -> WorkerProcess:
        """Start a worker on this database. It serves every stage unless ``arguments`` say otherwise."""
        common = ("--database", self.address, "--pipeline", "tests.crash.stages:pipelines")
        log = self.folder / f"worker-{len(self.workers)}.log"
        worker = start_worker((*common, "--effects", str(self.effects_file), *arguments), log)
        self.workers.append(worker)
        return worker

    def freeze(self, worker: WorkerProcess) -> None:
        """Send SIGSTOP to a worker, but not while it holds SQLite's only write lock: that would block all others."""
        worker.freeze()
        while not self._writable():
            worker.wake()
            worker.freeze()

    def _writable(self) -> bool:
        if self.engine.name != "sqlite":
            return True
        connection = sqlite3.connect(self.address, timeout=0.05, isolation_level=None)
        try:
            connection.execute("begin immediate")
        except sqlite3.OperationalError:
            return False
        finally:
            connection.close()
        return True

    def expire_leases(self) -> None:
        """End the lease of every job in processing, so that another worker takes it over at once.

        Tests that count crashes give their workers long leases and end them here: on a starved machine a
        short lease ends by itself while its worker lives, which would be counted too.
        """

        def expire(tx: Transaction) -> None:
            jobs = document_processing_jobs
            now = datetime.now(UTC)
            tx.connection.execute(update(jobs).where(_jobs.status == "PROCESSING").values(lease_until=now))
            # The audit allows changes under a lease to its holder only.
            tx.connection.exec_driver_sql("delete from audit_jobs where writer in ('the test', 'the-test')")

        self.engine.database.transact(expire)

    def wait_until_all_ended(self, seconds: float = WAIT_SECONDS) -> None:
        wait_until(lambda: self.unfinished() == 0, "every run to end", seconds)

    # Facts

    @property
    def effects_file(self) -> Path:
        return self.folder / "effects.jsonl"

    @property
    def effects(self) -> list[Effect]:
        return read_effects(self.effects_file)

    def unfinished(self) -> int:
        query = select(func.count()).where(_runs.state.in_(["QUEUED", "RUNNING"]))
        return int(self.rows(query)[0][0])

    def job(self, run_id: str | None, stage: str | None = None) -> Row[Any]:
        """A run's job of this stage, or its first one."""
        query = select(document_processing_jobs).where(_jobs.run_id == run_id)
        if stage is not None:
            query = query.where(_jobs.stage == stage)
        return self.rows(query.order_by(_jobs.created_at, _jobs.id).limit(1))[0]

    def jobs(self, run_id: str | None) -> list[Row[Any]]:
        return self.rows(
            select(document_processing_jobs)
            .where(_jobs.run_id == run_id)
            .order_by(_jobs.created_at, _jobs.id)
        )

    def run_state(self, run_id: str | None) -> str:
        return str(self.rows(select(_runs.state).where(_runs.id == run_id))[0][0])

    def calls_of(self, document_id: str) -> list[Row[Any]]:
        return self.rows(select(provider_calls).where(provider_calls.c.document_id == document_id))

    def open_windows(self) -> int:
        return int(self.rows(select(func.coalesce(func.sum(provider_calls.c.repeated), 0)))[0][0])

    def rows(self, query: Any) -> list[Row[Any]]:
        """The rows of a query; repeated while the database is unavailable."""
        return wait_until(lambda: self._try_rows(query), "the database to answer")[0]

    def _try_rows(self, query: Any) -> tuple[list[Row[Any]]] | None:
        try:
            return (
                self.engine.database.transact(lambda tx: list(tx.connection.execute(query).all()), read=True),
            )
        except DatabaseUnavailable:
            return None

    def dump(self) -> Dump:
        """Every row of every table except ``workers``, whose heartbeats change all the time."""
        return {
            table.name: sorted(tuple(str(value) for value in row) for row in self.rows(select(table)))
            for table in metadata.sorted_tables
            if table is not workers
        }

    # Assertions

    def assert_nothing_lost_and_nothing_twice(self) -> None:
        """The invariants that hold at the end of every test, whatever was killed in it."""
        states = self.rows(select(_runs.document_id, _runs.state))
        assert {str(row.state) for row in states} == {"COMPLETED"}
        assert len({row.document_id for row in states}) == len(states), "a document has two runs"
        jobs = self.rows(select(_jobs.run_id, _jobs.stage, _jobs.status, _jobs.lease_epoch))
        assert {str(job.status) for job in jobs} == {"COMPLETED"}
        assert lease_violations(self.engine.database) == []
        assert answered_twice(self.engine.database) == 0
        executed = executions(self.effects)
        assert set(executed.values()) <= {1}, "a stage ran twice under one epoch"
        finished = {(str(job.run_id), str(job.stage), int(job.lease_epoch)) for job in jobs}
        assert finished <= executed.keys(), "a job was completed by an epoch that never worked on it"
        last = {(run, stage): epoch for run, stage, epoch in finished}
        late = [effect for effect in executed if effect[2] > last[effect[0], effect[1]]]
        assert late == [], "a finished stage was worked again"

    def assert_no_lock_errors_in_logs(self) -> None:
        for worker in self.workers:
            assert not worker.logged("database is locked")
            assert not worker.logged("Traceback"), worker.log.read_text("utf-8")[-3000:]

    def close(self) -> None:
        for worker in self.workers:
            worker.kill()


@contextlib.contextmanager
def sqlite_harness(folder: Path, template: Path) -> Generator[CrashHarness]:
    """A harness on a copy of a migrated SQLite file."""
    with sqlite_engine(folder / "ledger.db", template) as engine:
        assert isinstance(engine.database, SqliteDatabase)
        sign_sqlite(engine.database, "the test")
        install_audit(engine.database)
        with _opened(engine, folder, engine.address) as harness:
            yield harness


@contextlib.contextmanager
def postgres_harness(folder: Path, dsn: str) -> Generator[CrashHarness]:
    """A harness on a database that was made by ``audited_postgres``; its rows are deleted first."""
    with postgres_engine(signed_url(dsn, "the-test")) as engine:
        empty(engine.database)
        clear_audit(engine.database)
        with _opened(engine, folder, dsn) as harness:
            yield harness


def audited_postgres(server: PostgresServer) -> str:
    """Create a migrated database with audit triggers; returns its address."""
    dsn = server.create_migrated()
    with postgres_engine(dsn) as engine:
        install_audit(engine.database)
    return dsn


@contextlib.contextmanager
def _opened(engine: EngineUnderTest, folder: Path, address: str) -> Generator[CrashHarness]:
    harness = CrashHarness(engine, folder, address)
    try:
        yield harness
    finally:
        harness.close()
