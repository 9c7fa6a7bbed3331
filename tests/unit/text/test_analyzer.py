"""Texts become terms: stems, bigrams, and identifiers in every spelling."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from towpath.text.analyzer import tokens


def terms(text: str, language: str | None = "en") -> set[str]:
    return {token.term for token in tokens(text, language)}


@pytest.mark.parametrize(
    ("text", "joined"),
    [
        ("account DE89 3704 0044 0532 0130 00 of", "de89370400440532013000"),
        ("IBAN GB29 NWBK 6016 1331 9268 19", "gb29nwbk60161331926819"),
        ("invoice INV-2024/0815", "inv20240815"),
        ("part AB.12_34", "ab1234"),
        ("see RFC 2119", "rfc2119"),
        ("call +49 30 1234567", "49301234567"),
        ("send an e-mail", "email"),
        ("john.doe@example.org", "johndoeexampleorg"),
        ("getUserName()", "getusernam"),
        ("/etc/conf.d/app_name.toml", "etcconfdappnametoml"),
    ],
)
def test_identifiers_are_also_terms_without_their_separators(text: str, joined: str):
    assert joined in terms(text)


def test_the_parts_of_compounds_are_terms_with_positions():
    found = {token.term: token.position for token in tokens("snake_case getUserName", "en")}
    assert [found[term] for term in ("snake", "case", "get", "user", "name")] == [0, 1, 2, 3, 4]


def test_words_with_accents_are_also_terms_without_them():
    assert {"información", "informacion"} & terms("información", None)
    assert "ete" in terms("l'été", "fr")
    assert "viet" in terms("Việt Nam", "vi")


def test_alternatives_add_no_position():
    assert [token.term for token in tokens("a b-c d", "en") if not token.alternative] == ["a", "b", "c", "d"]


def test_scripts_without_blanks_are_bigrams_and_characters():
    assert {"東京", "京都", "東", "都"} <= terms("東京都", "ja")
    assert "สา" in terms("สามเดือน", "th")


@given(st.text(max_size=400), st.sampled_from([None, "en", "de", "tr", "zh"]))
def test_offsets_are_inside_the_text_and_positions_never_fall(text: str, language: str | None):
    last = 0
    for token in tokens(text, language):
        assert 0 <= token.start < token.end <= len(text)
        assert token.term
        if not token.alternative:
            assert token.position >= last
            last = token.position
