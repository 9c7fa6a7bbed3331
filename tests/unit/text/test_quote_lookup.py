"""A quote is found where the passage has its words, whatever the model did to blanks, signs and case."""

from __future__ import annotations

import pytest

from towpath.text.quote_lookup import find_quote

TEXT = "# Locks\n\nThe **staircase** of five locks\nclimbs the hill — it was built in 1774 for £4,800. It's “steep”."


@pytest.mark.parametrize(
    ("quote", "words"),
    [
        ("staircase of five locks climbs", "staircase** of five locks\nclimbs"),
        ("THE STAIRCASE OF FIVE", "The **staircase** of five"),
        ("the hill - it was built", "the hill — it was built"),
        ('It\'s "steep".', "It's “steep"),
        ("built in 1774 for £4,800.", "built in 1774 for £4,800."),
        ("1774", "1774"),
        ("The staircase … it was built in 1774", "it was built in 1774"),
    ],
)
def test_the_words_of_the_passage_are_found(quote: str, words: str) -> None:
    span = find_quote(quote, TEXT)
    assert span is not None
    assert TEXT[span[0] : span[1]] == words


@pytest.mark.parametrize(
    "quote",
    ["", "…", "the", "locks of five", "five lock", "staircase of six locks", "built in 1775", "airc of five"],
)
def test_other_words_are_not_found(quote: str) -> None:
    assert find_quote(quote, TEXT) is None


def test_a_quote_of_a_script_without_blanks_begins_anywhere() -> None:
    text = "运河上有五个船闸，建于1774年。它们很陡。"
    span = find_quote("五个船闸, 建于1774年", text)
    assert span is not None
    assert text[span[0] : span[1]] == "五个船闸，建于1774年。"
    assert find_quote("六个船闸", text) is None


def test_accents_may_be_composed_or_not() -> None:
    assert find_quote("cafe\u0301 am Hafen", "Das caf\u00e9 am Hafen.") is not None
