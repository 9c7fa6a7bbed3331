"""Answers searches over the generated collection with the version of Towpath that is on the import path.

`bench.search.against` runs this file twice: with this version and with an older checkout, whose names may differ.
It reads one request a line (JSON) and writes one answer a line.
"""

from __future__ import annotations

import asyncio
import hashlib
import importlib
import itertools
import json
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, cast

import numpy as np


def _find(*choices: str) -> Any:
    """The first of these names (`module:name`) that this version has."""
    for choice in choices:
        module, name = choice.split(":")
        try:
            return getattr(importlib.import_module(module), name)
        except (ImportError, AttributeError):
            continue
    raise SystemExit(f"This version has none of {', '.join(choices)}.")


Embedded = _find("towpath.providers.contract:Embedded")


class KnownVectors:
    """An embedder with the vectors of all queries, so that embedding is not measured."""

    provider = "bench"
    price_per_million = 0.0
    languages = frozenset({"en"})
    fusion_weight = 0.5
    noise_similarity = 0.3
    batch_limit = None

    def __init__(self, model: str, vectors: dict[str, Any]) -> None:
        self.model, self._vectors = model, vectors
        self.dimension = len(next(iter(vectors.values())))

    def batches(self, texts: Sequence[str]) -> list[range]:
        return [range(len(texts))]

    async def embed(self, texts: Sequence[str]) -> Any:
        return Embedded(np.stack([self._vectors[text] for text in texts]))


def _open(engine: str, place: str) -> tuple[Any, Any]:
    """The empty database and its search index."""
    if engine == "sqlite":
        database = _find("towpath.ledger.sqlite.database:SqliteDatabase")(Path(place))
        index = _find("towpath.search.sqlite.index:SqliteIndex", "towpath.search.sqlite:SqliteIndex")
    else:
        database = _find("towpath.ledger.postgres.database:PostgresDatabase")(place)
        index = _find("towpath.search.postgres.index:PostgresIndex", "towpath.search.postgres:PostgresIndex")
    _find("towpath.ledger.migrate:upgrade")(database.engine)
    return database, index(database)


def _fill(database: Any, engine: str, generated: Iterable[Any], count: int) -> None:
    """Insert the collection. On Postgres the search indexes are built at the end, which is faster."""
    fill = _find("bench.search.fill:fill", "bench.search.filling:fill")
    definitions: list[str] = []
    if engine == "postgres":
        with database.engine.begin() as connection:
            listed = connection.exec_driver_sql(
                "select indexname, indexdef from pg_indexes where indexname like 'ix_chunks_search_%%'"
            ).all()
            definitions = [str(definition) for _, definition in listed]
            for name, _ in listed:
                connection.exec_driver_sql(f"drop index {name}")
    fill(database, generated, count)
    with database.engine.begin() as connection:
        if engine == "postgres":
            connection.exec_driver_sql("set local maintenance_work_mem = '1GB'")
        for definition in definitions:
            connection.exec_driver_sql(definition)
    with database.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        connection.exec_driver_sql("vacuum (analyze)" if engine == "postgres" else "analyze")


def _size(database: Any, engine: str, place: str) -> int:
    if engine == "sqlite":
        return sum(path.stat().st_size for path in Path(place).parent.glob(f"{Path(place).name}*"))
    with database.engine.connect() as connection:
        return int(connection.exec_driver_sql("select pg_database_size(current_database())").scalar_one())


def _digested(generated: Iterable[Any], digest: Any) -> Iterator[Any]:
    for item in generated:
        digest.update(item.text.encode())
        yield item


async def _answer(searcher: Any, query: Any) -> dict[str, float]:
    started, cpu = time.perf_counter(), time.process_time()
    found = await searcher.search(query)
    ended, cpu_ended = time.perf_counter(), time.process_time()
    # Older versions answer with the list of hits.
    hits = cast("Sequence[object]", getattr(found, "hits", found))
    return {
        "milliseconds": (ended - started) * 1000,
        "cpu_milliseconds": (cpu_ended - cpu) * 1000,
        "hits": len(hits),
    }


def main(engine: str, place: str, count: int, folder: Path) -> None:
    org_id = _find("towpath.model.ids:DEFAULT_ORG_ID", "towpath.model.ids:HOME_ORG")
    chunk = _find("bench.search.fill:chunk", "bench.search.filling:chunk")
    document_id = _find("bench.search.fill:document_id", "bench.search.filling:document_id")
    make_chunks = _find("bench.search.corpus:chunks")
    pool = json.loads((folder / "pool.json").read_text())
    queries = json.loads((folder / "queries.json").read_text())
    vectors, pool_vectors = np.load(folder / "queries.npy"), np.load(folder / "pool.npy")
    database, index = _open(engine, place)
    digest = hashlib.sha256()
    first, *_ = itertools.islice(make_chunks(count, pool, pool_vectors), 1)
    started, cpu = time.perf_counter(), time.process_time()
    _fill(database, engine, _digested(make_chunks(count, pool, pool_vectors), digest), count)
    built = {"seconds": time.perf_counter() - started, "cpu_seconds": time.process_time() - cpu}
    embedder = KnownVectors(chunk(first)["model"], dict(zip(queries, vectors, strict=True)))
    searcher = _find("towpath.search.hybrid:HybridSearcher", "towpath.search.searcher:HybridSearcher")(
        index, embedder
    )
    make_query = _find("towpath.search.contract:Query")
    print(
        json.dumps({**built, "bytes": _size(database, engine, place), "digest": digest.hexdigest()}),
        flush=True,
    )
    with asyncio.Runner() as runner:
        for line in sys.stdin:
            request = json.loads(line)
            filters = dict(request["filters"])
            if "document" in filters:
                filters = {"document_id": document_id(filters["document"])}
            query = make_query(org_id, request["text"], "hybrid", **filters)
            print(json.dumps(runner.run(_answer(searcher, query))), flush=True)
    database.close()


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]), Path(sys.argv[4]))
