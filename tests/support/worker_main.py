"""A worker process for tests: the real worker, on a ledger that can kill or stop it before or after any verb.

``python -m tests.support.worker_main --database FILE_OR_URL --pipeline module:factory --effects FILE
[--kill before:advance:3] [--stop before:heartbeat:1] [--lease 2] ...``
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import importlib
import logging
import multiprocessing
import os
import signal
import sqlite3
import threading
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TypeVar, cast

from sqlalchemy import event

from towpath.clock import SystemClock
from towpath.errors import LeaseLost
from towpath.ledger.contract import (
    Advance,
    CallAnswer,
    CallRequest,
    CallState,
    Fail,
    Finish,
    Release,
    Settled,
    Settlement,
    Suspended,
    Swept,
)
from towpath.ledger.database import Database, Work
from towpath.ledger.ledger import SqlLedger
from towpath.ledger.postgres.database import PostgresDatabase
from towpath.ledger.sqlite.database import SqliteDatabase
from towpath.model.work import Claimed, Lease
from towpath.pipelines.pipeline import Pipeline
from towpath.queue.contract import Bell
from towpath.queue.local import LocalBell
from towpath.queue.postgres import PostgresBell
from towpath.worker.execute import Executor, Rules
from towpath.worker.worker import Pace, Worker

T = TypeVar("T")

log = logging.getLogger("tests.worker")

#: What a module named by ``--pipeline`` offers: given the file for side effects, the pipelines to serve.
PipelineFactory = Callable[[Path], Sequence[Pipeline]]

VERB_OF: dict[type[Settlement], str] = {
    Advance: "advance",
    Finish: "finish",
    Fail: "fail",
    Suspended: "suspend",
    Release: "release",
}


@dataclass(frozen=True, slots=True)
class Strike:
    """A signal this process sends itself: before or after the n-th time it uses a verb."""

    signal: signal.Signals
    moment: str
    verb: str
    nth: int

    @classmethod
    def read(cls, signal: signal.Signals, text: str) -> Strike:
        moment, verb, nth = text.split(":")
        return cls(signal, moment, verb, int(nth))


class QuietSqlite(SqliteDatabase):
    """Lets a process be stopped between its transactions: stopped inside one, it would keep SQLite's only
    write lock, and all the world would wait with it."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self.between_transactions = threading.Lock()

    def _transact_once(self, work: Work[T], *, single: bool, read: bool) -> T:
        with self.between_transactions:
            return super()._transact_once(work, single=single, read=read)


class PerilousLedger(SqlLedger):
    """The ledger as it is, with strikes around its verbs."""

    def __init__(self, database: Database, strikes: Sequence[Strike]) -> None:
        super().__init__(database)
        self._strikes = strikes
        self._quiet = (
            database.between_transactions if isinstance(database, QuietSqlite) else contextlib.nullcontext()
        )
        self._times = Counter[str]()
        self._lock = threading.Lock()

    def _strike(self, moment: str, uses: dict[str, int]) -> str | None:
        for strike in self._strikes:
            if strike.moment == moment and uses.get(strike.verb) == strike.nth:
                with self._quiet:
                    # To this very thread: sent to the process, it would stop some time later.
                    signal.pthread_kill(threading.get_ident(), strike.signal)
                return strike.verb
        return None

    def _count(self, *verbs: str) -> dict[str, int]:
        with self._lock:
            self._times.update(verbs)
            return {verb: self._times[verb] for verb in verbs}

    async def _through(self, call: Callable[[], Awaitable[T]], *verbs: str) -> T:
        uses = self._count(*verbs)
        slept = self._strike("before", uses)
        # Shielded, because a worker that wakes up cancels its jobs while their writes are on the way.
        answer = await (call() if slept is None else asyncio.shield(_told(call(), slept)))
        self._strike("after", uses)
        return answer

    async def claim(
        self,
        worker: str,
        *,
        limit: int,
        lease_seconds: float,
        now: datetime,
        stages: Sequence[str] | None = None,
    ) -> list[Claimed]:
        claim = super().claim
        return await self._through(
            lambda: claim(worker, limit=limit, lease_seconds=lease_seconds, now=now, stages=stages), "claim"
        )

    def heartbeat(self, leases: Sequence[Lease], lease_seconds: float, now: datetime) -> set[str]:
        uses = self._count("heartbeat")
        slept = self._strike("before", uses)
        kept = super().heartbeat(leases, lease_seconds, now)
        if slept is not None:
            log.info("after its sleep heartbeat answered %s", kept)
        self._strike("after", uses)
        return kept

    async def progress(self, lease: Lease, done: int, total: int, now: datetime) -> None:
        progress = super().progress
        await self._through(lambda: progress(lease, done, total, now), "progress")

    async def settle(
        self, settlements: Sequence[Settlement], now: datetime, *, lease_seconds: float = 30.0
    ) -> list[Settled | LeaseLost]:
        settle = super().settle
        verbs = {VERB_OF[type(item)] for item in settlements}
        return await self._through(lambda: settle(settlements, now, lease_seconds=lease_seconds), *verbs)

    async def sweep(self, now: datetime, *, limit: int = 100, max_crashes: int = 2) -> Swept:
        sweep = super().sweep
        return await self._through(lambda: sweep(now, limit=limit, max_crashes=max_crashes), "sweep")

    async def call_begin(self, lease: Lease, request: CallRequest, now: datetime) -> CallState:
        call_begin = super().call_begin
        return await self._through(lambda: call_begin(lease, request, now), "call_begin")

    async def call_operation(self, lease: Lease, key: str, operation_id: str) -> None:
        call_operation = super().call_operation
        await self._through(lambda: call_operation(lease, key, operation_id), "call_operation")

    async def call_answer(self, lease: Lease, key: str, answer: CallAnswer, now: datetime) -> None:
        call_answer = super().call_answer
        await self._through(lambda: call_answer(lease, key, answer, now), "call_answer")


