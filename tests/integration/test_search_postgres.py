"""Search on Postgres: indexes are used, settings are local to the query, recall is high."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from sqlalchemy import text

from tests.support.databases import EngineUnderTest, PostgresServer, postgres_engine
from tests.support.search_collection import BagOfWordsEmbedder, Collection
from towpath.ledger.database import Transaction
from towpath.model.ids import DEFAULT_ORG_ID
from towpath.providers.contract import Vectors
from towpath.search.contract import EmbeddingSpace, RankedChunk, Scope
from towpath.search.hybrid import HybridSearcher
from towpath.search.postgres.index import PostgresIndex
from towpath.search.postgres.vectors import NearestNeighbourQuery

SCOPE = Scope(DEFAULT_ORG_ID)
SPACE = EmbeddingSpace("meaning-1", 384)


async def nearest(
    index: PostgresIndex, vector: Vectors, depth: int, space: EmbeddingSpace = SPACE
) -> list[RankedChunk]:
    return await index.database.run(lambda tx: index.by_vector(tx, SCOPE, space, vector, depth), read=True)


@pytest.fixture
def engine(postgres_server: PostgresServer) -> Iterator[EngineUnderTest]:
    dsn = postgres_server.create_migrated()
    with postgres_engine(dsn) as ready:
        yield ready
    postgres_server.drop(dsn)


@pytest.fixture
def collection(engine: EngineUnderTest) -> Collection:
    return Collection(engine.database)


def plans(explained: Any) -> Iterator[dict[str, Any]]:
    """Every node of a plan."""
    remaining: list[dict[str, Any]] = [explained[0]["Plan"]]
    while remaining:
        node = remaining.pop()
        yield node
        remaining += node.get("Plans", [])


async def test_hnsw_has_a_high_recall(collection: Collection):
    await collection.add(*(f"passage {n} about {n % 37} and {n % 11}" for n in range(600)))
    index, exact = PostgresIndex(collection.database, max_exact=0), PostgresIndex(collection.database)
    correct = expected = 0
    for n in range(25):
        vector = (await collection.embedder.embed([f"about {n} and {n % 7}"])).vectors[0]
        approximate = {one.chunk_rowid for one in await nearest(index, vector, 10)}
        exact_rows = {one.chunk_rowid for one in await nearest(exact, vector, 10)}
        correct, expected = correct + len(approximate & exact_rows), expected + len(exact_rows)
    assert expected == 250
    assert correct / expected >= 0.95


async def test_vector_search_uses_the_hnsw_index_and_its_settings(collection: Collection):
    await collection.add(*(f"passage {n}" for n in range(300)))
    vector = (await collection.embedder.embed(["passage 7"])).vectors[0]
    query = NearestNeighbourQuery(SCOPE, SPACE, vector, 200, 200, exact=False)

    def explain(tx: Transaction) -> object:
        # A sequential scan of so small a table is faster; without it the index must be used.
        tx.connection.execute(text("set local enable_seqscan = off"))
        tx.connection.execute(text("set local enable_bitmapscan = off"))
        return tx.connection.execute(
            text(f"explain (format json) {query.statement()}"), query.parameters()
        ).scalar_one()

    nodes = list(plans(await collection.database.run(explain, read=True)))
    assert "ix_chunks_search_384" in {node.get("Index Name") for node in nodes}
    # With pgvector's own ef_search of 40 the index would end after 40.
    index = PostgresIndex(collection.database, max_exact=0)
    assert len(await nearest(index, vector, 200)) == 200


async def test_no_setting_remains_after_a_search(collection: Collection):
    await collection.add("The tenant left.")
    index = PostgresIndex(collection.database, max_exact=0)
    vector = (await collection.embedder.embed(["tenant"])).vectors[0]
    await nearest(index, vector, 150)
    await collection.hits("the tenant left", "text")

    def settings(tx: Transaction) -> tuple[str, ...]:
        names = ("hnsw.ef_search", "hnsw.iterative_scan", "max_parallel_workers_per_gather")
        return tuple(str(tx.connection.execute(text(f"show {name}")).scalar_one()) for name in names)

    shown = {await collection.database.run(settings, read=True) for _ in range(8)}
    assert shown == {("40", "off", "2")}


@pytest.mark.parametrize("dimension", [100, 256, 384, 768, 1536, 3072])
async def test_vectors_of_any_length_are_found(collection: Collection, dimension: int):
    embedder = BagOfWordsEmbedder(dimension=dimension)
    await collection.add("The vessel sailed.", "The tenant left.", embedder=embedder)
    vector = (await embedder.embed(["The tenant left."])).vectors[0]
    for max_exact in (0, 10):
        index = PostgresIndex(collection.database, max_exact=max_exact)
        best, second = await nearest(index, vector, 10, EmbeddingSpace("meaning-1", dimension))
        assert best.score == pytest.approx(1.0, abs=1e-3)
        assert second.score < best.score


async def test_all_chunks_of_a_rare_kind_are_found(collection: Collection):
    await collection.add(*(f"tenant {n}" for n in range(500)))
    call = await collection.add("an unlikely conversation", kind="call")
    collection.searcher = HybridSearcher(
        PostgresIndex(collection.database, max_exact=100), collection.embedder
    )
    assert [hit.document_id for hit in await collection.hits("tenant", "vector", kind="call")] == [call]


async def test_an_unknown_word_does_not_hide_matches_of_the_others(collection: Collection):
    await collection.add("The report of the company.", "The comet.")
    assert await collection.snippets("extraterrestrial report", "text") == ["The report of the company."]


async def test_frequent_terms_are_not_ranked_if_there_are_rarer_ones(collection: Collection):
    await collection.add(*(f"the report number {n}" for n in range(50)), "the comet of the report")
    assert (await collection.snippets("the report of the comet", "text"))[0] == "the comet of the report"
