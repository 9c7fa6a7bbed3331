"""Splitting markdown into chunks: sizes, headings, tables, code, anchors and ids."""

from __future__ import annotations

import uuid

import pytest

from tests.support.random_text import paragraphs, prose, words
from towpath.chunking.markdown_chunker import chunk_markdown
from towpath.model.content import Block, Box, Chunk, Extraction, Page


def chunks_of(markdown: str, *, target: int = 40, most: int = 60) -> list[Chunk]:
    return chunk_markdown(
        "document", Extraction(markdown, "test"), target_tokens=target, max_tokens=most, count_tokens=words
    )


# What a chunk holds


def test_a_short_document_is_one_chunk_with_its_exact_span():
    [chunk] = chunks_of("\n\n  Boats wait.\n\nThe gate opens.  \n\n")

    assert chunk.text == "  Boats wait.\n\nThe gate opens."
    assert (chunk.anchor.start, chunk.anchor.end) == (2, 32)
    assert (chunk.ordinal, chunk.tokens, chunk.anchor.heading_path) == (0, 5, ())


@pytest.mark.parametrize("nothing", ["", " \n\t\n ", "\u00a0\u2003\r\n"])
def test_blank_text_gives_no_chunks(nothing: str):
    assert chunks_of(nothing) == []


def test_long_text_is_cut_between_paragraphs_near_the_target():
    markdown = paragraphs(40)

    chunks = chunks_of(markdown)

    assert "\n\n".join(chunk.text for chunk in chunks) == markdown
    assert all(chunk.tokens <= 60 for chunk in chunks)
    assert 30 <= sum(chunk.tokens for chunk in chunks) / len(chunks) <= 45


def test_a_paragraph_too_large_is_cut_between_sentences():
    chunks = chunks_of(prose(400))

    assert len(chunks) > 6
    assert all(chunk.text[0].isupper() and chunk.text.endswith(".") for chunk in chunks)


def test_a_sentence_too_large_is_cut_between_words():
    chunks = chunks_of("word " * 500)

    assert all(set(chunk.text.split()) == {"word"} for chunk in chunks)
    assert sum(chunk.tokens for chunk in chunks) == 500
    assert max(chunk.tokens for chunk in chunks) <= 60


def test_a_list_too_large_is_cut_between_its_items():
    items = [f"- {prose(9, n)}\n  {prose(4, n + 99)}" for n in range(40)]

    chunks = chunks_of("\n".join(items))

    assert all(chunk.text.startswith("- ") for chunk in chunks)
    assert "\n".join(chunk.text for chunk in chunks) == "\n".join(items)


def test_a_short_tail_is_merged_with_the_chunk_before():
    chunks = chunks_of(f"{prose(38, 1)}\n\n{prose(22, 2)}\n\nEnd of story.", target=40, most=80)

    assert chunks[-1].text.endswith("End of story.")
    assert chunks[-1].tokens > 5


@pytest.mark.parametrize("length", range(30, 60, 3))
def test_a_chunk_does_not_end_after_a_colon(length: int):
    chunks = chunks_of(f"{prose(length)} It has:\n\n- {prose(15, 1)}\n\n{paragraphs(4)}", most=80)

    assert len(chunks) > 1
    assert not any(chunk.text.endswith(":") for chunk in chunks)


# Headings


def test_each_section_is_a_chunk_that_begins_with_its_heading():
    chunks = chunks_of(
        "Before all.\n\n# Canals\n\nWide ones.\n\n## Locks\n\nWith gates.\n\n"
        "## Bridges\n\nOver water.\n\n# Boats\n\nLong."
    )

    assert [(chunk.anchor.heading_path, chunk.text) for chunk in chunks] == [
        ((), "Before all."),
        (("Canals",), "# Canals\n\nWide ones."),
        (("Canals", "Locks"), "## Locks\n\nWith gates."),
        (("Canals", "Bridges"), "## Bridges\n\nOver water."),
        (("Boats",), "# Boats\n\nLong."),
    ]


def test_consecutive_headings_begin_one_chunk():
    [chunk] = chunks_of("# Canals\n\n## Locks\n### Gates\n\nThey open.")

    assert chunk.anchor.heading_path == ("Canals", "Locks", "Gates")
    assert chunk.text.startswith("# Canals\n\n## Locks\n### Gates\n\nThey")


