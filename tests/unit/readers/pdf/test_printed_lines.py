"""Lines that an author ended, bullets that the engine does not know, and accents beside their letters."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import accumulate
from types import SimpleNamespace
from typing import Any, cast

import pytest

from towpath.model.content import Box
from towpath.readers.pdf.bullet_lines import divide_at_bullets, item_text
from towpath.readers.pdf.mend_blocks import mend_blocks
from towpath.readers.pdf.page_layout import PageLayout, line_text, text_lines
from towpath.readers.pdf.page_model import PageBlock
from towpath.readers.pdf.printed_lines import divide_text
from towpath.readers.pdf.separate_accents import has_separate_accents, join_accents

_SIZE = 10.0
_CHARACTER = 5.0


def layout_of(
    *lines: tuple[float, str],
    beside: float | None = None,
    top: float = 100,
    gaps: Mapping[int, float] | None = None,
) -> PageLayout:
    """A page of these lines, each with its left edge; ``beside`` is the left edge of a column on the right.

    ``gaps`` is the space above lines, by index, in addition to that between the others.
    """
    places = accumulate(12 + (gaps or {}).get(index, 0) for index in range(1, len(lines)))
    tops = [top, *(top + place for place in places)]
    items = [item(text, left, y) for (left, text), y in zip(lines, tops, strict=False)]
    items += [item("full width " * 9, 50, 400)]
    if beside is not None:
        items += [item("beside", beside, 100 + 12 * index) for index in range(len(lines))]
    page = SimpleNamespace(text_items=items, width=600.0, height=800.0, vector_graphics=None)
    return PageLayout(cast(Any, page))


def item(text: str, x: float, y: float) -> SimpleNamespace:
    width = len(text) * _CHARACTER
    return SimpleNamespace(
        text=text, x=x, y=y, width=width, height=_SIZE, rotation=0.0, font_name="Times", font_size=_SIZE
    )


def divided(*lines: str, beside: float | None = None) -> list[str]:
    layout = layout_of(*((50.0, line) for line in lines), beside=beside)
    area = (50.0, 98.0, 550.0 if beside is None else beside - 5, 100 + 12.0 * len(lines))
    return [text for text, _ in divide_text(" ".join(lines), area, layout)]


def test_a_line_with_room_behind_a_sentence_ends_a_paragraph():
    lines = (
        "The lock keeper opened the upper gate in the morning and wrote the time of every boat",
        "that passed into his book.",
        "Above the lock the canal was wide enough for two boats, and horses rested on the grass",
        "until the gate was closed again.",
    )

    assert divided(*lines) == [" ".join(lines[:2]), " ".join(lines[2:])]


def test_a_paragraph_is_not_divided_within_bold_text():
    lines = (
        "The lock keeper opened the upper gate in the morning and wrote the time of every boat",
        "that passed into **his book.",
        "Above the lock** the canal was wide enough for two boats, and horses rested on the grass",
        "until the gate was closed again.",
    )
    layout = layout_of(*((50.0, line.replace("**", "")) for line in lines))
    text = " ".join(lines)

    assert divide_text(text, (50.0, 98.0, 550.0, 148.0), layout) == [(text, (50.0, 98.0, 550.0, 148.0))]


def test_a_wrapped_paragraph_stays_one():
    lines = (
        "The lock keeper opened the upper gate in the morning and wrote the time of every boat",
        "that passed into his book. Above the lock the canal was wide enough for two boats and",
        "Horses rested on the grass until the gate was closed again.",
    )

    assert divided(*lines) == [" ".join(lines)]


def test_a_short_line_that_goes_on_in_small_letters_is_not_ended():
    lines = ("The picture is on the right of", "this text, which is wide below the picture as it is here.")

    assert divided(*lines) == [" ".join(lines)]


def test_a_running_header_in_two_lines_is_apart_from_the_text():
    area = (50.0, 38.0, 550.0, 110.0)
    layout = layout_of(
        (250, "The program"),
        (250, "of the lock"),
        (50, "keeper opened the upper gate in the morning and wrote the time of every boat"),
        top=40,
        gaps={2: 14},
    )

    assert [
        text
        for text, _ in divide_text(
            "The program of the lock keeper opened the upper gate in the morning and wrote the time of every boat",
            area,
            layout,
        )
    ] == [
        "The program of the lock",
        "keeper opened the upper gate in the morning and wrote the time of every boat",
    ]


def test_the_lines_of_an_address_are_kept():
    lines = ("Recipient Name", "Recipient Street 12", "12345 Recipient Town")

    assert divided(*lines) == ["  \n".join(lines)]


def test_short_lines_in_a_narrow_column_are_not_an_address():
    lines = ("Recipient Name of", "Recipient Street in", "Recipient Town")

    assert divided(*lines, beside=155.0) == [" ".join(lines)]


def test_a_line_that_would_begin_a_list_in_markdown_is_not_put_on_its_own():
    assert divided(
        "Simply choose any three of the words.", "- the page of the project on the web, first"
    ) == ["Simply choose any three of the words. - the page of the project on the web, first"]


def parts_of(*lines: tuple[float, str], is_item: bool = False) -> list[tuple[str, int, str]] | None:
    layout = layout_of(*lines)
    found = text_lines(layout.runs_inside(40, 90, 560, 12.0 * len(lines) + 10))
    parts = divide_at_bullets(found, is_item=is_item)
    if parts is None:
        return None
    return [(part.bullet, part.level, item_text(" ".join(map(line_text, part.lines)))) for part in parts]


def test_squares_and_arrows_in_front_of_lines_are_bullets():
    assert parts_of(
        (50, "The tools are these:"),
        (60, "▪ an editor for text,"),
        (70, "which is free"),
        (60, "▪ a compiler"),
        (70, "➢ for C"),
        (50, "Both are needed to build the program."),
    ) == [
        ("", 0, "The tools are these:"),
        ("▪", 0, "an editor for text, which is free"),
        ("▪", 0, "a compiler"),
        ("➢", 1, "for C"),
        ("", 0, "Both are needed to build the program."),
    ]


def test_a_bullet_between_two_words_is_no_item():
    assert parts_of((50, "Kraxi Systems • 17, Aviation Road • Paperfield")) is None
    assert (
        parts_of(
            (50, "Kraxi Systems of Paperfield in the county of Kent"), (50, "• 17, Aviation Road in the town")
        )
        is None
    )


def test_an_item_of_the_engine_is_divided_at_the_bullets_of_its_lines():
    assert parts_of((50, "• A library"), (60, "‣ It is everywhere"), is_item=True) == [
        ("•", 0, "A library"),
        ("‣", 1, "It is everywhere"),
    ]


def test_the_rest_of_an_item_is_joined_to_it():
    item = PageBlock("list", "Know the rules closely to", Box(0.1, 0.1, 0.9, 0.112), marker="•")
    rest = PageBlock("paragraph", "avoid disqualification.", Box(0.12, 0.114, 0.5, 0.126))
    below = PageBlock("paragraph", "and so on", Box(0.12, 0.2, 0.5, 0.212))

    assert [block.text for block in mend_blocks([item, rest, below])] == [
        "Know the rules closely to avoid disqualification.",
        "and so on",
    ]


def test_a_large_initial_is_joined_to_its_paragraph():
    initial = PageBlock("paragraph", "P", Box(0.1, 0.1, 0.13, 0.14))
    text = PageBlock("paragraph", "oker has served as a problem.", Box(0.1, 0.1, 0.9, 0.3))
    apart = PageBlock("paragraph", "oker has served as a problem.", Box(0.1, 0.4, 0.9, 0.5))

    assert [block.text for block in mend_blocks([initial, text])] == ["Poker has served as a problem."]
    assert len(mend_blocks([initial, apart])) == 2


def test_a_letter_of_the_size_of_the_text_is_no_initial():
    label = PageBlock("paragraph", "A", Box(0.1, 0.1, 0.12, 0.115))
    text = PageBlock("paragraph", "small part of the table.", Box(0.12, 0.1, 0.9, 0.3))

    assert [block.text for block in mend_blocks([label, text])] == ["A", "small part of the table."]


@pytest.mark.parametrize(
    ("text", "joined"),
    [
        ("M´ario", "Mário"),
        ("Don`a", "Donà"),
        ("Mart´ın", "Martín"),
        ("fac¸ade", "façade"),
        ("Erd˝os", "Erdős"),
        ("Dvoˇr´ak", "Dvořák"),
        ("d´t", "d´t"),
        ("www.lock.example/˜nora", "www.lock.example/˜nora"),
    ],
)
def test_accents_are_joined_with_their_letters(text: str, joined: str):
    assert join_accents(text) == joined


def test_only_pages_in_computer_modern_have_separate_accents():
    assert has_separate_accents(["ABCDEF+CMR10"], ["M´ario"])
    assert not has_separate_accents(["Helvetica"], ["M´ario"])
    assert not has_separate_accents(["ABCDEF+CMR10"], ["plain"])
