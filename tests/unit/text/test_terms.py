"""Terms are whole words without the stopwords and function words of the language."""

from __future__ import annotations

import pytest

from towpath.text.terms import is_english_text, spellings


def test_a_word_hyphenated_at_a_line_end_is_one_word() -> None:
    words = spellings("The floods near Wolver-\nhampton washed the tow-\r\npath away, twenty-\n12 times.")
    assert {"wolverhampton", "towpath"} <= set(words.values())
    assert not {"wolver", "hampton", "tow"} & set(words.values())


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
    assert is_english_text(text) is english


def test_function_words_of_another_language_are_terms_in_english_texts_only() -> None:
    assert "die" not in spellings("Der Wärter öffnet die Tore und wartet.").values()
    assert "die" in spellings("Roses that are not watered die in the heat.").values()
