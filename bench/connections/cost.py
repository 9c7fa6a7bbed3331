"""The cost to connect one new document, in libraries of growing size."""

from __future__ import annotations

import asyncio
import sys
import tempfile
import time
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any, cast

from bench.search.corpus import CHUNKS_PER_DOCUMENT, chunks, sentence_pool
from bench.search.fill import document_id, fill
from tests.support.databases import private_postgres
from towpath.ledger.database import Database
from towpath.ledger.migrate import upgrade
from towpath.ledger.postgres.database import PostgresDatabase
from towpath.ledger.sqlite.database import SqliteDatabase
from towpath.ledger.verbs.connect import connect as write_connections
from towpath.model.ids import DEFAULT_ORG_ID
from towpath.model.job import ProgressUnit
from towpath.model.outcome import Done
from towpath.model.writes import Connect, Write
from towpath.providers.local.embeddings.fast import embed_fast
from towpath.search.postgres.index import PostgresIndex
from towpath.search.sql_connection_store import SqlConnectionStore
from towpath.search.sqlite.index import SqliteIndex
from towpath.stages.connect import connect
from towpath.stages.contract import Context, Stage

#: The model name under which `bench.search.fill` stores its chunks. The vectors are those of the default model.
MODEL_NAME = "minilm-l6-int8"

SIZES = (10_000, 50_000, 100_000, 200_000)
QUICK = (1_000, 5_000)

HOW = f"""\
The documents are those of the search benchmark. Each is about one of 20 subjects and they are made of the same
sentences, so nearly every chunk has many similar ones: the worst case. Each figure is one whole `connect` job of a
document of {CHUNKS_PER_DOCUMENT} chunks including its writes, the median of three documents. CPU is that of the worker
process; Postgres has its own beside it."""

HEADING = "| engine | chunks | seconds for a document | CPU seconds | compared | connections |"


def table(engines: Sequence[str], sizes: tuple[int, ...]) -> str:
    rows = [row for engine in engines for row in asyncio.run(_measure(engine, sizes))]
    return "\n".join([HEADING, "|---|---|---|---|---|---|", *rows])


async def _measure(engine: str, sizes: tuple[int, ...]) -> list[str]:
    pool = sentence_pool()
    generated = chunks(sizes[-1], pool, embed_fast(pool))
    opening: AbstractContextManager[Database] = _sqlite() if engine == "sqlite" else _postgres()
    rows: list[str] = []
    with opening as database:
        upgrade(database.engine)
        index = SqliteIndex(database) if engine == "sqlite" else PostgresIndex(database)
        stage = partial(
            connect,
            connection_store=SqlConnectionStore(index),
            compute=_InProcess(),
        )
        filled = 0
        for size in sizes:
            fill(database, islice(generated, size - filled), size)
            filled = size
            _analyze(database)
            numbers = range(size // CHUNKS_PER_DOCUMENT - 4, size // CHUNKS_PER_DOCUMENT)
            # Not measured: the first query loads the vectors or the index into memory.
            await _connect(database, stage, numbers[0])
            times: list[tuple[float, float, Mapping[str, object]]] = []
            for number in numbers[1:]:
                started, cpu = time.perf_counter(), time.process_time()
                result = await _connect(database, stage, number)
                times.append((time.perf_counter() - started, time.process_time() - cpu, result))
            seconds, cpu, result = sorted(times, key=lambda timing: timing[1])[1]
            counts = f"{result['compared']} | {result['connections']}"
            rows.append(f"| {engine} | {size:,} | {seconds:.2f} | {cpu:.2f} | {counts} |")
            print(rows[-1], file=sys.stderr, flush=True)
    return rows


def _analyze(database: Database) -> None:
    """Updates the planner's statistics, as autovacuum would do within a minute."""
    with database.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        connection.exec_driver_sql("analyze")


async def _connect(database: Database, stage: Stage, number: int) -> Mapping[str, object]:
    outcome = await stage(cast("Context", _MinimalContext(database, document_id(number))))
    assert isinstance(outcome, Done)
    return outcome.result


class _InProcess:
    """Runs the computation in this process, so that its CPU time is measured."""

    async def run(
        self,
        function: Callable[..., Any],
        *arguments: object,
        seconds: float,
        on_progress: object = None,
        budget: object = None,
    ) -> Any:
        return function(*arguments)


@dataclass(frozen=True, slots=True)
class _MinimalContext:
    """The part of a stage's context that `connect` uses, without a queue and a lease."""

    database: Database
    document_id: str
    org_id: str = DEFAULT_ORG_ID

    def now(self) -> datetime:
        return datetime.now(UTC)

    def check_lease(self) -> None: ...

    async def progress(self, done: int, total: int, unit: ProgressUnit) -> None: ...

    async def write(self, *writes: Write) -> None:
        for write in writes:
            if isinstance(write, Connect):
                await self.database.run(
                    lambda tx, write=write: write_connections(tx, self.org_id, write, claimed_at=None)
                )


@contextmanager
def _sqlite() -> Generator[Database]:
    with tempfile.TemporaryDirectory(prefix="towpath-bench-connections-") as folder:
        database = SqliteDatabase(Path(folder) / "ledger.db")
        try:
            yield database
        finally:
            database.close()


@contextmanager
def _postgres() -> Generator[Database]:
    with private_postgres() as server:
        database = PostgresDatabase(server.create())
        try:
            yield database
        finally:
            database.close()
