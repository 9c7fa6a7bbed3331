"""The function words of queries."""

from __future__ import annotations

import pytest

from towpath.search.query_parser import parse_query
from towpath.search.words.query_terms import word_query


def content_words(text: str, *languages: str) -> list[str]:
    terms = word_query(parse_query(text), languages).terms
    return [term.word for term in terms if not term.is_function_word]


@pytest.mark.parametrize(
    ("text", "language", "expected"),
    [
        (
            "dois-je informer mes voisins que nous serons absents",
            "fr",
            ["dois", "informer", "voisins", "absents"],
        ),
        ("os meus vizinhos não estavam quando houve chuva", "pt", ["vizinhos", "chuva"]),
        ("habt ihr manche dieser Schleusen gesehen", "de", ["habt", "Schleusen", "gesehen"]),
    ],
)
def test_stop_words_of_the_language_of_a_query_are_function_words(
    text: str, language: str, expected: list[str]
):
    assert content_words(text, language) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("που είναι η γέφυρα", ["γέφυρα"]),
        ("पुल कहाँ है", ["पुल"]),
        ("أين الجسر", ["الجسر"]),
        ("¿dónde está el puente?", ["puente"]),
        ("unde este podul", ["podul"]),
        ("cái cầu ở đâu", ["cầu"]),
        ("gdzie jest szkoła", ["szkoła"]),
        ("où est le pont", ["pont"]),
    ],
)
def test_words_of_questions_are_function_words_in_a_library_of_any_languages(text: str, expected: list[str]):
    assert content_words(text, "en", "es", "el", "hi", "ar", "ro", "vi", "pl") == expected


def test_a_stop_word_of_another_language_is_a_content_word():
    words = content_words("how the war changed the hat of a soldier", "en", "de")

    assert {"war", "hat", "changed", "soldier"} <= set(words)
