"""`python -m bench recovery`: kills workers and the embedded server while they process a document."""

from __future__ import annotations

import argparse
import random
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import httpx
import numpy as np
from sqlalchemy import select

from bench.benchmarks_page import write_section
from bench.growth.ledger_rows import add_documents
from bench.machine import describe_machine
from bench.postgres import private_postgres
from bench.recovery.processes import ServerProcess, TowpathProcess
from bench.search.figures import describe_load, table
from bench.small.server import serve
from towpath import bootstrap
from towpath.config import Settings
from towpath.ledger import migrate
from towpath.ledger.database import Database
from towpath.ledger.tables import document_processing_jobs, workers

SUMMARY = "seconds from kill -9 until the job is worked again, and the start with 10,000 documents"
WAIT_SECONDS = 120.0
#: The library of the embedded server.
DOCUMENTS = 10_000
#: A text that keeps a worker busy for seconds.
TEXT_BYTES = 6_000_000


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--engine", choices=("sqlite", "postgres"), help="measure this engine only")
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--write", action="store_true", help="write the documentation")


def run(arguments: argparse.Namespace) -> int:
    rows: list[list[str]] = []
    if arguments.engine != "sqlite":
        rows.append(
            _row("Postgres: kill -9 of a worker until another one has its job", _postgres(arguments.kills))
        )
    if arguments.engine != "postgres":
        rows.extend(_embedded(arguments.kills))
    section = (
        f"## Recovery\n\n{arguments.kills} kills during a document of {TEXT_BYTES // 1_000_000} MB. On Postgres a "
        f"second worker lives; a job counts as worked again when another worker has claimed it. The embedded server "
        f"has {DOCUMENTS:,} documents. {describe_machine()} {describe_load()}\n\n"
        f"{table(['', 'p50 s', 'p95 s', 'longest s'], rows)}"
    )
    print(section)
    if arguments.write:
        write_section("recovery", section)
    return 0


def _row(name: str, seconds: Sequence[float]) -> list[str]:
    figures = [*np.percentile(seconds, (50, 95)), max(seconds)]
    return [name, *(f"{figure:.2f}" for figure in figures)]


def _postgres(kills: int) -> list[float]:
    times: list[float] = []
    with tempfile.TemporaryDirectory(prefix="towpath-bench-recovery-") as name, private_postgres() as server:
        folder = Path(name)
        # Folders of several processes: blobs are shared, as on a network disk.
        settings = Settings(
            data=folder / "data", embedder="fast", database=server.create_database("recovery")
        )
        database = bootstrap.open_database(settings)
        migrate.upgrade(database.engine)
        living: list[TowpathProcess] = []
        try:
            with serve(settings, with_worker=False) as api:
                for number in range(kills):
                    while len(living) < 2:
                        living.append(_start_worker(settings, folder, database))
                    document_id = _upload(f"http://127.0.0.1:{api.port}", number)
                    job = _job_in_process(database, document_id)
                    killed = next(worker for worker in living if worker.pid == job.pid)
                    killed.kill()
                    killed_at = time.monotonic()
                    living.remove(killed)
                    again = _job_in_process(database, document_id, after=job)
                    times.append(time.monotonic() - killed_at)
                    print(f"kill {number}: {times[-1]:.2f} s, {again.stage}", flush=True)
                    httpx.delete(f"http://127.0.0.1:{api.port}/documents/{document_id}", timeout=60)
        finally:
            for worker in living:
                worker.kill()
            database.close()
    return times


def _start_worker(settings: Settings, folder: Path, database: Database) -> TowpathProcess:
    """A worker that is registered and so works."""
    assert settings.database is not None
    worker = TowpathProcess(
        "worker", "--database", settings.database, data=settings.data, log=folder / "worker.log"
    )
    query = select(workers.c.id).where(workers.c.pid == worker.pid)
    _wait(lambda: _first(database, query), "the worker to be registered")
    return worker


def _embedded(kills: int) -> list[list[str]]:
    with tempfile.TemporaryDirectory(prefix="towpath-bench-recovery-") as name:
        data, log = Path(name) / "data", Path(name) / "server.log"
        database = bootstrap.open_database(Settings(data=data))
        migrate.upgrade(database.engine)
        add_documents(database, 0, DOCUMENTS)
        again_times: list[float] = []
        ready: list[float] = []
        cpu: list[float] = []
        server = ServerProcess(data, log)
        try:
            server.wait_until_ready()
            for number in range(kills):
                document_id = _upload(server.url, number)
                job = _job_in_process(database, document_id)
                server.kill()
                server = ServerProcess(data, log)
                seconds, cpu_seconds = server.wait_until_ready()
                ready.append(seconds)
                cpu.append(cpu_seconds)
                again = _job_in_process(database, document_id, after=job)
                again_times.append(time.monotonic() - server.started_at)
                print(
                    f"kill {number}: ready {seconds:.2f} s (CPU {cpu_seconds:.2f} s), "
                    f"worked again {again_times[-1]:.2f} s, {again.stage}",
                    flush=True,
                )
                httpx.delete(f"{server.url}/documents/{document_id}", timeout=60)
        finally:
            server.kill()
            database.close()
    return [
        _row("SQLite: start of the server until it is ready", ready),
        _row("SQLite: CPU seconds of that start", cpu),
        _row("SQLite: start of the server until the job is worked again", again_times),
    ]


def _upload(url: str, number: int) -> str:
    rng = random.Random(number)
    words = ["".join(rng.choices("abcdefghijklmnopqrstuvwxyz", k=rng.randint(3, 9))) for _ in range(5_000)]
    lines = [" ".join(rng.choices(words, k=12)) + "." for _ in range(TEXT_BYTES // 84)]
    answer = httpx.post(f"{url}/documents", files={"file": (f"{number}.txt", "\n".join(lines))}, timeout=120)
    answer.raise_for_status()
    return str(answer.json()["id"])


def _job_in_process(database: Database, document_id: str, after: Any = None) -> Any:
    """The job of the document that a worker has, with the pid of the worker; another claim than ``after``."""
    job = document_processing_jobs.c
    query = (
        select(job.id, job.stage, job.locked_by, job.lease_epoch, workers.c.pid)
        .join(workers, workers.c.id == job.locked_by)
        .where(job.document_id == document_id, job.status == "PROCESSING")
    )
    if after is not None:
        query = query.where(job.locked_by != after.locked_by)
    return _wait(lambda: _first(database, query), "a worker to have a job of the document")


def _first(database: Database, query: Any) -> Any:
    return database.transact(lambda tx: tx.connection.execute(query).first(), read=True)


def _wait(fact: Any, what: str) -> Any:
    deadline = time.monotonic() + WAIT_SECONDS
    while time.monotonic() < deadline:
        if found := fact():
            return found
        time.sleep(0.01)
    raise RuntimeError(f"waited in vain for {what}")
