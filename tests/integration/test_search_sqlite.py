"""Search on SQLite: the word index and the vector cache follow every change of any process."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import text

from tests.support.databases import EngineUnderTest, sqlite_engine
from tests.support.search_collection import Collection
from towpath.ledger.sqlite.database import SqliteDatabase
from towpath.search.contract import Mode
from towpath.search.hybrid import HybridSearcher
from towpath.search.sqlite.index import SqliteIndex

WORDS = ("tenant", "vessel", "comet", "東京", "договор")


@pytest.fixture
def engine(tmp_path: Path, migrated_sqlite_file: Path) -> Iterator[EngineUnderTest]:
    with sqlite_engine(tmp_path / "ledger.db", migrated_sqlite_file) as ready:
        yield ready


@pytest.fixture
def collection(engine: EngineUnderTest) -> Collection:
    return Collection(engine.database)


@pytest.fixture
async def elsewhere(engine: EngineUnderTest) -> AsyncIterator[Collection]:
    """The same file, opened by a second database object."""
    database = SqliteDatabase(Path(engine.address))
    yield Collection(database)
    database.close()


@pytest.mark.parametrize("mode", ["hybrid", "text", "vector"])
async def test_documents_of_another_process_are_found_at_once(
    collection: Collection, elsewhere: Collection, mode: Mode
):
    await collection.add("The vessel sailed.")
    assert len(await collection.hits("vessel", mode)) == 1
    other = await elsewhere.add("A vessel sank.")
    assert len(await collection.hits("vessel", mode)) == 2
    await elsewhere.remove(other)
    assert len(await collection.hits("vessel", mode)) == 1


async def test_a_cache_that_missed_pruned_changes_is_reloaded(collection: Collection, elsewhere: Collection):
    gone = await collection.add("The vessel sailed.")
    assert len(await collection.hits("vessel", "vector")) == 1
    await elsewhere.remove(gone)
    await elsewhere.add("A vessel sank.")
    await elsewhere.add("A vessel came.")
    # As if 100,000 newer changes had pruned the older ones.
    forget = text("delete from search_changes where id < (select max(id) from search_changes)")
    await elsewhere.database.run(lambda tx: tx.connection.execute(forget))
    snippets = {hit.snippet for hit in await collection.hits("vessel", "vector")}
    assert snippets == {"A vessel sank.", "A vessel came."}


async def test_old_changes_are_pruned(collection: Collection):
    note = text("insert into search_changes (id, number) values (1, 1), (200000, 2)")
    await collection.database.run(lambda tx: tx.connection.execute(note))
    await collection.add("The vessel sailed.")
    oldest = text("select min(id) from search_changes")
    assert await collection.database.run(lambda tx: tx.connection.execute(oldest).scalar_one()) == 200_000


async def test_vectors_above_the_memory_limit_are_searched_on_disk(collection: Collection):
    await collection.add(*(f"Passage {n} about the tenant." for n in range(40)), "The comet returned.")
    in_memory = await collection.hits("the comet", "vector")
    collection.searcher = HybridSearcher(
        SqliteIndex(collection.database, cache_bytes=1_000), collection.embedder
    )
    assert await collection.hits("the comet", "vector") == in_memory


async def test_a_search_during_publishing_sees_the_old_or_the_new_document(
    collection: Collection, elsewhere: Collection
):
    document = await collection.add(*(f"Version 0 of passage {n}" for n in range(20)))

    async def rewrite() -> None:
        for version in range(1, 25):
            await elsewhere.replace(document, *(f"Version {version} of passage {n}" for n in range(20)))

    async def search_repeatedly(seen: list[set[str]]) -> None:
        while not writing.done():
            hits = await collection.hits("version of passage", limit=50)
            seen.append({hit.snippet.split()[1] for hit in hits})

    writing = asyncio.create_task(rewrite())
    seen: list[set[str]] = []
    await asyncio.gather(writing, search_repeatedly(seen), search_repeatedly(seen))
    assert all(len(versions) <= 1 for versions in seen)
    assert {hit.snippet.split()[1] for hit in await collection.hits("version of passage")} == {"24"}


_TEXTS = st.lists(st.sampled_from(WORDS), min_size=1, max_size=3).map(" ".join)
_STEPS = st.lists(
    st.tuples(st.sampled_from(["add", "replace", "remove"]), st.lists(_TEXTS, min_size=1, max_size=4)),
    min_size=1,
    max_size=8,
)


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=_STEPS)
async def test_exactly_the_stored_chunks_are_found_after_any_changes(
    collection: Collection, steps: list[tuple[str, list[str]]]
):
    stored: dict[str, list[str]] = {}
    for verb, passages in steps:
        document = next(iter(stored), None)
        if verb == "add" or document is None:
            stored[await collection.add(*passages)] = passages
        elif verb == "replace":
            await collection.replace(document, *passages)
            stored[document] = passages
        else:
            await collection.remove(document)
            del stored[document]
        for word in WORDS:
            expected = sorted(text for texts in stored.values() for text in texts if word in text)
            hits = await collection.hits(word, "text", limit=100)
            assert sorted(hit.snippet for hit in hits) == expected
        all_texts = sorted(text for texts in stored.values() for text in texts)
        hits = await collection.hits("tenant", "vector", limit=100)
        assert sorted(hit.snippet for hit in hits) == all_texts
    for document in stored:
        await collection.remove(document)
