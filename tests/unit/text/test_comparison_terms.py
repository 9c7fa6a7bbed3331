"""Terms are whole words without the stopwords and function words of the language."""

from __future__ import annotations

import pytest

from towpath.text.comparison_terms import count_words, spellings, terms
from towpath.text.function_words import is_english


def shown(text: str) -> set[str]:
    words = count_words(text)
    return set(spellings(words, english=is_english(words)).values())


def test_a_word_hyphenated_at_a_line_end_is_one_word() -> None:
    words = shown("The floods near Wolver-\nhampton washed the tow-\r\npath away, twenty-\n12 times.")
    assert {"wolverhampton", "towpath"} <= words
    assert not {"wolver", "hampton", "tow"} & words


@pytest.mark.parametrize(
    ("text", "english"),
    [
        ("The keeper opens the gates.", True),
        ("Der Wärter öffnet die Tore und wartet.", False),
        ("L'éclusier ouvre les portes dans la nuit.", False),
        ("Смотритель открывает ворота.", False),
        ("船夫打开水闸。", False),
        ("The keeper (смотритель) opens the gates for Léon.", True),
        ("DN 50, 12 bar, PTFE", True),
        ("", True),
    ],
)
def test_english_is_detected_by_function_words_and_letters(text: str, english: bool) -> None:
    assert is_english(count_words(text)) is english


def test_function_words_of_another_language_are_terms_in_english_texts_only() -> None:
    assert "die" not in shown("Der Wärter öffnet die Tore und wartet.")
    assert "die" in shown("Roses that are not watered die in the heat.")


def test_words_with_the_same_stem_count_as_one_term() -> None:
    words = count_words("The gate was shut. Two gates were open; the Gate of the lock was not.")
    assert terms(words, english=True)["gate"] == 3
