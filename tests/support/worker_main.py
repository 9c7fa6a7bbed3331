"""A worker process for tests: the real worker on a ledger that can kill or stop it before or after a verb.

``python -m tests.support.worker_main --database FILE_OR_URL --pipeline module:factory --effects FILE
[--kill before:advance:3] [--stop before:heartbeat:1] [--lease 2] ...``
"""

from __future__ import annotations

import argparse
import asyncio
import importlib
import logging
import multiprocessing
import os
import signal
import threading
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import cast

from towpath.bootstrap.shutdown import shutdown_signals
from towpath.clock import SystemClock
from towpath.drill.fault_injection import FaultInjectingLedger, FaultPoint, StoppableSqlite
from towpath.drill.lease_audit import sign_sqlite, signed_url
from towpath.job_queue.bullmq import BullMqQueue
from towpath.job_queue.bullmq_client import BullMqClient
from towpath.job_queue.contract import JobQueue
from towpath.ledger.database import Database
from towpath.ledger.postgres.database import PostgresDatabase
from towpath.ledger.postgres.worker_session import PostgresWorkerSession
from towpath.ledger.sql_ledger import SqlLedger
from towpath.ledger.sqlite.database import SqliteDatabase
from towpath.ledger.verbs.apply_write import apply_write
from towpath.notify.contract import Notifier
from towpath.notify.in_process import InProcessNotifier
from towpath.notify.postgres import PostgresNotifier
from towpath.pipelines.pipeline import Pipeline
from towpath.worker.executor import Executor, RetryPolicy
from towpath.worker.isolated_executor import ExecutorFactory
from towpath.worker.settings import WorkerSettings
from towpath.worker.worker import Worker

log = logging.getLogger("tests.worker")

#: The factory named by ``--pipeline``: gets the file for side effects and returns the pipelines.
PipelineFactory = Callable[[Path], Sequence[Pipeline]]


class FolderArtifacts:
    """Stores large answers as files in a folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    async def put(self, org_id: str, key: str, body: bytes) -> str:
        file = self._folder / org_id / key
        file.parent.mkdir(parents=True, exist_ok=True)
        await asyncio.to_thread(file.write_bytes, body)
        return key

    async def get(self, org_id: str, key: str) -> bytes:
        return await asyncio.to_thread((self._folder / org_id / key).read_bytes)


def open_database(address: str, *, quiet: bool, writer: str) -> tuple[Database, Notifier]:
    if address.startswith("postgresql:"):
        url = signed_url(address, writer)
        return PostgresDatabase(url), PostgresNotifier(url)
    database = (StoppableSqlite if quiet else SqliteDatabase)(Path(address))
    sign_sqlite(database, writer)
    return database, InProcessNotifier()


@asynccontextmanager
async def open_executor(options: argparse.Namespace, writer: str) -> AsyncGenerator[Executor]:
    """Open an executor in a child process that runs one job alone; it writes in the name of its worker."""
    database, _ = open_database(options.database, quiet=False, writer=writer)
    try:
        yield _executor(options, SqlLedger(database, apply_write=apply_write))
    finally:
        database.close()


def _executor(options: argparse.Namespace, ledger: SqlLedger) -> Executor:
    module, _, name = str(options.pipeline).partition(":")
    make = cast("PipelineFactory", getattr(importlib.import_module(module), name))
    pipelines = {pipeline.name: pipeline for pipeline in make(options.effects)}
    retry_policy = RetryPolicy(
        max_attempts=options.max_attempts,
        max_crashes=options.max_crashes,
        backoff_scale=options.backoff_scale,
    )
    artifacts = FolderArtifacts(options.effects.parent / "artifacts")
    # The stages are short: each progress is written at once, so that a fault point at it is reached.
    return Executor(ledger, pipelines, artifacts, SystemClock(), retry_policy, progress_interval=0.0)


def _open_bullmq(
    options: argparse.Namespace, ledger: SqlLedger, notifier: Notifier, stages: Sequence[str]
) -> JobQueue:
    """A queue on the Redis of ``--redis``, of the class ``--queue-class``."""
    module, _, name = str(options.queue_class).partition(":")
    make = cast("type[BullMqQueue]", getattr(importlib.import_module(module), name))
    client = BullMqClient(options.redis, stages, lock_seconds=1.0)
    window = 4 * options.concurrency
    return make(client, ledger, notifier, SystemClock(), stages, lease_seconds=options.lease, window=window)


async def work(options: argparse.Namespace) -> None:
    writer = str(os.getpid())
    database, notifier = open_database(options.database, quiet=bool(options.stop), writer=writer)
    fault_points = [FaultPoint.parse(signal.SIGKILL, text) for text in options.kill]
    fault_points += [FaultPoint.parse(signal.SIGSTOP, text) for text in options.stop]
    ledger = FaultInjectingLedger(database, fault_points)
    worker_settings = WorkerSettings(
        concurrency=options.concurrency,
        lease_seconds=options.lease,
        heartbeat_seconds=options.heartbeat or options.lease / 3,
        poll_seconds=options.poll,
        grace_seconds=options.grace,
        stages=tuple(options.stages.split(",")) if options.stages else None,
    )
    factory = ExecutorFactory(open_executor, (options, writer)) if options.isolate else None
    executor = _executor(options, ledger)
    queue = None
    if options.redis:
        served = worker_settings.stages or executor.stages
        queue = _open_bullmq(options, ledger, notifier, served)
    session = PostgresWorkerSession(options.database) if options.session_lock else None
    worker = Worker(ledger, executor, notifier, SystemClock(), worker_settings, factory, queue, session)
    with shutdown_signals(options.grace) as shutdown:
        shutdown.add_callback(lambda now: worker.stop(now=now))
        await notifier.open()
        log.info("worker %s has started", worker.name)
        try:
            await worker.run()
        finally:
            await notifier.close()
            ledger.close()
    log.info("worker %s has stopped", worker.name)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--database", required=True, help="a SQLite file or a postgresql:// address")
    parser.add_argument("--pipeline", required=True, help="module:factory of the pipelines to serve")
    parser.add_argument(
        "--effects", required=True, type=Path, help="file to which stages append their executions and calls"
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
    parser.add_argument("--isolate", action="store_true", help="run suspects alone in child processes")
    parser.add_argument("--redis", help="address of the Redis that delivers the jobs by BullMQ")
    parser.add_argument("--queue-class", default="towpath.job_queue.bullmq:BullMqQueue")
    parser.add_argument("--session-lock", action="store_true", help="hold a lock in a Postgres session")
    parser.add_argument("--max-attempts", type=int, default=5)
    parser.add_argument("--backoff-scale", type=float, default=0.0)
    parser.add_argument("--log", type=Path, help="file for the output of this process; default: stderr")
    options = parser.parse_args(arguments)
    if options.log is not None:
        _redirect_output(options.log)
    logging.basicConfig(
        level=logging.INFO, format="%(asctime)s %(levelname)s %(name)s %(message)s", force=True
    )
    _die_with_parent()
    asyncio.run(work(options))


def _redirect_output(file: Path) -> None:
    handle = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    os.dup2(handle, 1)
    os.dup2(handle, 2)
    os.close(handle)


def _die_with_parent() -> None:
    """End this process when its parent ends, so that a killed test session leaves no workers."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=lambda: (parent.join(), os._exit(1)), daemon=True).start()


if __name__ == "__main__":
    main()
