"""Documents that share much text are editions; a common form, as in invoices of one sender, is none."""

from __future__ import annotations

import random

from towpath.connections.editions import editions

_WORDS = [f"word{number}" for number in range(2_000)]


def _text(seed: int, words: int = 120) -> str:
    rng = random.Random(seed)
    return " ".join(rng.choice(_WORDS) for _ in range(words))


def test_the_share_is_that_of_the_smaller_document() -> None:
    book = [_text(number) for number in range(10)]
    found = editions(
        book,
        {
            "the same": book,
            "a chapter": book[2:5],
            "half new": [*book[:5], *(_text(number) for number in range(100, 105))],
            "one quotation": [book[0], *(_text(number) for number in range(200, 209))],
            "another book": [_text(number) for number in range(300, 310)],
        },
    )
    assert set(found) == {"the same", "a chapter", "half new"}
    assert found["the same"] == found["a chapter"] == 1.0
    assert abs(found["half new"] - 0.5) < 0.05


def test_a_single_passage_is_no_edition() -> None:
    assert editions([_text(1)], {"copy": [_text(1)]}) == {}


def test_text_that_many_documents_have_is_their_form() -> None:
    form = _text(1, 200)
    invoices = {f"invoice {number}": [form, _text(number + 10, 60)] for number in range(8)}
    assert editions([form, _text(9, 60)], invoices) == {}
    assert editions([form, _text(10, 60)], invoices) == {"invoice 0": 1.0}


def test_books_are_compared_by_a_sample() -> None:
    book = [_text(number, 400) for number in range(60)]
    changed = [*book[:45], *(_text(number, 400) for number in range(100, 115))]
    assert abs(editions(book, {"changed": changed})["changed"] - 0.75) < 0.05
