"""Identifiers, prose and contents pages: what is read from the text of one passage."""

from __future__ import annotations

import pytest

from towpath.connections.passage_text import analyze, contained_share, identifiers
from towpath.connections.scoring import MAX_CONTENTS_SHARE, MIN_PROSE_SHARE


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Invoice INV-2024/0815 of 3 May", {"inv20240815"}),
        ("Please write to anna.berg@example.org today", {"annabergexampleorg"}),
        ("IBAN DE89 3704 0044 0532 0130 00", {"de89370400440532013000"}),
        ("as [Knuth97] shows", {"knuth97"}),
        ("customer C-4711 and order 990123", {"c4711", "990123"}),
        ("On 2024-05-03 we paid 1.250,00 for 12 lamps at 10:30", set[str]()),
    ],
)
def test_identifiers_are_codes_addresses_and_keys_but_no_dates_or_amounts(
    text: str, expected: set[str]
) -> None:
    assert set(identifiers(text)) == expected


def test_prose_has_function_words_in_every_language() -> None:
    for text in (
        "The lock keeper opened the gate because the barge was waiting in the lower pound.",
        "Der Schleusenwärter öffnete das Tor, weil der Kahn unten in der Kammer wartete.",
        "L'éclusier a ouvert la porte parce que la péniche attendait dans le bief.",
        "Смотритель открыл ворота, потому что баржа ждала внизу и не могла пройти.",
        "船闸管理员打开了闸门，因为驳船在下游等候。",
    ):
        assert analyze(text).prose_share >= MIN_PROSE_SHARE
    for text in (
        "| lot 7 | 12.50 | paid |\n| lot 8 | 13.10 | open |",
        "expr COLLATE collation-name DESC expr ASC WITHOUT ROWID table-name column-alias",
    ):
        assert analyze(text).prose_share < MIN_PROSE_SHARE


def test_a_table_of_contents_is_recognized() -> None:
    contents = "1.1 Locks 4\n1.2 Weirs and the ways around them 9\n2.1 Boats ........ 15\n2.2 Tolls 21"
    assert analyze(contents).contents_share >= MAX_CONTENTS_SHARE
    prose = "Version 2.1 of the rules says that the keeper of each lock writes down every boat and its cargo in a book."
    assert analyze(prose).contents_share < MAX_CONTENTS_SHARE


def test_the_contained_share_is_1_for_a_part_and_0_for_other_text() -> None:
    text = "The keeper of each lock writes down every boat and its cargo in a book that the company reads in winter"
    part = "lock writes down every boat and its cargo in a book"
    assert contained_share(text, part) == 1.0
    assert (
        contained_share(text, "Nine straw hives stood along the south wall of the garden behind the church")
        == 0.0
    )
    assert contained_share("船闸管理员打开了闸门因为驳船在等候", "管理员打开了闸门") == 1.0
