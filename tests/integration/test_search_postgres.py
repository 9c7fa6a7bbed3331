"""On Postgres: the indexes are used, their settings stay where they belong, and they find what is nearest."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from sqlalchemy import text

from tests.support.databases import EngineUnderTest, PostgresServer, postgres_engine
from tests.unit.search.collection import Collection, Meaning
from towpath.ledger.database import Transaction
from towpath.model.ids import HOME_ORG
from towpath.providers.contract import Vectors
from towpath.search.contract import Ranked, Scope, Space
from towpath.search.neighbours import Neighbours
from towpath.search.postgres import PostgresIndex
from towpath.search.searcher import HybridSearcher

SCOPE = Scope(HOME_ORG)
SPACE = Space("meaning-1", 384)


async def nearest(index: PostgresIndex, vector: Vectors, depth: int, space: Space = SPACE) -> list[Ranked]:
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
    waiting: list[dict[str, Any]] = [explained[0]["Plan"]]
    while waiting:
        node = waiting.pop()
        yield node
        waiting += node.get("Plans", [])


async def test_the_index_of_neighbours_finds_nearly_all_that_is_nearest(collection: Collection):
    await collection.add(*(f"passage {n} about {n % 37} and {n % 11}" for n in range(600)))
    index, exact = PostgresIndex(collection.database, few=0), PostgresIndex(collection.database)
    found = wanted = 0
    for n in range(25):
        vector = (await collection.embedder.embed([f"about {n} and {n % 7}"])).vectors[0]
        near = {one.number for one in await nearest(index, vector, 10)}
        truth = {one.number for one in await nearest(exact, vector, 10)}
        found, wanted = found + len(near & truth), wanted + len(truth)
    assert wanted == 250
    assert found / wanted >= 0.95


async def test_neighbours_are_read_from_the_index_and_with_our_settings(collection: Collection):
    await collection.add(*(f"passage {n}" for n in range(300)))
    vector = (await collection.embedder.embed(["passage 7"])).vectors[0]
    ask = Neighbours(SCOPE, SPACE, vector, 200, 200, exact=False)

    def explain(tx: Transaction) -> object:
        # So small a table is faster read whole; the index must be possible all the same.
        tx.connection.execute(text("set local enable_seqscan = off"))
        tx.connection.execute(text("set local enable_bitmapscan = off"))
        return tx.connection.execute(
            text(f"explain (format json) {ask.statement()}"), ask.values()
        ).scalar_one()

    nodes = list(plans(await collection.database.run(explain, read=True)))
    assert "ix_chunks_search_384" in {node.get("Index Name") for node in nodes}
    # With pgvector's own ef_search of 40 the index would end after 40.
    index = PostgresIndex(collection.database, few=0)
    assert len(await nearest(index, vector, 200)) == 200


async def test_words_are_read_from_their_index(collection: Collection):
    await collection.add(*(f"passage {n} of the lease" for n in range(300)))

    def explain(tx: Transaction) -> object:
        tx.connection.execute(text("set local enable_seqscan = off"))
        statement = (
            "explain (format json) select number from chunks "
            "where search_words @@ phraseto_tsquery('search_stems', search_plain(:term))"
        )
        return tx.connection.execute(text(statement), {"term": "passage 7"}).scalar_one()

    nodes = list(plans(await collection.database.run(explain, read=True)))
    assert "ix_chunks_search_words" in {node.get("Index Name") for node in nodes}


async def test_no_setting_outlives_its_search(collection: Collection):
    await collection.add("The tenant left.")
    index = PostgresIndex(collection.database, few=0)
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
    embedder = Meaning(dimension=dimension)
    await collection.add("The vessel sailed.", "The tenant left.", embedder=embedder)
    vector = (await embedder.embed(["The tenant left."])).vectors[0]
    for few in (0, 10):
        index = PostgresIndex(collection.database, few=few)
        best, second = await nearest(index, vector, 10, Space("meaning-1", dimension))
        assert best.score == pytest.approx(1.0, abs=1e-3)
        assert second.score < best.score


async def test_a_rare_kind_among_many_passages_is_found_whole(collection: Collection):
    await collection.add(*(f"tenant {n}" for n in range(500)))
    call = await collection.add("an unlikely conversation", kind="call")
    collection.searcher = HybridSearcher(PostgresIndex(collection.database, few=100), collection.embedder)
    assert [hit.document_id for hit in await collection.hits("tenant", "vector", kind="call")] == [call]


async def test_a_word_that_nobody_wrote_does_not_hide_the_others(collection: Collection):
    await collection.add("The report of the company.", "The comet.")
    assert await collection.found("extraterrestrial report", "text") == ["The report of the company."]


async def test_common_words_are_left_out_of_the_ranking_where_others_tell(collection: Collection):
    await collection.add(*(f"the report number {n}" for n in range(50)), "the comet of the report")
    assert (await collection.found("the report of the comet", "text"))[0] == "the comet of the report"