async def _told(call: Awaitable[T], slept: str) -> T:
    """What became of the verb before which this process was stopped."""
    try:
        answer = await call
    except LeaseLost as error:
        log.info("after its sleep %s was refused: %s", slept, error)
        raise
    log.info("after its sleep %s answered %s", slept, answer)
    return answer


class FolderArtifacts:
    """Large answers, as files of a folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    async def put(self, org_id: str, key: str, body: bytes) -> str:
        file = self._folder / org_id / key
        file.parent.mkdir(parents=True, exist_ok=True)
        await asyncio.to_thread(file.write_bytes, body)
        return key

    async def get(self, org_id: str, key: str) -> bytes:
        return await asyncio.to_thread((self._folder / org_id / key).read_bytes)


def signed_url(url: str, writer: str) -> str:
    """The address of a Postgres database whose sessions know who writes: see tests/crash/audit.py."""
    return f"{url}{'&' if '?' in url else '?'}options=-c%20test.writer%3D{writer}"


def sign_sqlite(database: SqliteDatabase, writer: str) -> None:
    """Give every connection to this database the function by which the audit learns who writes."""

    def sign(connection: sqlite3.Connection, _entry: object) -> None:
        connection.create_function("writer", 0, lambda: writer)

    event.listen(database.engine, "connect", sign)


def open_database(address: str, *, quiet: bool) -> tuple[Database, Bell]:
    writer = str(os.getpid())
    if address.startswith("postgresql:"):
        url = signed_url(address, writer)
        return PostgresDatabase(url), PostgresBell(url)
    database = (QuietSqlite if quiet else SqliteDatabase)(Path(address))
    sign_sqlite(database, writer)
    return database, LocalBell()


async def work(given: argparse.Namespace) -> None:
    database, bell = open_database(given.database, quiet=bool(given.stop))
    strikes = [Strike.read(signal.SIGKILL, text) for text in given.kill]
    strikes += [Strike.read(signal.SIGSTOP, text) for text in given.stop]
    ledger = PerilousLedger(database, strikes)
    module, _, name = str(given.pipeline).partition(":")
    make = cast("PipelineFactory", getattr(importlib.import_module(module), name))
    pipelines = {pipeline.name: pipeline for pipeline in make(given.effects)}
    clock = SystemClock()
    rules = Rules(max_attempts=given.max_attempts, backoff_scale=given.backoff_scale)
    artifacts = FolderArtifacts(given.effects.parent / "artifacts")
    pace = Pace(
        concurrency=given.concurrency,
        lease_seconds=given.lease,
        heartbeat_seconds=given.heartbeat or given.lease / 3,
        poll_seconds=given.poll,
        max_crashes=given.max_crashes,
        grace_seconds=given.grace,
        stages=tuple(given.stages.split(",")) if given.stages else None,
    )
    worker = Worker(ledger, Executor(ledger, pipelines, artifacts, clock, rules), bell, clock, pace)
    for wanted in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(wanted, worker.stop)
    await bell.open()
    log.info("worker %s is here", worker.name)
    try:
        await worker.run()
    finally:
        await bell.close()
        ledger.close()
    log.info("worker %s is done", worker.name)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--database", required=True, help="a SQLite file or a postgresql:// address")
    parser.add_argument("--pipeline", required=True, help="module:factory of the pipelines to serve")
    parser.add_argument(
        "--effects", required=True, type=Path, help="file to which stages append what they do"
    )
    parser.add_argument("--stages", help="serve only these, joined by commas")
    parser.add_argument("--kill", action="append", default=[], metavar="MOMENT:VERB:NTH")
    parser.add_argument("--stop", action="append", default=[], metavar="MOMENT:VERB:NTH")
    parser.add_argument("--lease", type=float, default=30.0)
    parser.add_argument("--heartbeat", type=float)
    parser.add_argument("--poll", type=float, default=1.0)
    parser.add_argument("--concurrency", type=int, default=8)
    parser.add_argument("--grace", type=float, default=5.0)
    parser.add_argument("--max-crashes", type=int, default=2)
    parser.add_argument("--max-attempts", type=int, default=5)
    parser.add_argument("--backoff-scale", type=float, default=0.0)
    parser.add_argument("--log", type=Path, help="file for all this process says; else stderr")
    given = parser.parse_args(arguments)
    if given.log is not None:
        _speak_to(given.log)
    logging.basicConfig(
        level=logging.INFO, format="%(asctime)s %(levelname)s %(name)s %(message)s", force=True
    )
    _die_with_parent()
    asyncio.run(work(given))


def _speak_to(file: Path) -> None:
    handle = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    os.dup2(handle, 1)
    os.dup2(handle, 2)
    os.close(handle)


def _die_with_parent() -> None:
    """A test session that was killed leaves no workers behind."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=lambda: (parent.join(), os._exit(1)), daemon=True).start()


if __name__ == "__main__":
    main()
