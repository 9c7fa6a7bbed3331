"""The pooled drill: documents through four workers and pgbouncer, with a role that owns no table, while
Postgres is restarted.

``python -m tests.crash.pooled_drill --documents 2000 --restarts 3``
"""

from __future__ import annotations

import argparse
import asyncio
import os
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, LiteralString

import psycopg

from tests.support.api_client import ApiClient, open_api_client
from tests.support.databases import PostgresServer, private_postgres
from tests.support.forked_command import ForkedCommand
from tests.support.pgbouncer import pooled, pooled_dsn
from tests.support.timeouts import PROCESS_SECONDS, wait_until
from towpath.ledger.migrate import upgrade
from towpath.ledger.postgres.database import PostgresDatabase

WORKERS = 4
AT_ONCE = 8
ROLE = "towpath_worker"
#: A clean shutdown and a crash, by turns.
HOW = (signal.SIGINT, signal.SIGQUIT)
PACE = {
    "TOWPATH_POLL_SECONDS": "0.2",
    "TOWPATH_CHILD_PROCESSES": "1",
    "TOWPATH_BACKOFF_SCALE": "0.05",
    # A busy machine needs more than the default to end four workers at once.
    "TOWPATH_SHUTDOWN_GRACE_SECONDS": "60",
}


@dataclass(frozen=True, slots=True)
class Report:
    documents: int
    seconds: float
    restarts: int
    stages: int
    started: int
    rescued: int
    attempts: int
    chunks: int

    def __str__(self) -> str:
        return (
            f"{self.documents} documents through {WORKERS} workers and a pgbouncer in {self.seconds:.0f} s"
            f" ({self.documents / self.seconds:.1f}/s), Postgres restarted {self.restarts} times:"
            f" {self.stages} stages completed, none twice, {self.started} started, {self.rescued} rescued,"
            f" {self.attempts} attempts lost, {self.chunks} chunks"
        )


def drill(server: PostgresServer, folder: Path, *, documents: int, restarts: int, limit: float) -> Report:
    """Upload documents, restart Postgres, and assert that every document was processed exactly once."""
    dsn = server.create_migrated()
    database = PostgresDatabase(dsn)
    upgrade(database.engine, worker_role=ROLE)
    database.close()
    with pooled(server, user=ROLE) as pool:
        address = pooled_dsn(pool, dsn, server)
        asyncio.run(_upload(folder, address, documents))
        started = time.monotonic()
        with _workers(folder, address) as workers:
            for number in range(restarts):
                share = documents * (2 * number + 1) // (2 * restarts + 1)
                wait_until(lambda share=share: _completed(dsn) >= share, f"{share} documents", limit, 0.1)
                assert _completed(dsn) < documents, "no work is left when Postgres is restarted"
                server.restart(HOW[number % 2])
            wait_until(lambda: _completed(dsn) == documents, "every document", limit, 0.2)
            seconds = time.monotonic() - started
            assert all(worker.poll() is None for worker in workers), "a worker ended"
    report = _check(dsn, documents, seconds, restarts)
    server.drop(dsn)
    return report


async def _upload(folder: Path, address: str, documents: int) -> None:
    semaphore = asyncio.Semaphore(AT_ONCE)
    async with open_api_client(folder / "data", with_worker=False, database=address) as client:

        async def upload_one(client: ApiClient, number: int) -> None:
            async with semaphore:
                await client.upload(f"letter-{number}.md", _letter(number))

        await asyncio.gather(*(upload_one(client, number) for number in range(documents)))


def _letter(number: int) -> bytes:
    boat = ("narrowboat", "barge", "tug", "ferry")[number % 4]
    return (
        f"# Letter {number}\n\nThe {boat} number {number} passed lock {number % 29} at noon.\n\n"
        f"## Toll\n\nInvoice INV-{number:05d}, total {number % 97}.50 EUR, due 2026-03-{1 + number % 28:02d}.\n"
    ).encode()


@contextmanager
def _workers(folder: Path, address: str) -> Generator[list[ForkedCommand]]:
    arguments = ["worker", "--data", str(folder / "data"), "--database", address]
    workers: list[ForkedCommand] = []
    try:
        for number in range(WORKERS):
            workers.append(ForkedCommand(arguments, folder / f"worker-{number}.log", {**os.environ, **PACE}))
        yield workers
        for worker in workers:
            worker.terminate()
        for worker in workers:
            assert worker.wait(PROCESS_SECONDS) == 0
    finally:
        for worker in workers:
            worker.kill()
            worker.wait()


def _completed(dsn: str) -> int:
    return int(_rows(dsn, "select count(*) from documents where status = 'COMPLETED'")[0][0])


def _rows(dsn: str, query: LiteralString) -> list[tuple[Any, ...]]:
    with psycopg.connect(dsn) as connection:
        return connection.execute(query).fetchall()


def _check(dsn: str, documents: int, seconds: float, restarts: int) -> Report:
    states = _rows(dsn, "select document_id, state from processing_runs")
    assert Counter(state for _, state in states) == {"COMPLETED": documents}
    assert len({document for document, _ in states}) == documents, "a document has two runs"
    events = Counter(
        {
            (run, kind, stage): count
            for run, kind, stage, count in _rows(
                dsn, "select run_id, kind, stage, count(*) from run_events group by 1, 2, 3"
            )
        }
    )
    once = {key: count for key, count in events.items() if key[1] in ("STEP_COMPLETED", "RUN_COMPLETED")}
    assert set(once.values()) == {1}, "a stage was completed twice"
    jobs = _rows(
        dsn, "select run_id, stage, status, attempts from document_processing_jobs where not follow_up"
    )
    assert {status for _, _, status, _ in jobs} == {"COMPLETED"}
    assert len({(run, stage) for run, stage, _, _ in jobs}) == len(jobs), "a run has two jobs of one stage"
    chunks = _rows(dsn, "select document_id, ordinal from chunks")
    assert len(set(chunks)) == len(chunks), "content was published twice"
    assert len({document for document, _ in chunks}) == documents, "a document has no content"
    event_counts: Counter[str] = Counter()
    for (_, kind, _), count in events.items():
        event_counts[kind] += count
    return Report(
        documents,
        seconds,
        restarts,
        len(jobs),
        event_counts["STEP_STARTED"],
        event_counts["LEASE_EXPIRED"],
        sum(attempts for _, _, _, attempts in jobs),
        len(chunks),
    )


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--documents", type=int, default=2_000)
    parser.add_argument("--restarts", type=int, default=3)
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="towpath-drill-") as name, private_postgres() as server:
        report = drill(
            server,
            Path(name),
            documents=options.documents,
            restarts=options.restarts,
            limit=60.0 + options.documents,
        )
    sys.stdout.write(f"{report}\n")


if __name__ == "__main__":
    main()
