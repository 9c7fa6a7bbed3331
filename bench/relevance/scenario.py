"""`python -m bench relevance`: nDCG@10 of search on test collections, beside BM25 by bm25s with Snowball."""

from __future__ import annotations

import argparse
import asyncio
import sys
import tempfile
import time
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from bench.postgres import private_postgres
from bench.relevance.baseline import main_language, search_baseline
from bench.relevance.collection import Collection, find_collections, read_collection
from bench.relevance.library import chunk_collection, document_id, embed_texts, fill
from bench.relevance.ndcg import mean_ndcg
from bench.search.figures import table
from towpath.bootstrap.embedders import build_embedder as make_embedder
from towpath.bootstrap.embedders import run_in_thread
from towpath.config import load
from towpath.ledger.database import Database
from towpath.ledger.migrate import upgrade
from towpath.ledger.postgres.database import PostgresDatabase
from towpath.ledger.sqlite.database import SqliteDatabase
from towpath.model.ids import DEFAULT_ORG_ID
from towpath.providers.contract import Embedded, Embedder, Vectors
from towpath.search.contract import Mode, Query
from towpath.search.hybrid import HybridSearcher
from towpath.search.index_contract import SearchIndex
from towpath.search.postgres.index import PostgresIndex
from towpath.search.sqlite.index import SqliteIndex

SUMMARY = "relevance of search on test collections, beside BM25 by bm25s with Snowball"

MODES: tuple[Mode, ...] = ("hybrid", "text", "vector")
#: Hits that are read for 10 documents: several chunks of one document count once.
HITS = 30
OWN_COLLECTION = Path(__file__).parent / "collection"


@dataclass(frozen=True, slots=True)
class Result:
    collection: str
    language: str
    baseline: float
    by_mode: dict[Mode, float]

    def cells(self) -> list[str]:
        figures = [*(self.by_mode[mode] for mode in MODES), self.baseline]
        return [f"{self.collection} ({self.language})", *(f"{figure:.3f}" for figure in figures)]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--data",
        type=Path,
        default=OWN_COLLECTION,
        help="a collection in BEIR format, or a folder of collections; default: the small one of the repository",
    )
    parser.add_argument("--engine", choices=("sqlite", "postgres"), default="sqlite")
    parser.add_argument("--embedder", help="the embedder to measure; default: that of the settings")
    parser.add_argument("--weight", type=float, help="another weight of the similarity, to compare")
    parser.add_argument("--queries", type=int, help="only the first questions of each collection")
    parser.add_argument(
        "--cache",
        type=Path,
        default=Path(tempfile.gettempdir()) / "towpath-bench-relevance",
        help="folder in which vectors are kept for the next run",
    )


def run(arguments: argparse.Namespace) -> int:
    arguments.cache.mkdir(parents=True, exist_ok=True)
    folders = find_collections(arguments.data)
    if not folders:
        print(f"No collection in BEIR format in {arguments.data}.", file=sys.stderr)
        return 1
    results: list[Result] = []
    for folder in folders:
        started = time.perf_counter()
        results.append(asyncio.run(_measure(read_collection(folder), arguments)))
        print(f"{results[-1].collection}: {time.perf_counter() - started:.0f} s", file=sys.stderr, flush=True)
    print(table(["nDCG@10", *MODES, "bm25s"], [result.cells() for result in results]))
    return 0


async def _measure(collection: Collection, arguments: argparse.Namespace) -> Result:
    if arguments.queries is not None:
        kept = list(collection.queries)[: arguments.queries]
        collection = Collection(
            collection.name,
            collection.corpus,
            {query: collection.queries[query] for query in kept},
            collection.judgments,
        )
    language = main_language(collection)
    baseline = mean_ndcg(search_baseline(collection, language), collection.judgments)
    settings = load({"embedder": arguments.embedder, "data": str(arguments.cache)}).settings
    embedder = make_embedder(settings, run_in_thread)
    passages = chunk_collection(collection)
    vectors = await embed_texts(embedder, [passage.chunk.text for passage in passages], arguments.cache)
    asked = list(collection.queries.values())
    known = PrecomputedEmbedder(embedder, asked, await embed_texts(embedder, asked, arguments.cache))
    with _library(arguments.engine) as (database, index):
        fill(database, collection, passages, vectors, embedder.model)
        searcher = HybridSearcher(index, known, fusion_weight=arguments.weight)
        by_mode: dict[Mode, float] = {mode: await _score(searcher, collection, mode) for mode in MODES}
    return Result(collection.name, language, baseline, by_mode)


async def _score(searcher: HybridSearcher, collection: Collection, mode: Mode) -> float:
    ids = {document_id(text): text.id for text in collection.corpus}
    found: dict[str, Sequence[str]] = {}
    for query, text in collection.queries.items():
        hits = (await searcher.search(Query(DEFAULT_ORG_ID, text, mode, limit=HITS))).hits
        found[query] = [ids[document] for document in dict.fromkeys(hit.document_id for hit in hits)]
    return mean_ndcg(found, collection.judgments)


@contextmanager
def _library(engine: str) -> Generator[tuple[Database, SearchIndex]]:
    """An empty library on the engine, removed at the end."""
    if engine == "postgres":
        with private_postgres() as server:
            database = PostgresDatabase(server.create_database("relevance"))
            upgrade(database.engine)
            try:
                yield database, PostgresIndex(database)
            finally:
                database.close()
        return
    with tempfile.TemporaryDirectory(prefix="towpath-bench-relevance-") as folder:
        embedded = SqliteDatabase(Path(folder) / "ledger.db")
        upgrade(embedded.engine)
        try:
            yield embedded, SqliteIndex(embedded)
        finally:
            embedded.close()


class PrecomputedEmbedder:
    """The embedder with the vectors of all questions computed before."""

    batch_limit = None

    def __init__(self, embedder: Embedder, texts: Sequence[str], vectors: Vectors) -> None:
        self.provider, self.model, self.dimension = embedder.provider, embedder.model, embedder.dimension
        self.languages = embedder.languages
        self.fusion_weight = embedder.fusion_weight
        self.noise_similarity = embedder.noise_similarity
        self.question_noise_similarity = getattr(
            embedder, "question_noise_similarity", embedder.noise_similarity
        )
        self.price_per_million = embedder.price_per_million
        self._embedder = embedder
        self._vectors = {text.strip(): vector for text, vector in zip(texts, vectors, strict=True)}

    def batches(self, texts: Sequence[str]) -> list[range]:
        return self._embedder.batches(texts)

    async def embed(self, texts: Sequence[str]) -> Embedded:
        if all(text in self._vectors for text in texts):
            return Embedded(np.stack([self._vectors[text] for text in texts]))
        return await self._embedder.embed(texts)
