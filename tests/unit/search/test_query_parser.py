"""Any text is a valid query: words and quoted phrases, no operators."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from towpath.errors import Rejected
from towpath.model.ids import DEFAULT_ORG_ID
from towpath.search.contract import Query
from towpath.search.query_parser import MAX_TERMS, MAX_TEXT_LENGTH, Term, parse_query


def test_words_are_terms_and_quotes_make_phrases():
    parsed = parse_query('lease "notice period" of the “main tenant” «срок аренды»')
    assert parsed.terms == (
        Term(("lease",)),
        Term(("notice", "period"), quoted=True),
        Term(("of",)),
        Term(("the",)),
        Term(("main", "tenant"), quoted=True),
        Term(("срок", "аренды"), quoted=True),
    )
    assert [phrase.words for phrase in parsed.phrases] == [
        ("notice", "period"),
        ("main", "tenant"),
        ("срок", "аренды"),
    ]


def test_an_unclosed_quote_is_not_a_phrase():
    assert parse_query('the "notice period').terms == (Term(("the",)), Term(("notice",)), Term(("period",)))


def test_operators_are_words_and_brackets_are_ignored():
    assert parse_query("NEAR(a b) OR NOT ^x:* -y").terms == (
        Term(("NEAR", "a")),
        Term(("b",)),
        Term(("OR",)),
        Term(("NOT",)),
        Term(("x",)),
        Term(("y",)),
    )


def test_words_joined_by_punctuation_are_one_term():
    assert parse_query("O'Neill foo-bar 1,234.56 snake_case").terms == (
        Term(("O", "Neill")),
        Term(("foo", "bar")),
        Term(("1", "234", "56")),
        Term(("snake", "case")),
    )


def test_scripts_without_blanks_become_bigrams():
    assert parse_query("東京都").terms == (Term(("東京", "京都")),)
    assert parse_query("都").terms[0].is_prefix
    assert parse_query("iPhone用").terms == (Term(("iPhone",)), Term(("用",)))


def test_a_sentence_without_blanks_becomes_separate_bigrams():
    assert parse_query("契約の解除期間").terms == tuple(
        Term((pair,)) for pair in ("契約", "約の", "の解", "解除", "除期", "期間")
    )


@pytest.mark.parametrize("nothing", ["", "   ", "\x00\n\t", "\ud800", '""', "()*?!"])
def test_a_query_without_words_has_no_terms(nothing: str):
    assert parse_query(nothing).terms == ()


def test_a_long_query_is_truncated():
    parsed = parse_query("word " * 30_000 + "end")
    assert len(parsed.text) <= MAX_TEXT_LENGTH
    assert len(parse_query(" ".join(f"w{n}" for n in range(20_000))).terms) == MAX_TERMS


def test_overlong_words_are_left_out():
    assert parse_query("a" * 100_000).terms == ()
    assert parse_query("x," * 50_000).terms == (Term(("x",)),) * MAX_TERMS


@given(st.text(max_size=300))
def test_any_text_can_be_parsed(text: str):
    parsed = parse_query(text)
    assert len(parsed.terms) <= MAX_TERMS
    for term in parsed.terms:
        assert term.words
        assert all(word.strip('"\x00 ') == word != "" for word in term.words)
    assert parsed.text.encode() is not None


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({"limit": 0}, "between 1 and 100"),
        ({"limit": 101}, "between 1 and 100"),
        ({"offset": -1}, "offset must be between"),
        ({"offset": 10_001}, "offset must be between"),
        ({"mode": "fuzzy"}, "hybrid, text or vector"),
    ],
)
def test_invalid_parameters_are_rejected_with_a_message(wrong: dict[str, object], says: str):
    with pytest.raises(Rejected, match=says):
        Query(DEFAULT_ORG_ID, "lease", **wrong)  # pyright: ignore[reportArgumentType]  (wrong on purpose)
