"""Pages of results: groups, totals, facets, filters, corrections and completions, on both engines."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from tests.support.databases import EngineUnderTest
from tests.support.search_collection import Collection
from towpath.ledger.sql_ledger import SqlLedger
from towpath.model.ids import DEFAULT_ORG_ID
from towpath.search.contract import Filters, Query, SearchResults

TEXT = """
The keeper opens the upper gate when the water reaches the level of the canal. Merchants paid the toll at the bridge,
and their horses rested in the stable behind the warehouse. In winter the company drained the basin, repaired the
masonry and replaced rotten timber. Engineers measured the embankment every spring, because a small leak could empty
the whole reservoir within a night. Die Schleusenwärter öffnen morgens das Wehr. Смотритель открывает ворота шлюза.
"""

TYPOS = {
    "keper": "keeper", "waterr": "water", "cnaal": "canal", "merchnats": "merchants", "brigde": "bridge",
    "horsse": "horses", "stabel": "stable", "warehose": "warehouse", "wintter": "winter", "compny": "company",
    "draihed": "drained", "masomry": "masonry", "repleced": "replaced", "tmiber": "timber", "enginers": "engineers",
    "embankmnet": "embankment", "sprinh": "spring", "reservoiir": "reservoir", "schleusenwarter": "schleusenwärter",
    "смотритиль": "смотритель", "вюрота": "ворота", "nihgt": "night",
}  # fmt: skip


@pytest.fixture
def collection(engine: EngineUnderTest) -> Collection:
    return Collection(engine.database)


async def search(collection: Collection, text: str, **options: object) -> SearchResults:
    return await collection.searcher.search(Query(DEFAULT_ORG_ID, text, **options))  # pyright: ignore[reportArgumentType]


async def test_every_one_letter_typo_gets_the_right_word_suggested(collection: Collection):
    await collection.add(*TEXT.strip().split(". "), name="canal.pdf")
    for typo, word in TYPOS.items():
        results = await search(collection, f"the {typo} here")
        # An accent left out is no typo: the word is found as it is.
        found = [hit for hit in results.hits if word in hit.snippet.casefold()]
        assert results.did_you_mean == f"the {word} here" or found, typo
    assert (await search(collection, "keeper of the gate")).did_you_mean is None
    assert (await search(collection, "bridges", mode="text")).did_you_mean is None


async def test_a_word_of_a_deleted_document_is_not_suggested(collection: Collection):
    kept = await collection.add("The gate is open.", name="a.txt")
    removed = await collection.add("A reservoir.", name="b.txt")
    assert (await search(collection, "resrvoir")).did_you_mean == "reservoir"
    await collection.replace(removed, "Nothing.")
    assert (await search(collection, "resrvoir")).did_you_mean is None
    assert (await search(collection, "gatte")).did_you_mean == "gate"
    assert kept


async def test_the_word_being_typed_is_completed(collection: Collection):
    await collection.add("The configuration of the canal.", "Configure the lock.", name="Config guide.txt")
    await collection.add("A configuration file.", name="other.txt")
    suggestions = await collection.searcher.suggest(DEFAULT_ORG_ID, "the config")
    # In most documents first: `config` is in the name of one, `configuration` in the texts of two.
    assert suggestions.queries == ("the configuration", "the config", "the configure")
    assert [
        document.name for document in (await collection.searcher.suggest(DEFAULT_ORG_ID, "fig gu")).documents
    ] == ["Config guide.txt"]
    assert (await collection.searcher.suggest(DEFAULT_ORG_ID, "100%_")).documents == ()
    assert (await collection.searcher.suggest(DEFAULT_ORG_ID, "c")).queries == ()
    results = await search(collection, "configurat", mode="text", prefix=True)
    assert {hit.document_name for hit in results.hits} == {"Config guide.txt", "other.txt"}
    assert results.hits[0].highlights
    assert results.did_you_mean is None
    assert not (await search(collection, "configurat", mode="text")).hits
    assert not (await search(collection, "configurat ", mode="text", prefix=True)).hits


async def test_hits_are_grouped_by_document(collection: Collection):
    await collection.add(
        "A lock.", "Another lock.", "The third lock of the canal.", "No word.", name="three.txt"
    )
    await collection.add("One lock only, in a longer sentence about water.", name="one.txt")
    results = await search(collection, "lock", mode="text", group=True)
    assert [(hit.document_name, hit.more_in_document) for hit in results.hits] == [
        ("three.txt", 2),
        ("one.txt", 0),
    ]
    assert (results.total, results.documents, results.exact_total) == (4, 2, True)
    second = await search(collection, "lock", mode="text", group=True, limit=1, offset=1)
    assert [hit.document_name for hit in second.hits] == ["one.txt"]
    by_meaning = await search(collection, "lock", mode="vector", group=True)
    assert len({hit.document_id for hit in by_meaning.hits}) == len(by_meaning.hits) == 2
    hybrid = await search(collection, "lock", group=True)
    assert [hit.document_name for hit in hybrid.hits] == ["three.txt", "one.txt"]


@pytest.mark.parametrize("mode", ["text", "hybrid"])
async def test_pages_reach_beyond_one_hundred_and_never_overlap(collection: Collection, mode: str):
    await collection.add(*(f"Lock number {number} of the canal." for number in range(150)), name="many.txt")
    await collection.add(
        "The last lock, far away, in a very long sentence of another document.", name="last.txt"
    )
    seen: list[str] = []
    for offset in range(0, 160, 40):
        page = await search(collection, "lock canal", mode=mode, limit=40, offset=offset)
        assert page.total == 151
        seen += [hit.chunk_id for hit in page.hits]
    assert len(seen) == len(set(seen)) == 151
    grouped = await search(collection, "lock canal", mode=mode, group=True)
    assert [hit.document_name for hit in grouped.hits] == ["many.txt", "last.txt"]
    assert grouped.hits[0].more_in_document == 149


async def test_facets_count_the_documents_found(collection: Collection):
    await collection.add(
        "A lock.", "A second lock.", media_type="application/pdf", summary={"language": "en"}
    )
    await collection.add("Lock two.", media_type="text/plain", summary={"language": "de"}, collection="locks")
    await collection.add(
        "Lock three.", kind="call", media_type="audio/wav", created_at=datetime(2024, 5, 1, tzinfo=UTC)
    )
    await collection.add("No such word.", media_type="text/html")
    for mode in ("text", "hybrid"):
        facets = (await search(collection, "lock", mode=mode, facets=True)).facets
        assert facets is not None
        assert facets.kinds == {"document": 2, "call": 1}
        assert facets.languages == {"de": 1, "en": 1}
        assert facets.media_types == {"application/pdf": 1, "audio/wav": 1, "text/plain": 1}
        assert facets.years == {"2026": 2, "2024": 1}
        assert facets.collections == {"locks": 1}
    assert (await search(collection, "lock")).facets is None


@pytest.mark.parametrize("mode", ["text", "vector", "hybrid"])
@pytest.mark.parametrize(
    ("filters", "names"),
    [
        (Filters(languages=("de",)), {"de.txt"}),
        (Filters(media_types=("application/pdf", "text/html")), {"en.pdf"}),
        (Filters(created_before=datetime(2025, 1, 1, tzinfo=UTC)), {"old.txt"}),
        (Filters(created_from=datetime(2025, 1, 1, tzinfo=UTC), max_size=10), {"de.txt"}),
        (Filters(min_size=11), {"en.pdf"}),
        (Filters(kinds=("call",)), set[str]()),
    ],
)
async def test_filters_are_part_of_the_index_query(
    collection: Collection, mode: str, filters: Filters, names: set[str]
):
    await collection.add(
        "A lock.", name="en.pdf", media_type="application/pdf", size=99, summary={"language": "en"}
    )
    await collection.add("The lock.", name="de.txt", summary={"language": "de"})
    await collection.add("Lock it.", name="old.txt", created_at=datetime(2024, 5, 1, tzinfo=UTC))
    results = await search(collection, "lock", mode=mode, filters=filters)
    assert {hit.document_name for hit in results.hits} == names
    if mode != "vector":
        assert results.total == len(names)


async def test_contents_pages_rank_below_text(collection: Collection):
    contents = "\n".join(
        f"{number}.1 Configuration files and their place {number * 7}" for number in range(1, 9)
    )
    await collection.add(contents, name="contents.pdf")
    await collection.add(
        "Configuration files have their place below /etc, and scripts must not create them.", name="text.pdf"
    )
    for mode in ("text", "hybrid"):
        results = await search(collection, "place of configuration files", mode=mode)
        assert [hit.document_name for hit in results.hits] == ["text.pdf", "contents.pdf"]


async def test_names_titles_headings_and_fields_are_searched(collection: Collection):
    for number in range(5):
        await collection.add(
            f"The annual report of harbour {number}, report and report.", name=f"{number}.txt"
        )
    await collection.add("Some words.", name="annual-report.pdf")
    await collection.add("Other words.", name="x1.pdf", summary={"title": "On the Draining of Basins"})
    await collection.add("Further words.", name="x2.pdf", headings=("Part One", "Ferries"))
    await collection.add("Last words.", name="x3.pdf", fields=("2024-03-05", "Wilhelmina Oppenheimer"))
    expected = {
        "annual-report.pdf": "annual-report.pdf", "annual_report": "annual-report.pdf",
        "Annual Report": "annual-report.pdf",
        "on the draining of basins": "x1.pdf", "ferries": "x2.pdf", "oppenheimer": "x3.pdf", "2024-03-05": "x3.pdf",
    }  # fmt: skip
    for query, name in expected.items():
        for mode in ("text", "hybrid"):
            assert (await search(collection, query, mode=mode)).hits[0].document_name == name, (query, mode)


async def test_a_word_that_is_there_is_always_found(collection: Collection):
    """However common it is, and however many unknown words stand beside it."""
    for number in range(12):
        await collection.add(f"Every page names the canal, {number}.", name=f"{number}.txt")
    for query in ("canal", "canal xqzt", "canal xqzt blorf wug fnord glarp snorfle wibble"):
        for mode in ("text", "hybrid"):
            assert (await search(collection, query, mode=mode)).total == 12, (query, mode)


async def test_the_answers_are_the_same_after_segments_are_merged(collection: Collection):
    for number in range(10):
        await collection.add(f"Lock {number} and its keeper.", "A second lock.", name=f"file-{number}.txt")
    queries = ("lock", "keper", "file-3.txt", "second")
    before = [await search(collection, text, mode="text", group=True, facets=True) for text in queries]
    ledger = SqlLedger(collection.database)
    while await ledger.merge_words():
        pass
    assert [
        await search(collection, text, mode="text", group=True, facets=True) for text in queries
    ] == before
    assert (await collection.searcher.suggest(DEFAULT_ORG_ID, "kee")).queries == ("keeper",)
