"""Properties of chunking for any text: every visible character is in one chunk, and time is linear."""

from __future__ import annotations

import time
from collections.abc import Callable
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.random_text import prose, quarters, words
from towpath.chunking.markdown_chunker import chunk_markdown
from towpath.model.content import Extraction

lines = st.sampled_from(
    ["", "   ", "\t", "# One", "## Two ##", "###### Six", "Under\n===", "Under\n---", "---", "```", "```py",
     "~~~~", "| a | b |", "|---|---|", "| 1. One | 2 |", "a | b\n--|--", "<table>", "<tr><td>x</td></tr>",
     "</table>", "- item one", "  - nested item", "1. first", "> quote", "Plain words here. And more? Yes!",
     "中文。日本語！", "x" * 70, "word " * 30, "\u2028", "a\u000bb", "\r", "text\r", "    indented", "\ud800"]
)  # fmt: skip
markdowns = st.lists(st.one_of(lines, st.text(max_size=40)), max_size=40).map("\n".join)
sizes = st.tuples(st.integers(1, 40), st.integers(1, 60))


@pytest.mark.slow
@given(markdown=markdowns, size=sizes, count=st.sampled_from([words, quarters, len]))
def test_every_visible_character_is_in_exactly_one_chunk(
    markdown: str, size: tuple[int, int], count: Callable[[str], int]
):
    chunks = chunk_markdown(
        "d", Extraction(markdown, "t"), target_tokens=size[0], max_tokens=size[1], count_tokens=count
    )

    seen = [0] * len(markdown)
    for chunk in chunks:
        assert chunk.text.endswith(markdown[chunk.anchor.start : chunk.anchor.end])
        for place in range(chunk.anchor.start, chunk.anchor.end):
            seen[place] += 1
    assert all(times == 1 or (times == 0 and markdown[n].isspace()) for n, times in enumerate(seen))
    assert [chunk.ordinal for chunk in chunks] == list(range(len(chunks)))
    assert all(a.anchor.end <= b.anchor.start for a, b in pairwise(chunks))
    assert len({chunk.id for chunk in chunks}) == len(chunks)


sections = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 90)), min_size=1, max_size=12)


@given(plan=sections)
def test_headings_begin_chunks_and_are_in_their_paths(plan: list[tuple[int, int]]):
    parts: list[str] = []
    for number, (level, length) in enumerate(plan):
        if level:
            parts.append(f"{'#' * level} Heading {number}")
        if length:
            parts.append(prose(length, number))

    chunks = chunk_markdown(
        "d", Extraction("\n\n".join(parts), "t"), target_tokens=40, max_tokens=60, count_tokens=words
    )

    for chunk in chunks:
        body = [n for n, line in enumerate(chunk.text.split("\n")) if line and not line.startswith("#")]
        headings = [n for n, line in enumerate(chunk.text.split("\n")) if line.startswith("#")]
        assert not body or not headings or max(headings) < min(body)
        assert chunk.tokens <= 60
    named = {title for chunk in chunks for title in chunk.anchor.heading_path}
    assert named == {f"Heading {n}" for n, (level, _) in enumerate(plan) if level}


# Speed


def seconds_to_cut(markdown: str) -> float:
    start = time.process_time()
    chunks = chunk_markdown("d", Extraction(markdown, "t"), count_tokens=quarters)
    assert chunks
    assert max(chunk.tokens for chunk in chunks) <= 480
    return time.process_time() - start


@pytest.mark.slow
def test_a_million_words_take_a_fraction_of_a_second():
    chapter = "\n\n".join(["# Chapter", *(prose(n % 170 + 20, n) for n in range(500))])
    markdown = "\n\n".join([chapter] * 20)

    assert words(markdown) > 1_000_000
    # 0.16 s on an idle core of 2020; the limit leaves room for a busy machine.
    assert min(seconds_to_cut(markdown) for _ in range(3)) < 0.8


LARGE_TEXTS = {
    "one word": "x" * 10_000_000,
    "one line": "word " * 2_000_000,
    "dots": "." * 10_000_000,
    "sentences": ". " * 2_000_000,
    "brackets": "# " + "[" * 5_000_000,
    "fences": "```x\n" * 400_000,
    "one row": "|a|b|\n|-|-|\n|" + "x " * 2_500_000,
    "tables": "<table>\n" * 300_000,
    "paragraphs": "a\n\n" * 400_000,
    "blanks": "x" + " " * 5_000_000 + "x",
}


@pytest.mark.slow
@pytest.mark.parametrize("name", LARGE_TEXTS)
def test_no_text_is_slow(name: str):
    assert seconds_to_cut(LARGE_TEXTS[name]) < 10
