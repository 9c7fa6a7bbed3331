"""The words by which texts are compared are whole, and none of those that say nothing in their language."""

from __future__ import annotations

import pytest

from towpath.language.terms import in_english, spellings


def test_a_word_that_was_broken_at_the_end_of_a_line_is_one_word() -> None:
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
def test_whether_a_text_is_english_is_told_by_its_small_words_and_letters(text: str, english: bool) -> None:
    assert in_english(text) is english


def test_small_words_of_a_language_count_nothing_in_its_texts_and_are_words_elsewhere() -> None:
    assert "die" not in spellings("Der Wärter öffnet die Tore und wartet.").values()
    assert "die" in spellings("Roses that are not watered die in the heat.").values()
