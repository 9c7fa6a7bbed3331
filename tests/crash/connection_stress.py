"""Rewrites and deletes documents without pause while connect jobs of other documents run.

`python -m tests.crash.connection_stress --minutes 10 --engine postgres` is the long run; `make test` has a short
one. At the end all connections are recomputed without changes and must be the same.
"""

from __future__ import annotations

import argparse
import asyncio
import logging
import random
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

from sqlalchemy import delete, event

from tests.integration.connection_harness import ConnectionHarness, make_connection_harness
from tests.support.books import CHAPTERS
from tests.support.databases import (
    FAST_SETTINGS,
    EngineUnderTest,
    migrated_sqlite,
    postgres_engine,
    private_postgres,
    sqlite_engine,
)
from tests.support.factories import a_document
from towpath.errors import DatabaseUnavailable, NotFound
from towpath.ledger.tables import connections
from towpath.model.ids import DEFAULT_ORG_ID, document_id

DOCUMENTS = 8
_PASSAGES = [text for chapter in CHAPTERS for text in (chapter.first, chapter.second, chapter.retold)]


@dataclass(slots=True)
class StressReport:
    """Counts of changes and database errors during the stress."""

    rewritten: int = 0
    deleted: int = 0
    #: Requests during which the database was unavailable, as happens on an overloaded machine.
    unavailable: int = 0
    foreign_keys: list[str] = field(default_factory=list[str])
    log_errors: list[str] = field(default_factory=list[str])
    #: Lock conflicts that the database layer retried itself, without an error for the caller.
    retried: int = 0

    @property
    def deadlocks(self) -> list[str]:
        """Deadlocks that reached the log."""
        return [log_error for log_error in self.log_errors if "deadlock" in log_error.lower()]


class _Listener(logging.Handler):
    def __init__(self, report: StressReport) -> None:
        super().__init__(logging.WARNING)
        self._report = report

    def emit(self, record: logging.LogRecord) -> None:
        error = record.exc_info[1] if record.exc_info else ""
        self._report.log_errors.append(f"{record.getMessage()} {error}".strip())


def watch(engine: EngineUnderTest, report: StressReport) -> None:
    """Record every error of the database, also one that is retried and never reaches a caller."""

    def record_error(context: object) -> None:
        message = str(getattr(context, "original_exception", "")).lower()
        if "foreign key" in message:
            report.foreign_keys.append(message)
        report.retried += "deadlock" in message

    event.listen(engine.database.engine, "handle_error", record_error)


async def run_stress(engine: EngineUnderTest, seconds: float, seed: int) -> StressReport:
    rng = random.Random(seed)
    report = StressReport()
    watch(engine, report)
    listener = _Listener(report)
    logging.getLogger("towpath").addHandler(listener)
    harness = make_connection_harness(engine)
    try:
        async with harness.run_worker(), asyncio.TaskGroup() as clients:
            for number in range(DOCUMENTS):
                clients.create_task(
                    _change_document(harness, number, seconds, report, random.Random(rng.random()))
                )
        async with harness.run_worker():
            await harness.wait_until_idle()
            assert await harness.stored(), "the stress left no connections"
            # Connections depend on the library at the time of the comparison, and so on the order of the connect
            # jobs: those left by the stress are not comparable. What it left behind must not disturb a recomputation.
            await _recompute_connections(harness)
            recomputed = await harness.stored()
            await _recompute_connections(harness)
            assert recomputed == await harness.stored(), "two recomputations in the same order differ"
            assert recomputed, "there are no connections to compare"
    finally:
        logging.getLogger("towpath").removeHandler(listener)
    return report


async def _change_document(
    harness: ConnectionHarness, number: int, seconds: float, report: StressReport, rng: random.Random
) -> None:
    """One client with one document: uploads it, rewrites it often, and deletes it sometimes."""
    name = f"document {number}"
    own_document_id = document_id(DEFAULT_ORG_ID, a_document(name).sha256)
    await _upload(harness, name, report, rng)
    # The time starts here, so that a slow first upload does not shorten the stress.
    end_time = time.monotonic() + seconds
    while time.monotonic() < end_time:
        try:
            if rng.random() < 0.2:
                await harness.delete(own_document_id)
                report.deleted += 1
                await _upload(harness, name, report, rng)
            else:
                await harness.rewrite(own_document_id, *rng.sample(_PASSAGES, rng.randint(3, 8)))
                report.rewritten += 1
        except NotFound:
            await _upload(harness, name, report, rng)
        except DatabaseUnavailable:
            report.unavailable += 1
        await asyncio.sleep(rng.random() * 0.05)


async def _upload(harness: ConnectionHarness, name: str, report: StressReport, rng: random.Random) -> None:
    """Upload the document; repeat while the database is unavailable, as any client would."""
    while True:
        try:
            await harness.submit(name, *rng.sample(_PASSAGES, 6))
            return
        except DatabaseUnavailable:
            report.unavailable += 1


async def _recompute_connections(harness: ConnectionHarness) -> None:
    """Delete all connections and run the last connect job of every document again, one by one."""
    await harness.ledger.database.run(lambda tx: tx.connection.execute(delete(connections)))
    for number in range(DOCUMENTS):
        await harness.connect_again(document_id(DEFAULT_ORG_ID, a_document(f"document {number}").sha256))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--engine", choices=["sqlite", "postgres"], required=True)
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 30))
    arguments = parser.parse_args()
    print(f"{arguments.engine}, {arguments.minutes} minutes, seed {arguments.seed}", flush=True)
    if arguments.engine == "sqlite":
        with tempfile.TemporaryDirectory() as folder:
            template = migrated_sqlite(Path(folder) / "template.db")
            with sqlite_engine(Path(folder) / "ledger.db", template) as engine:
                report = asyncio.run(run_stress(engine, arguments.minutes * 60, arguments.seed))
    else:
        with private_postgres(FAST_SETTINGS) as server, postgres_engine(server.create_migrated()) as engine:
            report = asyncio.run(run_stress(engine, arguments.minutes * 60, arguments.seed))
    print(f"{report.rewritten} rewritten, {report.deleted} deleted, the connections equal a recomputation")
    print(f"foreign-key errors {len(report.foreign_keys)}, deadlocks {len(report.deadlocks)}, ", end="")
    print(f"retried without an error {report.retried}, unavailable {report.unavailable}")
    print("\n".join(report.log_errors[:20]))
    return 1 if report.foreign_keys or report.deadlocks else 0


if __name__ == "__main__":
    sys.exit(main())
