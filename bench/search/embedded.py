"""Measures search on SQLite, with the query embedded by the local model each time."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from sqlalchemy import delete

from bench.search.corpus import GeneratedChunk, chunks, sentence_pool
from bench.search.figures import Times, describe_load, table
from bench.search.fill import chunk, document_id, fill
from bench.search.model_vectors import vectors_of
from bench.search.queries import mixed
from towpath.bootstrap.embedders import run_in_thread
from towpath.ledger import tables
from towpath.ledger.database import Transaction
from towpath.ledger.migrate import upgrade
from towpath.ledger.sqlite.database import SqliteDatabase
from towpath.ledger.verbs.index_words import index_documents
from towpath.model.ids import DEFAULT_ORG_ID
from towpath.providers.local.embeddings.english import EnglishEmbedder
from towpath.search.contract import Mode, Query
from towpath.search.hybrid import HybridSearcher
from towpath.search.sqlite.index import SqliteIndex

MODES: tuple[Mode, ...] = ("text", "vector", "hybrid")


async def measure(count: int, searches: int) -> str:
    pool = sentence_pool()
    vectors = vectors_of(pool)
    with tempfile.TemporaryDirectory(prefix="towpath-bench-search-") as folder:
        database = SqliteDatabase(Path(folder) / "ledger.db")
        try:
            upgrade(database.engine)
            fill(database, chunks(count, pool, vectors), count)
            first_document = [made for made in chunks(50, pool, vectors) if made.document == 0]
            return await _measure(database, pool, first_document, count, searches)
        finally:
            database.close()


async def _measure(
    database: SqliteDatabase,
    pool: Sequence[str],
    document: Sequence[GeneratedChunk],
    count: int,
    searches: int,
) -> str:
    searcher = HybridSearcher(SqliteIndex(database), EnglishEmbedder(run_in_thread))
    started = time.perf_counter()
    await searcher.search(Query(DEFAULT_ORG_ID, "the first search"))
    loading = time.perf_counter() - started
    rows: list[Times] = []
    for seed, mode in enumerate(MODES):
        # Different queries for each mode, so that no query vector is cached.
        queries = mixed(searches, pool, seed=100 + seed)
        rows.append(Times(mode, tuple([await _timed(searcher, text, mode) for text in queries])))
    times_after_change: list[float] = []
    for text in mixed(20, pool, seed=200):
        await database.run(lambda tx: _rewrite(tx, document))
        times_after_change.append(await _timed(searcher, text, "hybrid"))
    rows.append(Times("hybrid, after a document changed", tuple(times_after_change)))
    return (
        f"### SQLite, {count:,} chunks\n\n"
        f"{table(['', 'p50 ms', 'p95 ms', 'p99 ms'], [row.cells() for row in rows])}\n\n"
        f"The first search, which loads all vectors and the model, took {loading:.1f} s. "
        f"{describe_load()}"
    )


async def _timed(searcher: HybridSearcher, text: str, mode: Mode) -> float:
    started = time.perf_counter()
    await searcher.search(Query(DEFAULT_ORG_ID, text, mode))
    return (time.perf_counter() - started) * 1000


def _rewrite(tx: Transaction, document: Sequence[GeneratedChunk]) -> None:
    tx.connection.execute(delete(tables.chunks).where(tables.chunks.c.document_id == document_id(0)))
    tx.connection.execute(tables.chunks.insert(), [chunk(made) for made in document])
    index_documents(tx, [document_id(0)])
