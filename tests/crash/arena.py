"""Where the crash stories play: a fresh, audited database, workers around it, and the facts afterwards."""

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

from sqlalchemy import Row, func, select

from tests.crash.effects import Effect, executions, read_effects
from tests.support.databases import EngineUnderTest, PostgresServer, empty, postgres_engine, sqlite_engine
from tests.support.factories import a_document
from tests.support.processes import PATIENCE, WorkerProcess, start_worker, wait_for
from towpath.drill.audit import (
    answered_twice,
    dishonest_changes,
    forget_audit,
    install_audit,
    sign_sqlite,
    signed_url,
)
from towpath.errors import DatabaseUnavailable
from towpath.ledger.contract import Plan, Submission, Submitted
from towpath.ledger.sqlite.database import SqliteDatabase
from towpath.ledger.tables import document_processing_jobs, metadata, processing_runs, provider_calls, workers

_jobs, _runs = document_processing_jobs.c, processing_runs.c

#: Every table's rows, as text, by table.
Dump = dict[str, list[tuple[str, ...]]]


@dataclass(slots=True)
class Arena:
    engine: EngineUnderTest
    folder: Path
    #: Where workers find the database; a story may put something between it and them.
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
        plan = Plan(pipeline, 1, tuple(stages) or (pipeline,), options, max_attempts=max_attempts)
        submissions = [Submission(a_document(f"{pipeline} {next(self._serial)}"), plan) for _ in range(count)]
        return asyncio.run(self.engine.ledger.submit_many(submissions, datetime.now(UTC)))

    def start(self, *arguments: str) -> WorkerProcess:
        """A worker on this database. It serves every stage unless told otherwise."""
        common = ("--database", self.address, "--pipeline", "tests.crash.stages:pipelines")
        log = self.folder / f"worker-{len(self.workers)}.log"
        worker = start_worker((*common, "--effects", str(self.effects_file), *arguments), log)
        self.workers.append(worker)
        return worker

    def freeze(self, worker: WorkerProcess) -> None:
        """Stop a worker, but not while it holds SQLite's only write lock: that would stop everybody."""
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

    def wait_until_all_ended(self, seconds: float = PATIENCE) -> None:
        wait_for(lambda: self.unfinished() == 0, "every run to end", seconds)

    # Facts

    @property
    def effects_file(self) -> Path:
        return self.folder / "effects.jsonl"

    @property
    def effects(self) -> list[Effect]:
        return read_effects(self.effects_file)

    def unfinished(self) -> int:
        query = select(func.count()).where(_runs.state.in_(["QUEUED", "RUNNING"]))
        return int(self.ask(query)[0][0])

    def job(self, run_id: str | None, stage: str | None = None) -> Row[Any]:
        """A run's job of this stage, or its first one."""
        query = select(document_processing_jobs).where(_jobs.run_id == run_id)
        if stage is not None:
            query = query.where(_jobs.stage == stage)
        return self.ask(query.order_by(_jobs.created_at, _jobs.id).limit(1))[0]

    def jobs(self, run_id: str | None) -> list[Row[Any]]:
        return self.ask(
            select(document_processing_jobs)
            .where(_jobs.run_id == run_id)
            .order_by(_jobs.created_at, _jobs.id)
        )

    def run_state(self, run_id: str | None) -> str:
        return str(self.ask(select(_runs.state).where(_runs.id == run_id))[0][0])

    def calls_of(self, document_id: str) -> list[Row[Any]]:
        return self.ask(select(provider_calls).where(provider_calls.c.document_id == document_id))

    def open_windows(self) -> int:
        return int(self.ask(select(func.coalesce(func.sum(provider_calls.c.reopened), 0)))[0][0])

    def ask(self, query: Any) -> list[Row[Any]]:
        """The rows of a query. A database that is away for the moment is asked again."""
        return wait_for(lambda: self._ask(query), "the database to answer")[0]

    def _ask(self, query: Any) -> tuple[list[Row[Any]]] | None:
        try:
            return (
                self.engine.database.transact(lambda tx: list(tx.connection.execute(query).all()), read=True),
            )
        except DatabaseUnavailable:
            return None

    def dump(self) -> Dump:
        """Every row of every table, as it stands; but signs of life, which change by themselves."""
        return {
            table.name: sorted(tuple(str(value) for value in row) for row in self.ask(select(table)))
            for table in metadata.sorted_tables
            if table is not workers
        }

    # Judgement

    def assert_nothing_lost_and_nothing_twice(self) -> None:
        """What must hold after every story, whatever happened in it."""
        states = self.ask(select(_runs.document_id, _runs.state))
        assert {str(row.state) for row in states} == {"COMPLETED"}
        assert len({row.document_id for row in states}) == len(states), "a document has two runs"
        jobs = self.ask(select(_jobs.run_id, _jobs.stage, _jobs.status, _jobs.lease_epoch))
        assert {str(job.status) for job in jobs} == {"COMPLETED"}
        assert dishonest_changes(self.engine.database) == []
        assert answered_twice(self.engine.database) == 0
        executed = executions(self.effects)
        assert set(executed.values()) <= {1}, "a stage ran twice under one epoch"
        finished = {(str(job.run_id), str(job.stage), int(job.lease_epoch)) for job in jobs}
        assert finished <= executed.keys(), "a job was completed by an epoch that never worked on it"
        last = {(run, stage): epoch for run, stage, epoch in finished}
        late = [deed for deed in executed if deed[2] > last[deed[0], deed[1]]]
        assert late == [], "a finished stage was worked again"

    def assert_locks_were_never_complained_about(self) -> None:
        for worker in self.workers:
            assert not worker.said("database is locked")
            assert not worker.said("Traceback"), worker.log.read_text("utf-8")[-3000:]

    def close(self) -> None:
        for worker in self.workers:
            worker.kill()


@contextlib.contextmanager
def sqlite_arena(folder: Path, template: Path) -> Generator[Arena]:
    """An arena on a file of its own, copied from a migrated one."""
    with sqlite_engine(folder / "ledger.db", template) as engine:
        assert isinstance(engine.database, SqliteDatabase)
        sign_sqlite(engine.database, "the test")
        install_audit(engine.database)
        with _opened(engine, folder, engine.address) as arena:
            yield arena


@contextlib.contextmanager
def postgres_arena(folder: Path, dsn: str) -> Generator[Arena]:
    """An arena on a database that was made by ``audited_postgres`` and is found empty."""
    with postgres_engine(signed_url(dsn, "the-test")) as engine:
        empty(engine.database)
        forget_audit(engine.database)
        with _opened(engine, folder, dsn) as arena:
            yield arena


def audited_postgres(server: PostgresServer) -> str:
    """A migrated database that watches itself; its address."""
    dsn = server.create_migrated()
    with postgres_engine(dsn) as engine:
        install_audit(engine.database)
    return dsn


@contextlib.contextmanager
def _opened(engine: EngineUnderTest, folder: Path, address: str) -> Generator[Arena]:
    arena = Arena(engine, folder, address)
    try:
        yield arena
    finally:
        arena.close()