def test_a_heading_without_a_body_is_a_chunk():
    chunks = chunks_of("# Canals\n\n## Empty\n\n## Locks\n\nGates.\n\n# Last")

    assert [(chunk.anchor.heading_path, chunk.text) for chunk in chunks] == [
        (("Canals", "Empty"), "# Canals\n\n## Empty"),
        (("Canals", "Locks"), "## Locks\n\nGates."),
        (("Last",), "# Last"),
    ]


def test_a_heading_is_never_at_the_end_of_a_chunk():
    markdown = "\n\n".join(f"## Part {n}\n\n{prose(55, n)}" for n in range(20))

    for chunk in chunks_of(markdown):
        assert not chunk.text.splitlines()[-1].startswith("#")
        assert chunk.tokens <= 60


def test_all_chunks_of_a_long_section_carry_its_path():
    chunks = chunks_of(f"# Canals\n\n## Locks\n\n{paragraphs(20)}")

    assert len(chunks) > 3
    assert {chunk.anchor.heading_path for chunk in chunks} == {("Canals", "Locks")}


def test_atx_and_setext_headings_are_recognized():
    chunks = chunks_of(
        "Canals\n======\n\nOne.\n\nLocks\n---\n\nTwo.\n\n### [Gates](http://x) and **bars** ##\n\nThree."
    )

    assert [chunk.anchor.heading_path for chunk in chunks] == [
        ("Canals",),
        ("Canals", "Locks"),
        ("Canals", "Locks", "Gates and bars"),
    ]


@pytest.mark.parametrize(
    "line",
    ["#hashtag", "    # in code", "####### seven", "#", "\\# escaped", "# " + "long " * 100, "> # quoted"],
)
def test_not_everything_with_a_hash_is_a_heading(line: str):
    [chunk] = chunks_of(f"One.\n\n{line}\n\nTwo.", target=400, most=400)

    assert chunk.anchor.heading_path == ()


def test_a_rule_between_paragraphs_or_a_line_in_code_is_no_heading():
    [chunk] = chunks_of("- item\n---\n\nOne.\n\n---\n\nTwo.\n\n    Code\n    ====")

    assert chunk.anchor.heading_path == ()


# Code


def test_code_is_kept_whole_and_its_hashes_are_no_headings():
    code = "```python\n# not a heading\n\nprint('lock')\n```"

    chunks = chunks_of(f"{prose(36)}\n\n{code}\n\n{prose(36, 2)}")

    assert any(code in chunk.text for chunk in chunks)
    assert {chunk.anchor.heading_path for chunk in chunks} == {()}


def test_code_too_large_is_cut_between_lines():
    code = "\n".join(f"    step_{n} = open(gate, number={n})" for n in range(80))

    chunks = chunks_of(f"~~~\n{code}\n~~~")

    assert len(chunks) > 3
    assert all(line in code or line == "~~~" for chunk in chunks for line in chunk.text.split("\n"))


def test_a_fence_that_is_never_closed_hides_no_headings():
    chunks = chunks_of("```\nstray\n\n# Canals\n\nText.")

    assert chunks[-1].anchor.heading_path == ("Canals",)


# Tables


def table(rows: int) -> str:
    lines = ["| boat | length |", "|------|-------:|", *(f"| barge {n} | {n} m |" for n in range(rows))]
    return "\n".join(lines)


def test_a_table_that_fits_is_kept_whole():
    chunks = chunks_of(f"{prose(30)}\n\n{table(5)}\n\n{prose(30, 3)}")

    assert any(table(5) in chunk.text for chunk in chunks)


def test_a_table_too_large_is_cut_between_rows_and_repeats_its_header():
    markdown = f"# Fleet\n\n{table(60)}"
    header = "| boat | length |\n|------|-------:|\n"

    first, *others = chunks_of(markdown)

    assert first.text.startswith(f"# Fleet\n\n{header}")
    assert len(others) > 5
    for chunk in others:
        source = markdown[chunk.anchor.start : chunk.anchor.end]
        assert chunk.text == header + source
        assert source.startswith("| barge")
        assert source.endswith("m |")
        assert chunk.tokens == words(chunk.text) <= 60


def test_a_row_too_large_for_a_chunk_is_split_by_length():
    markdown = f"{table(1)}\n| {'rope ' * 200}| long |"

    chunks = chunks_of(markdown)

    assert sum(chunk.text.count("rope") for chunk in chunks) == 200
    assert max(chunk.tokens for chunk in chunks) <= 60


