"""Quotations of values are looked up in the text, and the values of several parts are merged."""

from __future__ import annotations

import pytest

from towpath.chunking.anchors import AnchorIndex
from towpath.fields.quoted_values import locate, merge, to_fields
from towpath.model.content import Block, Box, Extraction, Page
from towpath.model.field_schema import ExtractedValue, Leaf

TEXT = """# Wharf & Sons

| Item | Count | Amount |
|---|---|---|
| Oak gate | 2 | 300,00 |
| Rope | 2 | 40,00 |
| Oak gate | 1 | 150,00 |

Total **490,00** €
"""
MONEY = Leaf("number", "money")


def _value(name: str, value: str, quote: str | None, leaf: Leaf | None = None) -> ExtractedValue:
    return ExtractedValue((name,), value, leaf or Leaf("string"), quote)


def _item(number: int, name: str, value: str, quote: str, leaf: Leaf | None = None) -> ExtractedValue:
    return ExtractedValue(("items", number, name), value, leaf or Leaf("string"), quote)


@pytest.mark.parametrize(
    ("quote", "found"),
    [
        ("Wharf & Sons", "Wharf & Sons"),
        ("wharf and sons", None),
        ("Rope", "Rope"),
        ("Total 490,00 €", "Total **490,00"),
        ("€", "€"),
        ("490", "490"),
        ("Ropes", None),
        ("", None),
        (None, None),
    ],
)
def test_a_quotation_is_found_by_its_words_also_a_short_one(quote: str | None, found: str | None) -> None:
    [located] = locate([_value("name", "x", quote)], TEXT, (0, len(TEXT)))
    assert (None if located.span is None else TEXT[slice(*located.span)]) == found
    assert located.verified is (found is not None)


@pytest.mark.parametrize(
    ("value", "quote", "verified"),
    [
        ("490.00", "Total 490,00", True),
        ("490", "490,00", True),
        ("49000", "490,00", True),
        ("490.00", "Total", False),
        ("940.00", "490,00", False),
        ("0", "Total", False),
        ("0", "490,00", True),
    ],
)
def test_the_quotation_of_a_number_has_its_digits(value: str, quote: str, *, verified: bool) -> None:
    [located] = locate([_value("total", value, quote, MONEY)], TEXT, (0, len(TEXT)))
    assert located.verified is verified


def test_the_values_of_an_item_stand_together() -> None:
    values = [
        _item(0, "name", "Oak gate", "Oak gate"),
        _item(0, "count", "2", "2", Leaf("number")),
        _item(1, "name", "Rope", "Rope"),
        _item(1, "count", "2", "2", Leaf("number")),
        _item(2, "name", "Oak gate", "Oak gate"),
        _item(2, "count", "1", "1", Leaf("number")),
    ]
    rows = {0: "| Oak gate | 2 | 300,00 |", 1: "| Rope | 2 | 40,00 |", 2: "| Oak gate | 1 | 150,00 |"}
    for located in locate(values, TEXT, (0, len(TEXT))):
        assert located.span is not None
        start = TEXT.index(rows[int(located.value.path[1])])
        assert start <= located.span[0] < start + 30, located


def test_a_verified_value_wins_then_the_first_and_items_are_collected() -> None:
    text = "Alpha 1\n\nBeta 2\n\nBeta 3\n\n"
    first = [_value("name", "Gamma", "Gamma"), _value("date", "one", None), _item(0, "n", "Alpha", "Alpha")]
    second = [_value("name", "Beta", "Beta"), _value("date", "two", None), _item(0, "n", "Beta", "Beta 2")]
    third = [_value("name", "Beta 3", "Beta 3"), _item(0, "n", "x", "Beta"), _item(1, "n", "y", "3")]
    parts = [(0, 9), (9, 17), (17, 25)]

    merged = merge(
        [locate(values, text, part) for values, part in zip((first, second, third), parts, strict=True)]
    )

    fields = to_fields(merged, AnchorIndex(Extraction(text, "test")))
    assert [(field.name, field.value, field.verified) for field in fields] == [
        ("name", "Beta", True),
        ("date", "one", False),
        ("items[0].n", "Alpha", True),
        ("items[1].n", "Beta", True),
        ("items[2].n", "x", True),
        ("items[3].n", "y", True),
    ]
    # A quotation is found in the part that the model was given.
    assert [field.start for field in fields] == [9, None, 0, 9, 17, 22]


def test_a_field_has_the_page_and_the_box_of_its_quotation() -> None:
    start = TEXT.index("Total")
    pages = (Page(1, 0, start), Page(2, start, len(TEXT)))
    box = Box(0.1, 0.2, 0.6, 0.3)
    extraction = Extraction(TEXT, "test", pages, (Block(start, len(TEXT) - 1, 2, box),))
    [field] = to_fields(
        locate([_value("total", "490.00", "Total 490,00", MONEY)], TEXT, (0, len(TEXT))),
        AnchorIndex(extraction),
    )
    assert (field.page, field.box, field.kind) == (2, box, "money")
    assert TEXT[slice(field.start, field.end)] == "Total **490,00"
