"""Search on Postgres compared with plain pgvector queries, with the same settings, filters and columns."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
import psycopg

from bench.postgres import private_postgres
from bench.search.corpus import GeneratedChunk, chunks, sentence_pool
from bench.search.figures import Times, describe_load, table
from bench.search.fill import chunk, fill
from bench.search.model_vectors import PrecomputedEmbedder, vectors_of
from bench.search.queries import questions
from towpath.ledger.migrate import upgrade
from towpath.ledger.postgres.database import PostgresDatabase
from towpath.model.ids import DEFAULT_ORG_ID
from towpath.providers.contract import Vectors
from towpath.search.contract import Mode, Query
from towpath.search.hybrid import HybridSearcher
from towpath.search.postgres.index import PostgresIndex
from towpath.search.postgres.vectors import EF_SEARCH, MAX_SCAN_TUPLES

#: Indexes built after the inserts, which is faster than updating them during the inserts.
BUILT_LAST = ("ix_chunks_search_384",)

SETTINGS = {
    "hnsw.ef_search": str(EF_SEARCH),
    "hnsw.iterative_scan": "relaxed_order",
    "hnsw.max_scan_tuples": str(MAX_SCAN_TUPLES),
}

PGVECTOR_QUERY = """
select c.id, c.document_id, c.ordinal, c.text, c.anchor, d.name, d.kind, near.distance
from (
  select number, vector::vector(384) <=> %(vector)s::vector(384) as distance from chunks
  where dimension = 384 and org_id = %(org)s and model = %(model)s
  order by vector::vector(384) <=> %(vector)s::vector(384) limit 10
) as near
join chunks as c on c.number = near.number join documents as d on d.id = c.document_id
order by near.distance
"""


async def measure(count: int, searches: int) -> str:
    pool = sentence_pool()
    vectors = vectors_of(pool)
    queries = questions(searches, seed=300)
    embedder = PrecomputedEmbedder(queries)
    with private_postgres() as server:
        dsn = server.create_database("search")
        database = PostgresDatabase(dsn)
        try:
            upgrade(database.engine)
            exact_search = _ExactSearch(count)
            _fill(database, exact_search.record(chunks(count, pool, vectors)), count)
            return await _measure(database, dsn, queries, embedder, exact_search, count)
        finally:
            database.close()


class _ExactSearch:
    """Exact search over all vectors in memory, the reference for recall."""

    def __init__(self, count: int) -> None:
        self._vectors = np.empty((count, PrecomputedEmbedder.dimension), np.float32)
        self._ids: list[str] = []

    def record(self, generated: Iterable[GeneratedChunk]) -> Iterator[GeneratedChunk]:
        """Pass the chunks through and store their vectors."""
        for item in generated:
            self._vectors[len(self._ids)] = item.vector
            self._ids.append(str(chunk(item)["id"]))
            yield item

    def nearest(self, vector: Vectors, count: int) -> set[str]:
        best = np.argsort(-(self._vectors @ vector), kind="stable")[:count]
        return {self._ids[index] for index in best}


def _fill(database: PostgresDatabase, generated: Iterable[GeneratedChunk], count: int) -> None:
    with database.engine.begin() as connection:
        definitions = [
            str(connection.exec_driver_sql(f"select pg_get_indexdef('{name}'::regclass)").scalar_one())
            for name in BUILT_LAST
        ]
        for name in BUILT_LAST:
            connection.exec_driver_sql(f"drop index {name}")
    fill(database, generated, count)
    with database.engine.begin() as connection:
        connection.exec_driver_sql("set local maintenance_work_mem = '1GB'")
        for definition in definitions:
            connection.exec_driver_sql(definition)
    with database.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        connection.exec_driver_sql("vacuum (analyze) chunks")
        connection.exec_driver_sql("vacuum (analyze) documents")


async def _measure(
    database: PostgresDatabase,
    dsn: str,
    queries: Sequence[str],
    embedder: PrecomputedEmbedder,
    exact_search: _ExactSearch,
    count: int,
) -> str:
    searcher = HybridSearcher(PostgresIndex(database), embedder)
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.prepare_threshold = 2
        for name, value in SETTINGS.items():
            connection.execute("select set_config(%s, %s, false)", (name, value))
        for text in queries[:40]:
            _time_pgvector(connection, embedder[text])
            await _timed(searcher, text, "vector")
        reference_times: list[float] = []
        towpath_times: list[float] = []
        correct = 0
        # Alternate, so that other load on the machine affects both equally.
        for text in queries:
            reference_times.append(_time_pgvector(connection, embedder[text]))
            milliseconds, chunk_ids = await _timed(searcher, text, "vector")
            towpath_times.append(milliseconds)
            correct += len(chunk_ids & exact_search.nearest(embedder[text], 10))
    rows = [Times("plain pgvector query", tuple(reference_times)), Times("vector", tuple(towpath_times))]
    for mode in ("text", "hybrid"):
        rows.append(Times(mode, tuple([(await _timed(searcher, text, mode))[0] for text in queries])))
    ratio = rows[1].percentile(95) / rows[0].percentile(95)
    return (
        f"### Postgres, {count:,} chunks\n\n"
        f"{table(['', 'p50 ms', 'p95 ms', 'p99 ms'], [row.cells() for row in rows])}\n\n"
        f"Recall@10 against exact search: **{correct / (10 * len(queries)):.3f}**. The p95 of a vector search is "
        f"**{ratio:.2f}×** that of a plain pgvector query with the same settings, filters and columns, without "
        f"snippets. Query vectors were computed beforehand for this table. {describe_load()}"
    )


def _time_pgvector(connection: psycopg.Connection[Any], vector: Vectors) -> float:
    started = time.perf_counter()
    written = json.dumps([round(number, 8) for number in vector.tolist()])
    values = {"vector": written, "org": DEFAULT_ORG_ID, "model": PrecomputedEmbedder.model}
    connection.execute(PGVECTOR_QUERY, values).fetchall()
    return (time.perf_counter() - started) * 1000


async def _timed(searcher: HybridSearcher, text: str, mode: Mode) -> tuple[float, set[str]]:
    started = time.perf_counter()
    hits = (await searcher.search(Query(DEFAULT_ORG_ID, text, mode))).hits
    return (time.perf_counter() - started) * 1000, {hit.chunk_id for hit in hits}
