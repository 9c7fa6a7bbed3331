"""Text is split into words in the same way for the index, the queries and the snippets."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from towpath.text.word_tokenizer import bigrams, fold, without_accents, words


def texts(text: str) -> list[str]:
    return [word for word, _, _ in words(text)]


def test_punctuation_separates_words_and_combining_marks_do_not():
    assert texts("don’t stop: snake_case, e\u0301te\u0301!") == [
        "don",
        "t",
        "stop",
        "snake",
        "case",
        "e\u0301te\u0301",
    ]
    assert texts("हिन्दी भाषा") == ["हिन्दी", "भाषा"]


def test_an_unsegmented_script_ends_a_word():
    assert texts("iPhone15用ケース。カ") == ["iPhone15", "用ケース", "カ"]
    assert bigrams("ケース") == ["ケー", "ース"]
    assert bigrams("カ") == ["カ"]


def test_accents_and_case_are_folded_but_distinct_letters_stay():
    assert fold("ÉTÉ") == fold("e\u0301te\u0301") == "été"
    assert without_accents("été") == "ete"
    assert fold("Ёлка") == "елка"
    assert without_accents(fold("Йод")) == "йод"
    assert fold("ＡＢＣ１２") == "abc12"


@given(st.text())
def test_offsets_are_those_of_the_words(text: str):
    last = 0
    for word, start, end in words(text):
        assert text[start:end] == word
        assert last <= start < end
        last = end
