"""`python -m bench connections`: seconds to connect one new document, in libraries of growing size."""

from __future__ import annotations

import argparse
import asyncio
import sys
import tempfile
import time
from collections.abc import Generator, Mapping
from contextlib import AbstractContextManager, closing, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from itertools import islice
from pathlib import Path
from typing import cast

from bench.benchmarks_page import write_section
from bench.machine import describe_machine
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
from towpath.providers.local.embeddings.wordllama import embed_with_wordllama
from towpath.providers.local.embeddings.wordllama_model import WordLlamaVectors
from towpath.search.postgres.index import PostgresIndex
from towpath.search.similar_documents import SqlConnectionStore
from towpath.search.sqlite.index import SqliteIndex
from towpath.stages.connect import connect
from towpath.stages.contract import Context, Stage
from towpath.worker.process_pool import ProcessPool

#: The model name under which `bench.search.fill` stores its chunks. The vectors are those of the default model.
MODEL_NAME = "minilm-l6-int8"

SUMMARY = "connecting one document, in libraries of growing size"
SIZES = (10_000, 50_000, 100_000, 200_000)
QUICK = (1_000, 5_000)

HOW = f"""\
The documents are those of the search benchmark, embedded by the default model. Each is about one of 20 subjects
and they are much alike, so nearly every chunk has the maximum number of matches: the worst case. Each figure is
one whole `connect` job of a document of {CHUNKS_PER_DOCUMENT} chunks including its writes, the median of three
documents."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--engine", choices=["sqlite", "postgres"], help="measure this engine only")
    parser.add_argument("--quick", action="store_true", help="small libraries, to try the benchmark")


def run(arguments: argparse.Namespace) -> int:
    sizes = QUICK if arguments.quick else SIZES
    engines = [arguments.engine] if arguments.engine else ["sqlite", "postgres"]
    rows = [row for engine in engines for row in asyncio.run(_measure(engine, sizes))]
    heading = "| engine | chunks | seconds for a document | ms for a chunk | compared | connections |"
    table = "\n".join([heading, "|---|---|---|---|---|---|", *rows])
    print(table)
    if not arguments.quick and arguments.engine is None:
        write_section("connections", "\n\n".join(["## Connections", f"{describe_machine()} {HOW}", table]))
    return 0


async def _measure(engine: str, sizes: tuple[int, ...]) -> list[str]:
    pool = sentence_pool()
    generated = chunks(sizes[-1], pool, embed_with_wordllama(pool))
    opening: AbstractContextManager[Database] = _sqlite() if engine == "sqlite" else _postgres()
    rows: list[str] = []
    with opening as database, closing(ProcessPool(1)) as children:
        upgrade(database.engine)
        index = SqliteIndex(database) if engine == "sqlite" else PostgresIndex(database)
        stage = partial(
            connect,
            connection_store=SqlConnectionStore(index),
            compute=children,
            model=MODEL_NAME,
            word_vectors=WordLlamaVectors(),
        )
        filled = 0
        for size in sizes:
            fill(database, islice(generated, size - filled), size)
            filled = size
            _analyze(database)
            numbers = range(size // CHUNKS_PER_DOCUMENT - 4, size // CHUNKS_PER_DOCUMENT)
            # Not measured: the first query loads the vectors or the index into memory.
            await _connect(database, stage, numbers[0])
            times: list[tuple[float, Mapping[str, object]]] = []
            for number in numbers[1:]:
                started = time.perf_counter()
                result = await _connect(database, stage, number)
                times.append((time.perf_counter() - started, result))
            seconds, result = sorted(times, key=lambda timing: timing[0])[1]
            chunk_ms = seconds * 1000 / CHUNKS_PER_DOCUMENT
            counts = f"{result['compared']} | {result['connections']}"
            rows.append(f"| {engine} | {size:,} | {seconds:.2f} | {chunk_ms:.1f} | {counts} |")
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
                await self.database.run(lambda tx, write=write: write_connections(tx, self.org_id, write))


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
