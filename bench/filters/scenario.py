"""`python -m bench filters`: lists and searches with a tag and a date range beside the same without filters."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Generator
from pathlib import Path

from bench.benchmarks_page import write_section
from bench.filters.fill import RANGE, TAG, TAGGED, fill
from bench.machine import describe_machine
from bench.postgres import private_postgres
from bench.search.corpus import sentence_pool
from bench.search.figures import Times, describe_load, table
from bench.search.model_vectors import PrecomputedEmbedder, vectors_of
from bench.search.queries import questions
from towpath.ledger.database import Database
from towpath.ledger.migrate import upgrade
from towpath.ledger.postgres.database import PostgresDatabase
from towpath.ledger.sqlite.database import SqliteDatabase
from towpath.model.document_filters import NO_FILTERS, Filters
from towpath.model.ids import DEFAULT_ORG_ID
from towpath.queries.document_organizer import SqlDocumentOrganizer
from towpath.queries.documents import SqlDocumentQueries
from towpath.search.contract import Query
from towpath.search.hybrid import HybridSearcher
from towpath.search.postgres.index import PostgresIndex
from towpath.search.sqlite.index import SqliteIndex

Request = Callable[[str, Filters], Awaitable[None]]

SUMMARY = "lists and searches with a tag and a date range beside the same without filters"
FILTERS = Filters(tags=(TAG,), created_from=RANGE[0], created_before=RANGE[1])
#: The highest ratio of the medians that is accepted.
BAR = 1.5
_HNSW_INDEX = "ix_chunks_search_384"

HOW = f"""\
Documents of one chunk with two generated sentences, submitted evenly over a year. Every {TAGGED}th has the tag,
and the range is half of the year, so that the filters leave one document in {2 * TAGGED}. A list is the first 50
documents, newest first, with the total; a search is hybrid with 10 hits, and its query vector was computed beforehand.
Each request with filters follows the same request without, so that other load on the machine affects both."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--engine", choices=["sqlite", "postgres"], help="measure this engine only")
    parser.add_argument("--documents", type=int, default=100_000)
    parser.add_argument("--requests", type=int, default=100, help="requests for each row of a table")
    parser.add_argument("--lists", action="store_true", help="measure lists and counts only, no search")
    parser.add_argument(
        "--write", action="store_true", help="write the documentation even after a partial run"
    )


def run(arguments: argparse.Namespace) -> int:
    engines = [arguments.engine] if arguments.engine else ["sqlite", "postgres"]
    results = [
        asyncio.run(
            _measure(engine, arguments.documents, arguments.requests, with_search=not arguments.lists)
        )
        for engine in engines
    ]
    tables = [text for text, _ in results]
    print("\n\n".join(tables), flush=True)
    whole = arguments.engine is None and arguments.documents == 100_000 and not arguments.lists
    if arguments.write or whole:
        write_section("filters", "\n\n".join(["## Filters", f"{describe_machine()} {HOW}", *tables]))
    return 0 if all(ratio <= BAR for _, ratio in results) else 1


@contextlib.contextmanager
def _opened(engine: str) -> Generator[Database]:
    with contextlib.ExitStack() as stack:
        if engine == "sqlite":
            folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="towpath-bench-filters-"))
            database: Database = SqliteDatabase(Path(folder) / "ledger.db")
        else:
            database = PostgresDatabase(stack.enter_context(private_postgres()).create_database("filters"))
        stack.callback(database.close)
        upgrade(database.engine)
        yield database


async def _measure(engine: str, count: int, requests: int, *, with_search: bool) -> tuple[str, float]:
    print(f"{engine}: filling", file=sys.stderr, flush=True)
    pool = sentence_pool()
    texts = questions(requests, seed=300)
    embedder = PrecomputedEmbedder(texts)
    with _opened(engine) as database:
        _fill(database, lambda: fill(database, count, pool, vectors_of(pool), with_search=with_search))
        queries, organizer = SqlDocumentQueries(database, {}), SqlDocumentOrganizer(database)
        index = SqliteIndex(database) if engine == "sqlite" else PostgresIndex(database)
        searcher = HybridSearcher(index, embedder)

        async def listed(_text: str, filters: Filters) -> None:
            assert (await queries.documents(DEFAULT_ORG_ID, filters)).documents

        async def counted(_text: str, filters: Filters) -> None:
            assert (await organizer.facets(DEFAULT_ORG_ID, filters)).total

        async def searched(text: str, filters: Filters) -> None:
            assert (await searcher.search(Query(DEFAULT_ORG_ID, text, filters=filters))).hits

        rows: list[list[str]] = []
        ratios: list[float] = []
        measured: list[tuple[str, Request]] = [("list", listed), ("counts of the pills", counted)]
        if with_search:
            measured.append(("search", searched))
        for label, request in measured:
            plain, filtered = await _pairs(request, texts if request is not counted else texts[:20])
            ratio = filtered.percentile(50) / plain.percentile(50)
            cells = [
                f"{times.percentile(percent):.1f}" for percent in (50, 95) for times in (plain, filtered)
            ]
            rows.append([label, *cells, f"{ratio:.2f}"])
            if request is not counted:
                ratios.append(ratio)
    head = ["", "p50 ms", "with filters", "p95 ms", "with filters", "ratio of p50"]
    return f"### {engine}, {count:,} documents\n\n{table(head, rows)}\n\n{describe_load()}", max(ratios)


async def _pairs(request: Request, texts: list[str]) -> tuple[Times, Times]:
    """The times of each request without and with filters, after some that load caches."""
    samples: tuple[list[float], list[float]] = ([], [])
    for text in texts[:5]:
        for filters in (NO_FILTERS, FILTERS):
            await request(text, filters)
    for text in texts:
        for place, filters in enumerate((NO_FILTERS, FILTERS)):
            started = time.perf_counter()
            await request(text, filters)
            samples[place].append((time.perf_counter() - started) * 1000)
    return Times("without", tuple(samples[0])), Times("with filters", tuple(samples[1]))


def _fill(database: Database, insert: Callable[[], None]) -> None:
    """Insert, and build the vector index of Postgres afterwards, which is faster."""
    if database.dialect == "sqlite":
        insert()
        with database.engine.begin() as connection:
            connection.exec_driver_sql("analyze")
        return
    with database.engine.begin() as connection:
        definition = str(
            connection.exec_driver_sql(f"select pg_get_indexdef('{_HNSW_INDEX}'::regclass)").scalar_one()
        )
        connection.exec_driver_sql(f"drop index {_HNSW_INDEX}")
    insert()
    with database.engine.begin() as connection:
        connection.exec_driver_sql("set local maintenance_work_mem = '1GB'")
        connection.exec_driver_sql(definition)
    with database.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        connection.exec_driver_sql("vacuum (analyze)")
