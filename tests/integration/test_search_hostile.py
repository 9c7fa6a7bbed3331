"""No query is an error: operators, control characters, very long texts."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.support.databases import EngineUnderTest
from tests.support.search_collection import Collection
from towpath.search.contract import Hit, Mode

PASSAGES = (
    "The \"quick\" brown fox (jumps) over AND under the lazy dog; 100% of O'Neill's NEAR misses.",
    "東京都は日本の首都です。 Ёлка стоит. naïve café ✓ 🎉 x_y a:b c* ^d {e} [f] \\g",
)

UNUSUAL_QUERIES = [
    "", " ", '"', '""', '"""', "'", "''", "(", ")", "()", ")(", "*", "**", "a*", "*a", "^", ":",
    "headings:", "body : x", "AND", "OR", "NOT", "NEAR", "a AND", "AND a", "a OR OR b", "NOT a",
    "NEAR(", "NEAR(a b, 5)", "a NEAR/3 b", '"unbalanced', 'a "b', 'b" a', '"a" "b', "a + b",
    "-a", "a - b", "{headings body} : a", "a & b | !c", "a <-> b", "a:*", "':*", "\\", "\\'",
    "%", "_", "%s", "{0}", "${x}", ":term0", "$1", "?", ";", "--", "/* */", "'; drop table x",
    "\x00", "a\x00b", "\ud800", "a\udfffb", "\ufffe", "\u202e", "\u200b", "e\u0301", "\u0301",
    "🎉", "👩‍👩‍👧", "①", "ﬁ", "ß", "İ", "都", "東 京", '"都"', '"の 東"', "ค", "\u0e31", "が", "か\u3099",
    "한", "x" * 10_000, "a " * 10_000, "都" * 5_000, '"' * 1_000, "(" * 1_000, "a-" * 5_000,
    "word " * 20_000, "1e400 nan inf -0 0x", "http://a.b/c?d=e#f", "<b>&amp;</b>",
]  # fmt: skip


#: Queries that are nothing but characters which no text can contain, or blank: no hit in any mode.
BLANK = {"", " ", "\x00", "\ud800", "\ufffe"}
#: Queries that contain a word of a passage between their operators: text search finds that passage.
MATCHING = {
    "AND", "NEAR", "NEAR(", "NEAR(a b, 5)", "a NEAR/3 b", "a*", "*a", "a OR OR b", 'a "b', 'b" a', '"a" "b',
    "a + b", "-a", "a & b | !c", "a <-> b", "a:*", "'; drop table x", "a\x00b", "a\udfffb", "都", "東 京", '"都"',
}  # fmt: skip


@pytest.fixture
def collection(engine: EngineUnderTest) -> Collection:
    return Collection(engine.database)


def check(hits: list[Hit]) -> None:
    """Every hit is a different passage of the collection, with its highlights inside the snippet."""
    assert len({hit.chunk_id for hit in hits}) == len(hits) <= len(PASSAGES)
    for hit in hits:
        assert hit.snippet
        assert all(0 <= start < end <= len(hit.snippet) for start, end in hit.highlights)


@pytest.mark.parametrize("mode", ["hybrid", "text", "vector"])
async def test_unusual_queries_are_answered(collection: Collection, mode: Mode):
    await collection.add(*PASSAGES)
    for text in UNUSUAL_QUERIES:
        hits = await collection.hits(text, mode)
        check(hits)
        if text in BLANK:
            assert hits == [], text
        elif mode == "vector" or text in MATCHING:
            assert hits, text
    # And the index still answers an ordinary query
    assert len(await collection.hits("lazy dog", mode)) >= 1


async def test_a_hundred_kilobytes_are_answered(collection: Collection):
    await collection.add(*PASSAGES)
    query = " ".join(f'sentence{n} (of) the "quick" brown-fox\'s 東京都 {n * 7}' for n in range(2_500))
    assert len(query) > 100_000
    for mode in ("hybrid", "vector"):
        hits = await collection.hits(query, mode)
        check(hits)
        assert hits
    check(await collection.hits(query, "text"))


_PARTS = st.one_of(
    st.text(max_size=20),
    st.sampled_from(
        [
            '"',
            "(",
            ")",
            "*",
            "AND",
            "OR",
            "NOT",
            "NEAR",
            ":",
            "^",
            "fox",
            "dog",
            "都",
            "'",
            "\\",
            "|",
            "&",
            "!",
        ]
    ),
)


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(parts=st.lists(_PARTS, max_size=12), mode=st.sampled_from(["hybrid", "text"]), spaced=st.booleans())
async def test_any_query_is_answered(collection: Collection, parts: list[str], mode: Mode, spaced: bool):
    # The fixture is shared by all examples: the passages are added by the first one.
    if not await collection.hits("lazy dog", "text"):
        await collection.add(*PASSAGES)
    check(await collection.hits((" " if spaced else "").join(parts), mode))
    assert len(await collection.hits("lazy dog", mode)) >= 1
