"""Anything can be typed into a search box; it is read as words and quoted phrases, and never as operators."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from towpath.errors import Rejected
from towpath.model.ids import HOME_ORG
from towpath.search.contract import Query
from towpath.search.query import LONGEST_TEXT, MOST_TERMS, Term, read


def test_words_are_terms_and_quotes_make_phrases():
    wish = read('lease "notice period" of the “main tenant” «срок аренды»')
    assert wish.terms == (
        Term(("lease",)),
        Term(("notice", "period"), quoted=True),
        Term(("of",)),
        Term(("the",)),
        Term(("main", "tenant"), quoted=True),
        Term(("срок", "аренды"), quoted=True),
    )
    assert [phrase.words for phrase in wish.phrases] == [
        ("notice", "period"),
        ("main", "tenant"),
        ("срок", "аренды"),
    ]


def test_a_quote_that_is_never_closed_is_no_phrase():
    assert read('the "notice period').terms == (Term(("the",)), Term(("notice",)), Term(("period",)))


def test_operators_are_words_and_brackets_nothing():
    assert read("NEAR(a b) OR NOT ^x:* -y").terms == (
        Term(("NEAR", "a")),
        Term(("b",)),
        Term(("OR",)),
        Term(("NOT",)),
        Term(("x",)),
        Term(("y",)),
    )


def test_what_is_written_together_stays_together():
    assert read("O'Neill foo-bar 1,234.56 snake_case").terms == (
        Term(("O", "Neill")),
        Term(("foo", "bar")),
        Term(("1", "234", "56")),
        Term(("snake", "case")),
    )


def test_a_word_said_twice_in_two_forms_is_one_term():
    assert read("invoice Invoices INVOICE").terms == (Term(("invoice",)),)


def test_scripts_without_blanks_become_pairs_of_letters():
    assert read("東京都").terms == (Term(("東京", "京都")),)
    assert read("都").terms[0].is_prefix
    assert read("iPhone用").terms == (Term(("iPhone",)), Term(("用",)))


def test_a_sentence_without_blanks_need_not_be_found_word_for_word():
    assert read("契約の解除期間").terms == tuple(
        Term((pair,)) for pair in ("契約", "約の", "の解", "解除", "除期", "期間")
    )


@pytest.mark.parametrize("nothing", ["", "   ", "\x00\n\t", "\ud800", '""', "()*?!"])
def test_nothing_to_look_for_gives_no_terms(nothing: str):
    assert read(nothing).terms == ()


def test_a_pasted_book_is_cut_to_its_beginning():
    wish = read("word " * 30_000 + "end")
    assert len(wish.text) <= LONGEST_TEXT
    assert len(read(" ".join(f"w{n}" for n in range(20_000))).terms) == MOST_TERMS


def test_what_is_too_long_for_a_word_is_left_out():
    assert read("a" * 100_000).terms == ()
    assert read("x," * 50_000).terms == (Term(("x",)),)


@given(st.text(max_size=300))
def test_any_text_can_be_read(text: str):
    wish = read(text)
    assert len(wish.terms) <= MOST_TERMS
    for term in wish.terms:
        assert term.words
        assert all(word.strip('"\x00 ') == word != "" for word in term.words)
    assert wish.text.encode() is not None


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({"limit": 0}, "1 to 100"),
        ({"limit": 101}, "1 to 100"),
        ({"offset": -1}, "adjust offset"),
        ({"offset": 5_000}, "adjust offset"),
        ({"mode": "fuzzy"}, "hybrid, text or vector"),
    ],
)
def test_what_a_person_can_mend_is_refused_with_a_sentence(wrong: dict[str, object], says: str):
    with pytest.raises(Rejected, match=says):
        Query(HOME_ORG, "lease", **wrong)  # pyright: ignore[reportArgumentType]  (wrong on purpose)