def test_an_html_table_is_cut_between_rows_too():
    rows = "\n".join(f"<tr>\n<td>barge {n}</td>\n<td>{n} m</td>\n</tr>" for n in range(60))
    markdown = f"<table>\n<tr>\n<th>boat</th>\n<th>length</th>\n</tr>\n{rows}\n</table>"

    first, *others = chunks_of(markdown)

    assert first.text.startswith("<table>\n<tr>\n<th>boat")
    assert len(others) > 3
    for chunk in others:
        assert chunk.text.startswith("<table>\n<tr>\n<th>boat</th>\n<th>length</th>\n</tr>\n<tr>\n<td>barge")
        assert markdown[chunk.anchor.start : chunk.anchor.end].startswith("<tr>")


# Places


def test_a_chunk_has_its_first_and_last_page():
    pieces = [prose(30, n) for n in range(6)]
    markdown = "\n\n".join(pieces)
    starts = [markdown.index(piece) for piece in pieces]
    pages = tuple(Page(n + 1, start, start + len(pieces[n])) for n, start in enumerate(starts))

    chunks = chunk_markdown(
        "d", Extraction(markdown, "t", pages), target_tokens=60, max_tokens=65, count_tokens=words
    )

    assert [(chunk.anchor.page, chunk.anchor.page_end) for chunk in chunks] == [(1, 2), (3, 4), (5, 6)]


def test_a_chunks_box_surrounds_its_blocks_on_its_first_page():
    markdown = "Upper left.\n\nLower right.\n\nNext page."
    blocks = (
        Block(0, 11, 1, Box(0.1, 0.1, 0.4, 0.2)),
        Block(13, 25, 1, Box(0.3, 0.5, 0.9, 0.6)),
        Block(27, 37, 2, Box(0.0, 0.0, 1.0, 1.0)),
    )
    pages = (Page(1, 0, 26), Page(2, 27, 37))

    [chunk] = chunk_markdown("d", Extraction(markdown, "t", pages, blocks), count_tokens=words)

    assert chunk.anchor.box == Box(0.1, 0.1, 0.9, 0.6)
    assert (chunk.anchor.page, chunk.anchor.page_end) == (1, 2)


def test_without_pages_and_boxes_a_chunk_has_none():
    [chunk] = chunks_of("Text.")

    assert (chunk.anchor.page, chunk.anchor.page_end, chunk.anchor.box) == (None, None, None)


# Names


def test_ids_are_uuids_that_depend_on_document_and_text():
    markdown = paragraphs(20)
    extraction = Extraction(markdown, "t")

    here = [
        chunk.id
        for chunk in chunk_markdown("here", extraction, count_tokens=words, target_tokens=40, max_tokens=60)
    ]
    again = [
        chunk.id
        for chunk in chunk_markdown("here", extraction, count_tokens=words, target_tokens=40, max_tokens=60)
    ]
    there = [
        chunk.id
        for chunk in chunk_markdown("there", extraction, count_tokens=words, target_tokens=40, max_tokens=60)
    ]

    assert here == again
    assert not set(here) & set(there)
    assert all(str(uuid.UUID(name)) == name for name in here)


def test_equal_texts_get_different_ids_by_order():
    chunks = chunks_of("# Same\n\nText.\n\n# Same\n\nText.\n\n# Same\n\nText.")

    assert len({chunk.id for chunk in chunks}) == 3


def test_text_with_other_line_breaks_keeps_its_id():
    text = prose(30)

    [one] = chunks_of(text)
    [other] = chunks_of(text.replace(" lock", "\nlock"))

    assert one.id == other.id


@pytest.mark.parametrize("length", [5, 12, 25, 30, 50])
def test_unchanged_text_keeps_its_id_when_text_before_it_changes(length: int):
    markdown = paragraphs(600, length)
    before = {chunk.id for chunk in chunks_of(markdown)}

    for added in range(3, 40, 9):
        after = {chunk.id for chunk in chunks_of(f"{prose(added, 999)}\n\n{markdown}")}
        assert len(before & after) > 0.8 * len(before)


def test_a_change_in_one_section_leaves_the_other_sections_ids_alone():
    sections = [f"# Part {n}\n\n{paragraphs(6)} {n}" for n in range(5)]
    before = chunks_of("\n\n".join(sections))

    sections[2] = f"# Part 2\n\n{prose(70, 77)}"
    after = {chunk.id for chunk in chunks_of("\n\n".join(sections))}

    assert all(chunk.id in after for chunk in before if chunk.anchor.heading_path != ("Part 2",))
