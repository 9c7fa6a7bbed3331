"""On SQLite: the index and the cache of vectors follow every change, whoever makes it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import text, update

from tests.support.databases import EngineUnderTest, sqlite_engine
from tests.unit.search.collection import Collection
from towpath.ledger.sqlite.database import SqliteDatabase
from towpath.ledger.tables import chunks
from towpath.search.contract import Mode
from towpath.search.searcher import HybridSearcher
from towpath.search.sqlite import SqliteIndex

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
    """The same file, opened by somebody else."""
    database = SqliteDatabase(Path(engine.address))
    yield Collection(database)
    database.close()


@pytest.mark.parametrize("mode", ["hybrid", "text", "vector"])
async def test_what_another_process_files_is_found_at_once(
    collection: Collection, elsewhere: Collection, mode: Mode
):
    await collection.add("The vessel sailed.")
    assert len(await collection.hits("vessel", mode)) == 1
    other = await elsewhere.add("A vessel sank.")
    assert len(await collection.hits("vessel", mode)) == 2
    await elsewhere.remove(other)
    assert len(await collection.hits("vessel", mode)) == 1


async def test_a_passage_that_is_rewritten_is_found_by_its_new_words_only(collection: Collection):
    await collection.add("The vessel sailed.", "A comet.")
    rewrite = update(chunks).where(chunks.c.ordinal == 0).values(text="The tenant left.")
    await collection.database.run(lambda tx: tx.connection.execute(rewrite))
    assert await collection.found("vessel", "text") == []
    assert await collection.found("tenant", "text") == ["The tenant left."]


async def test_a_cache_that_missed_too_many_changes_starts_afresh(
    collection: Collection, elsewhere: Collection
):
    gone = await collection.add("The vessel sailed.")
    assert len(await collection.hits("vessel", "vector")) == 1
    await elsewhere.remove(gone)
    await elsewhere.add("A vessel sank.")
    await elsewhere.add("A vessel came.")
    # As if a hundred thousand changes had pushed the older ones out.
    forget = text("delete from search_changes where id < (select max(id) from search_changes)")
    await elsewhere.database.run(lambda tx: tx.connection.execute(forget))
    found = {hit.snippet for hit in await collection.hits("vessel", "vector")}
    assert found == {"A vessel sank.", "A vessel came."}


async def test_old_changes_are_forgotten(collection: Collection):
    note = text("insert into search_changes (id, number) values (1, 1), (200000, 2)")
    await collection.database.run(lambda tx: tx.connection.execute(note))
    await collection.add("The vessel sailed.")
    oldest = text("select min(id) from search_changes")
    assert await collection.database.run(lambda tx: tx.connection.execute(oldest).scalar_one()) == 200_000


async def test_vectors_that_do_not_fit_into_memory_are_compared_all_the_same(collection: Collection):
    await collection.add(*(f"Passage {n} about the tenant." for n in range(40)), "The comet returned.")
    roomy = await collection.hits("the comet", "vector")
    collection.searcher = HybridSearcher(
        SqliteIndex(collection.database, cache_bytes=1_000), collection.embedder
    )
    assert await collection.hits("the comet", "vector") == roomy


async def test_a_search_during_a_switch_sees_the_old_or_the_new_document_and_never_both(
    collection: Collection, elsewhere: Collection
):
    document = await collection.add(*(f"Version 0 of passage {n}" for n in range(20)))

    async def rewrite() -> None:
        for version in range(1, 25):
            await elsewhere.replace(document, *(f"Version {version} of passage {n}" for n in range(20)))

    async def look(seen: list[set[str]]) -> None:
        while not writing.done():
            hits = await collection.hits("version of passage", limit=50)
            seen.append({hit.snippet.split()[1] for hit in hits})

    writing = asyncio.create_task(rewrite())
    seen: list[set[str]] = []
    await asyncio.gather(writing, look(seen), look(seen))
    assert all(len(versions) <= 1 for versions in seen)
    assert {hit.snippet.split()[1] for hit in await collection.hits("version of passage")} == {"24"}


async def test_of_very_many_passages_those_with_the_words_near_or_above_come_first(
    collection: Collection, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("towpath.search.sqlite.RANKED", 10)
    far = "tenant " + "and so on " * 20 + "notice"
    await collection.add(*(f"{far} {n}" for n in range(60)))
    await collection.add("The notice of the tenant.")
    await collection.add("It is so.", headings=("Notice", "Tenant"))
    found = await collection.hits("tenant notice", "text")
    assert {hit.snippet for hit in found[:2]} == {"The notice of the tenant.", "It is so."}
    assert len(found) == 10
    assert (await collection.hits("notice", "text"))[0].snippet == "It is so."


async def test_words_that_nearly_all_passages_have_are_found_without_ranking(
    collection: Collection, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("towpath.search.sqlite.COMMON", 20)
    monkeypatch.setattr("towpath.search.sqlite.RANKED", 10)
    await collection.add(*(f"the report {n}" for n in range(50)), "the comet and the report")
    assert (await collection.found("the report of the comet", "text"))[0] == "the comet and the report"
    everything = await collection.hits("the report", "text", limit=100)
    assert len({hit.chunk_id for hit in everything}) == 51
    assert everything == await collection.hits("the report", "text", limit=100)


_TEXTS = st.lists(st.sampled_from(WORDS), min_size=1, max_size=3).map(" ".join)
_STEPS = st.lists(
    st.tuples(st.sampled_from(["add", "replace", "remove"]), st.lists(_TEXTS, min_size=1, max_size=4)),
    min_size=1,
    max_size=8,
)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=_STEPS)
async def test_whatever_comes_and_goes_exactly_what_is_there_is_found(
    collection: Collection, steps: list[tuple[str, list[str]]]
):
    there: dict[str, list[str]] = {}
    for verb, passages in steps:
        document = next(iter(there), None)
        if verb == "add" or document is None:
            there[await collection.add(*passages)] = passages
        elif verb == "replace":
            await collection.replace(document, *passages)
            there[document] = passages
        else:
            await collection.remove(document)
            del there[document]
        for word in WORDS:
            having = sorted(text for texts in there.values() for text in texts if word in text)
            hits = await collection.hits(word, "text", limit=100)
            assert sorted(hit.snippet for hit in hits) == having
        every = sorted(text for texts in there.values() for text in texts)
        hits = await collection.hits("tenant", "vector", limit=100)
        assert sorted(hit.snippet for hit in hits) == every
    for document in there:
        await collection.remove(document)
