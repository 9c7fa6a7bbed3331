"""A worker process for tests: the real worker, on a ledger that can kill or stop it before or after any verb.

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
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import cast

from towpath.clock import SystemClock
from towpath.drill.audit import sign_sqlite, signed_url
from towpath.drill.strikes import PerilousLedger, QuietSqlite, Strike
from towpath.ledger.database import Database
from towpath.ledger.postgres.database import PostgresDatabase
from towpath.ledger.sqlite.database import SqliteDatabase
from towpath.pipelines.pipeline import Pipeline
from towpath.queue.contract import Bell
from towpath.queue.local import LocalBell
from towpath.queue.postgres import PostgresBell
from towpath.worker.execute import Executor, Rules
from towpath.worker.worker import Pace, Worker

log = logging.getLogger("tests.worker")

#: What a module named by ``--pipeline`` offers: given the file for side effects, the pipelines to serve.
PipelineFactory = Callable[[Path], Sequence[Pipeline]]


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
