"""Publishing: chunks are replaced in batches, and large publications are indexed after the commit."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import pytest
from sqlalchemy import func, select

from tests.support.databases import EngineUnderTest, PostgresServer, postgres_engine
from tests.support.search_collection import Collection
from towpath.ledger.database import Transaction
from towpath.ledger.sql_ledger import SqlLedger
from towpath.ledger.tables import chunks
from towpath.ledger.verbs.replace_chunks import MAX_INDEXED_AT_ONCE, replace_chunks
from towpath.model.content import Anchor, Chunk
from towpath.model.ids import DEFAULT_ORG_ID, new_id
from towpath.model.writes import Publish
from towpath.search.contract import EmbeddingSpace, Scope
from towpath.search.postgres.index import PostgresIndex

_c = chunks.c


async def _content(collection: Collection, ids: Sequence[str], model: str = "meaning-1") -> Publish:
    """The chunks with these ids, in this order."""
    texts = [f"passage {chunk_id}" for chunk_id in ids]
    vectors = (await collection.embedder.embed(texts)).vectors
    content = [
        Chunk(chunk_id, ordinal, text, 3, Anchor(ordinal, ordinal + 1))
        for ordinal, (chunk_id, text) in enumerate(zip(ids, texts, strict=True))
    ]
    return Publish(content, vectors, model, ())


async def _publish(collection: Collection, document_id: str, content: Publish) -> dict[str, int]:
    return await collection.database.run(lambda tx: replace_chunks(tx, DEFAULT_ORG_ID, document_id, content))


async def test_chunks_are_added_moved_reembedded_and_removed(engine: EngineUnderTest) -> None:
    collection = Collection(engine.database)
    document_id = await collection.add("an old version")
    first, second, third, fourth = (new_id() for _ in range(4))

    counts = await _publish(collection, document_id, await _content(collection, [first, second, third]))
    assert counts == {"added": 3, "kept": 0, "removed": 1}

    # The second chunk is removed, the others change places, and a new one comes first.
    content = await _content(collection, [fourth, third, first], model="meaning-2")
    assert await _publish(collection, document_id, content) == {"added": 1, "kept": 2, "removed": 1}

    def read(tx: Transaction) -> list[tuple[object, ...]]:
        query = select(_c.id, _c.ordinal, _c.text, _c.model, _c.dimension, _c.anchor, _c.vector)
        return [tuple(row) for row in tx.connection.execute(query.order_by(_c.ordinal))]

    stored = await engine.database.run(read, read=True)
    assert [row[:5] for row in stored] == [
        (chunk.id, chunk.ordinal, chunk.text, "meaning-2", 384) for chunk in content.chunks
    ]
    assert [row[5] for row in stored] == [{"start": n, "end": n + 1} for n in range(3)]
    assert np.allclose(np.stack([np.asarray(row[6]) for row in stored]), content.vectors, atol=1e-6)
    # Publishing the same content again changes no row.
    assert await _publish(collection, document_id, content) == {"added": 0, "kept": 3, "removed": 0}


async def test_text_that_postgres_cannot_store_is_replaced(engine: EngineUnderTest) -> None:
    collection = Collection(engine.database)
    document_id = await collection.add("an old version")
    vectors = (await collection.embedder.embed(["zero"])).vectors
    anchor = Anchor(0, 4, heading_path=("he\x00ad",))
    text = "ze\x00ro" if engine.database.dialect == "postgres" else "zero"
    await _publish(collection, document_id, Publish([Chunk(new_id(), 0, text, 1, anchor)], vectors, "m", ()))

    stored = await engine.database.run(lambda tx: tx.connection.execute(select(_c.text)).scalars().all())
    assert stored == ["ze\ufffdro" if "\x00" in text else "zero"]


@pytest.fixture
def large_collection(postgres_server: PostgresServer) -> Iterator[Collection]:
    dsn = postgres_server.create_migrated()
    with postgres_engine(dsn) as engine:
        yield Collection(engine.database)
    postgres_server.drop(dsn)


async def test_a_large_document_is_found_before_and_after_its_vectors_are_indexed(
    large_collection: Collection,
) -> None:
    size = MAX_INDEXED_AT_ONCE + 30
    collection, database = large_collection, large_collection.database
    with_index = PostgresIndex(database, max_exact=0)
    ids = [new_id() for _ in range(size)]
    document_id = await collection.add("another document")
    await _publish(collection, document_id, content := await _content(collection, ids))

    def unindexed(tx: Transaction) -> int:
        query = select(func.count()).where(_c.dimension.is_(None), _c.vector.is_not(None))
        return tx.connection.execute(query).scalar_one()

    async def best_scores() -> list[float]:
        space, scope = EmbeddingSpace("meaning-1", 384), Scope(DEFAULT_ORG_ID)
        return [
            (await database.run(lambda tx, v=vector: with_index.by_vector(tx, scope, space, v, 5)))[0].score
            for vector in content.vectors[:10]
        ]

    assert await database.run(unindexed) == size
    assert await best_scores() == pytest.approx([1.0] * 10, abs=1e-4)

    ledger = SqlLedger(database)
    assert [await ledger.index_vectors(100) for _ in range(3)] == [100, 30, 0]
    assert await database.run(unindexed) == 0
    assert await best_scores() == pytest.approx([1.0] * 10, abs=1e-4)
