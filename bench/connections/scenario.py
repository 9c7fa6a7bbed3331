"""`python -m bench connections`: what connecting one new document costs in libraries of growing size."""

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

from bench.machine import describe_machine
from bench.page import write_section
from bench.search.corpus import CHUNKS_PER_DOCUMENT, chunks, sentence_pool
from bench.search.filling import document_id, fill
from tests.support.databases import private_postgres
from towpath.ledger.database import Database
from towpath.ledger.migrate import upgrade
from towpath.ledger.postgres.database import PostgresDatabase
from towpath.ledger.sqlite.database import SqliteDatabase
from towpath.ledger.verbs.connect import connect as write_connections
from towpath.model.ids import HOME_ORG
from towpath.model.work import Done
from towpath.model.writes import Connect, Write
from towpath.providers.local.wordllama import embed_statically
from towpath.search.library import SqlLibrary
from towpath.search.postgres import PostgresIndex
from towpath.search.sqlite import SqliteIndex
from towpath.stages.connect import connect
from towpath.stages.contract import Context, Stage
from towpath.worker.children import Children

#: The name under which the search scenario files its chunks; only that they agree matters.
FILED_UNDER = "minilm-l6-int8"

SUMMARY = "connecting one document, in libraries of growing size"
SIZES = (10_000, 50_000, 100_000, 200_000)
QUICK = (1_000, 5_000)

HOW = f"""\
The library is the generated one of the search scenario, embedded by the default model. Its documents are on
one of 20 subjects and much alike, so nearly every passage has as many matches as are looked for: the worst
case. Each figure is a whole `connect` of a document of {CHUNKS_PER_DOCUMENT} chunks with what it writes, the
median of three documents."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--engine", choices=["sqlite", "postgres"], help="only this one")
    parser.add_argument("--quick", action="store_true", help="small libraries, for trying only")


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
    made = chunks(sizes[-1], pool, embed_statically(pool))
    opening: AbstractContextManager[Database] = _sqlite() if engine == "sqlite" else _postgres()
    rows: list[str] = []
    with opening as database, closing(Children(1)) as children:
        upgrade(database.engine)
        index = SqliteIndex(database) if engine == "sqlite" else PostgresIndex(database)
        connecting = partial(connect, library=SqlLibrary(index), compute=children, model=FILED_UNDER)
        filled = 0
        for size in sizes:
            fill(database, islice(made, size - filled), size)
            filled = size
            _settle(database)
            new = range(size // CHUNKS_PER_DOCUMENT - 4, size // CHUNKS_PER_DOCUMENT)
            # The first look reads the vectors into memory, or the index; it is no part of what follows.
            await _connect(database, connecting, new[0])
            times: list[tuple[float, Mapping[str, object]]] = []
            for number in new[1:]:
                started = time.perf_counter()
                result = await _connect(database, connecting, number)
                times.append((time.perf_counter() - started, result))
            seconds, result = sorted(times, key=lambda one: one[0])[1]
            each = seconds * 1000 / CHUNKS_PER_DOCUMENT
            counts = f"{result['compared']} | {result['connections']}"
            rows.append(f"| {engine} | {size:,} | {seconds:.2f} | {each:.1f} | {counts} |")
            print(rows[-1], file=sys.stderr, flush=True)
    return rows


def _settle(database: Database) -> None:
    """What Postgres does by itself within a minute: look at what it holds, by which it plans."""
    with database.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        connection.exec_driver_sql("analyze")


async def _connect(database: Database, connecting: Stage, number: int) -> Mapping[str, object]:
    outcome = await connecting(cast("Context", _Bare(database, document_id(number))))
    assert isinstance(outcome, Done)
    return outcome.result


@dataclass(frozen=True, slots=True)
class _Bare:
    """A job without a queue: what `connect` asks of its context, and nothing else."""

    database: Database
    document_id: str
    org_id: str = HOME_ORG

    def now(self) -> datetime:
        return datetime.now(UTC)

    def check(self) -> None: ...

    async def progress(self, done: int, total: int) -> None: ...

    async def write(self, *writes: Write) -> None:
        for one in writes:
            if isinstance(one, Connect):
                await self.database.run(lambda tx, one=one: write_connections(tx, self.org_id, one))


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
