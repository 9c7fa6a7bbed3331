"""Search on Postgres against pgvector asked by hand, with the same settings, filters and columns."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
import psycopg

from bench.postgres import private_postgres
from bench.search.corpus import MadeChunk, chunks, sentence_pool
from bench.search.figures import Times, describe_load, table
from bench.search.filling import chunk, fill
from bench.search.meaning import Prepared, vectors_of
from bench.search.questions import questions
from towpath.ledger.migrate import upgrade
from towpath.ledger.postgres.database import PostgresDatabase
from towpath.model.ids import HOME_ORG
from towpath.providers.contract import Vectors
from towpath.search.contract import Mode, Query
from towpath.search.neighbours import EF_SEARCH, MOST_SCANNED
from towpath.search.postgres import PostgresIndex
from towpath.search.searcher import HybridSearcher

#: Faster to build once than to keep while filling.
BUILT_LAST = ("ix_chunks_search_384", "ix_chunks_search_words")

SETTINGS = {
    "hnsw.ef_search": str(EF_SEARCH),
    "hnsw.iterative_scan": "relaxed_order",
    "hnsw.max_scan_tuples": str(MOST_SCANNED),
}

BY_HAND = """
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
    asked = questions(searches, seed=300)
    prepared = Prepared(asked)
    with private_postgres() as server:
        dsn = server.create_database("search")
        database = PostgresDatabase(dsn)
        try:
            upgrade(database.engine)
            everything = _Everything(count)
            _fill(database, everything.watched(chunks(count, pool, vectors)), count)
            return await _measure(database, dsn, asked, prepared, everything, count)
        finally:
            database.close()


class _Everything:
    """All vectors in memory: the truth that recall is measured against."""

    def __init__(self, count: int) -> None:
        self._vectors = np.empty((count, Prepared.dimension), np.float32)
        self._ids: list[str] = []

    def watched(self, made: Iterable[MadeChunk]) -> Iterator[MadeChunk]:
        for one in made:
            self._vectors[len(self._ids)] = one.vector
            self._ids.append(str(chunk(one)["id"]))
            yield one

    def nearest(self, vector: Vectors, count: int) -> set[str]:
        best = np.argsort(-(self._vectors @ vector), kind="stable")[:count]
        return {self._ids[at] for at in best}


def _fill(database: PostgresDatabase, made: Iterable[MadeChunk], count: int) -> None:
    with database.engine.begin() as connection:
        definitions = [
            str(connection.exec_driver_sql(f"select pg_get_indexdef('{name}'::regclass)").scalar_one())
            for name in BUILT_LAST
        ]
        for name in BUILT_LAST:
            connection.exec_driver_sql(f"drop index {name}")
    fill(database, made, count)
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
    asked: Sequence[str],
    prepared: Prepared,
    everything: _Everything,
    count: int,
) -> str:
    searcher = HybridSearcher(PostgresIndex(database), prepared)
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.prepare_threshold = 2
        for name, value in SETTINGS.items():
            connection.execute("select set_config(%s, %s, false)", (name, value))
        for text in asked[:40]:
            _by_hand(connection, prepared[text])
            await _timed(searcher, text, "vector")
        by_hand: list[float] = []
        ours: list[float] = []
        right = 0
        # In turns, so that whatever else the machine does disturbs both alike.
        for text in asked:
            by_hand.append(_by_hand(connection, prepared[text]))
            milliseconds, found = await _timed(searcher, text, "vector")
            ours.append(milliseconds)
            right += len(found & everything.nearest(prepared[text], 10))
    rows = [Times("pgvector by hand", tuple(by_hand)), Times("vector", tuple(ours))]
    for mode in ("text", "hybrid"):
        rows.append(Times(mode, tuple([(await _timed(searcher, text, mode))[0] for text in asked])))
    ratio = rows[1].at(95) / rows[0].at(95)
    return (
        f"### Postgres, {count:,} chunks\n\n"
        f"{table(['', 'p50 ms', 'p95 ms', 'p99 ms'], [row.cells() for row in rows])}\n\n"
        f"Recall@10 against exact search: **{right / (10 * len(asked)):.3f}**. The p95 of a vector search is "
        f"**{ratio:.2f}×** that of pgvector by hand, which has the same settings, filters and columns, and makes "
        f"no snippets. Query vectors are ready beforehand in this table. {describe_load()}"
    )


def _by_hand(connection: psycopg.Connection[Any], vector: Vectors) -> float:
    started = time.perf_counter()
    written = json.dumps([round(number, 8) for number in vector.tolist()])
    values = {"vector": written, "org": HOME_ORG, "model": Prepared.model}
    connection.execute(BY_HAND, values).fetchall()
    return (time.perf_counter() - started) * 1000


async def _timed(searcher: HybridSearcher, text: str, mode: Mode) -> tuple[float, set[str]]:
    started = time.perf_counter()
    hits = await searcher.search(Query(HOME_ORG, text, mode))
    return (time.perf_counter() - started) * 1000, {hit.chunk_id for hit in hits}
