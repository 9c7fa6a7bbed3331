"""Snippets show the best match and highlight the words of the query in all their forms."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from towpath.search.query_parser import parse_query
from towpath.search.snippet import SNIPPET_LENGTH, Snippet, best_match_offset, make_snippet, plain_snippet

FILLER = "Nothing of interest happens in this sentence at all. "
LEASE = (
    "## Lease\n\nThe premises are let furnished. "
    + FILLER * 12
    + "The **notice period** is three months; notices go to the landlord. "
    + FILLER * 12
)


def marked(snippet: Snippet) -> list[str]:
    return [snippet.text[start:end] for start, end in snippet.highlights]


def test_the_snippet_begins_with_the_matching_sentence():
    snippet = make_snippet(LEASE, parse_query("notice period"))
    assert snippet.text.startswith("… The notice period is three months; notices go to the landlord.")
    assert snippet.text.endswith(" …")
    assert marked(snippet) == ["notice", "period", "notices"]


def test_all_forms_of_a_word_are_highlighted():
    assert marked(make_snippet("They were running; he runs, a runner ran.", parse_query("run"))) == [
        "running",
        "runs",
    ]
    assert marked(make_snippet("Договор, договора, договорами", parse_query("договору"))) == [
        "Договор",
        "договора",
        "договорами",
    ]
    assert marked(make_snippet("A café, the CAFE, cafés", parse_query("Café"))) == ["café", "CAFE", "cafés"]


def test_a_phrase_is_highlighted_as_a_whole_and_its_single_words_are_not():
    snippet = make_snippet(
        "The notice was late. The notice period began. A period ended.", parse_query('"notice period"')
    )
    assert marked(snippet) == ["notice period"]


def test_stopwords_are_highlighted_only_if_there_are_no_other_words():
    assert marked(make_snippet("The lease of the house", parse_query("the lease of"))) == ["lease"]
    assert marked(make_snippet("The lease of the house", parse_query("of the"))) == ["The", "of", "the"]


def test_the_window_with_most_terms_is_shown():
    text = f"A deposit. {FILLER * 8} The deposit is returned to the tenant. {FILLER * 8} A tenant."
    assert "The deposit is returned to the tenant." in make_snippet(text, parse_query("tenant deposit")).text


def test_without_a_match_the_start_of_the_text_is_shown():
    snippet = make_snippet(LEASE, parse_query("astronomy"))
    assert snippet.text.startswith("Lease The premises are let furnished.")
    assert snippet.highlights == ()


def test_scripts_without_blanks_are_highlighted_by_character():
    text = "吾輩は猫である。名前はまだ無い。" * 30 + "東京都の猫が好き。"
    assert marked(make_snippet(text, parse_query("東京都"))) == ["東京都"]
    assert marked(make_snippet(text, parse_query("都"))) == ["都"]
    assert set(marked(make_snippet(text, parse_query("猫")))) == {"猫"}
    assert len(make_snippet(text, parse_query("東京都")).text) <= SNIPPET_LENGTH + 4


def test_tables_and_headings_are_shown_as_plain_text():
    table = "# Prices\n\n| item | price |\n|---|---:|\n| bolt | 3.20 |\n"
    assert make_snippet(table, parse_query("bolt")).text == "Prices | item | price | | bolt | 3.20 |"


@given(st.text(max_size=2_000), st.text(max_size=40))
def test_highlights_are_inside_the_snippet_and_do_not_overlap(passage: str, query: str):
    snippet = make_snippet(passage, parse_query(query))
    assert len(snippet.text) <= SNIPPET_LENGTH + 4
    last = 0
    for start, end in snippet.highlights:
        assert last <= start < end <= len(snippet.text)
        last = end


@given(st.lists(st.sampled_from(["tenant", "lease", "of", "the", "東京", "猫"]), min_size=1, max_size=200))
def test_a_word_of_the_chunk_is_always_shown_and_highlighted(words: list[str]):
    middle_word = words[len(words) // 2]
    assert middle_word in marked(make_snippet(" ".join(words), parse_query(middle_word)))


@pytest.mark.parametrize(
    "part", ["------- ", "| --- ", ":---: ", "- ", "-", " ", "\t", "|", "# ", "> ", "**"]
)
@pytest.mark.parametrize("repeats", [1, 10, 1_000, 2_000])
def test_lines_of_table_rules_take_time_in_proportion_to_their_length(part: str, repeats: int):
    """A pattern that backtracks does not return from these lines before the test's time limit."""
    snippet = make_snippet(f"{part * repeats} notice\n{part * repeats}\nperiod", parse_query("notice"))
    assert "notice" in marked(snippet)


def test_the_rules_of_tables_are_left_out():
    table = "| Name | Sum |\n|:---|---:|\n| notice | 12 |\n\n------- -----\nperiod\n------- -----"
    assert make_snippet(table, parse_query("notice")).text == "| Name | Sum | | notice | 12 | period"


@pytest.mark.parametrize("parts", ["-|", "[(", "*-", "| ", "[]()", "-*|[] ", "**__~~", "<>#>", ". . ", "\t-"])
def test_mixtures_of_signs_take_time_in_proportion_to_their_length(parts: str):
    """A pattern that backtracks does not return from these texts before the test's time limit."""
    text = f"{parts * (10_000 // len(parts))} notice {parts * (10_000 // len(parts))}"
    assert "notice" in marked(make_snippet(text, parse_query("notice period")))
    assert best_match_offset(text, parse_query("notice")) is not None


def test_a_search_that_has_used_its_time_shows_the_start_of_the_text():
    snippet = plain_snippet("notice " * 1_000)
    assert snippet.text.startswith("notice notice")
    assert len(snippet.text) <= SNIPPET_LENGTH + 4
    assert snippet.highlights == ()
