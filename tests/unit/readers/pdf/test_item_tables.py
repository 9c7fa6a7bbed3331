"""Tables of items with amounts: rows with an amount in the last column, below a header, without lines."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

from towpath.readers.pdf.item_tables import find_item_tables
from towpath.readers.pdf.page_layout import PageLayout

_SIZE = 10.0
_COLUMNS = (50.0, 300.0, 380.0, 460.0)
HEADER = ("Article", "Number", "Price", "Amount")


def tables(*lines: tuple[str, ...], columns: tuple[float, ...] = _COLUMNS) -> list[list[list[str]]]:
    """The tables of a page: texts begin at the left of their column, amounts end at its right."""
    items: list[SimpleNamespace] = []
    for number, texts in enumerate(lines):
        for left, text in zip(columns, texts, strict=False):
            width = 5.0 * len(text)
            x = left + 60 - width if text[:1].isdigit() and left > 50 else left
            items.append(
                SimpleNamespace(
                    text=text,
                    x=x,
                    y=100 + 14.0 * number,
                    width=width,
                    height=_SIZE,
                    rotation=0.0,
                    font_name="Times",
                    font_size=_SIZE,
                )
            )
    page = SimpleNamespace(
        text_items=[item for item in items if item.text], width=600.0, height=800.0, vector_graphics=None
    )
    return [table.rows for table in find_item_tables(PageLayout(cast(Any, page)))]


def test_rows_with_amounts_below_a_header_are_a_table():
    assert tables(
        ("Dear customer, these are the boats of June.",),
        HEADER,
        ("Towing rope", "2", "20,00", "40,00"),
        ("of hemp",),
        ("Lantern", "1", "1.250,00", "1.250,00"),
        ("", "", "Total", "1.290,00"),
        ("Please pay within thirty days to the account below.",),
    ) == [
        [
            ["Article", "Number", "Price", "Amount"],
            ["Towing rope of hemp", "2", "20,00", "40,00"],
            ["Lantern", "1", "1.250,00", "1.250,00"],
            ["", "", "Total", "1.290,00"],
        ]
    ]


def test_one_row_needs_a_header_with_four_names():
    row = ("Towing rope", "2", "20,00", "40,00")

    assert len(tables(HEADER, row)) == 1
    assert tables(("Article", "Number", "Amount"), ("Rope", "2", "20,00"), columns=(50.0, 300.0, 460.0)) == []


def test_rows_without_a_header_are_no_table():
    rows = [("Towing rope", "2", "20,00", "40,00"), ("Lantern", "1", "50,00", "50,00")]

    assert tables(*rows) == []
    assert tables(("In 2019 the boats paid these tolls for ropes and for their lanterns",), *rows) == []


def test_a_line_between_header_and_rows_is_a_row():
    assert tables(
        HEADER, ("Contract No. 17",), ("Rope", "2", "20,00", "40,00"), ("Oar", "1", "9,00", "9,00")
    ) == [
        [
            list(HEADER),
            ["Contract No. 17", "", "", ""],
            ["Rope", "2", "20,00", "40,00"],
            ["Oar", "1", "9,00", "9,00"],
        ]
    ]


def test_prose_with_amounts_is_no_table():
    assert tables(("The rope costs 20,00 and the lantern 50,00.",), ("Both cost 70,00.",)) == []


def test_amounts_that_end_at_different_places_are_not_one_table():
    assert (
        tables(
            ("Article", "Number", "Amount"),
            ("Rope", "2", "20,00"),
            ("Lantern", "1", "", "50,00"),
            columns=(50.0, 200.0, 300.0, 460.0),
        )
        == []
    )
