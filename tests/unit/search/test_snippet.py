"""A snippet shows the place that answers, and marks the words that were looked for in all their forms."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from towpath.search.query import read
from towpath.search.snippet import LENGTH, Snippet, cut

FILLER = "Nothing of interest happens in this sentence at all. "
LEASE = (
    "## Lease\n\nThe premises are let furnished. "
    + FILLER * 12
    + "The **notice period** is three months; notices go to the landlord. "
    + FILLER * 12
)


def marked(snippet: Snippet) -> list[str]:
    return [snippet.text[start:end] for start, end in snippet.highlights]


def test_the_snippet_opens_with_the_sentence_that_answers():
    snippet = cut(LEASE, read("notice period"))
    assert snippet.text.startswith("… The notice period is three months; notices go to the landlord.")
    assert snippet.text.endswith(" …")
    assert marked(snippet) == ["notice", "period", "notices"]


def test_forms_of_a_word_are_the_same_word():
    assert marked(cut("They were running; he runs, a runner ran.", read("run"))) == ["running", "runs"]
    assert marked(cut("Договор, договора, договорами", read("договору"))) == [
        "Договор",
        "договора",
        "договорами",
    ]
    assert marked(cut("A café, the CAFE, cafés", read("Café"))) == ["café", "CAFE", "cafés"]


def test_a_phrase_is_marked_as_a_whole_and_its_words_alone_are_not():
    snippet = cut("The notice was late. The notice period began. A period ended.", read('"notice period"'))
    assert marked(snippet) == ["notice period"]


def test_small_words_are_not_marked_unless_there_are_no_others():
    assert marked(cut("The lease of the house", read("the lease of"))) == ["lease"]
    assert marked(cut("The lease of the house", read("of the"))) == ["The", "of", "the"]


def test_the_place_with_most_of_the_words_wins():
    text = f"A deposit. {FILLER * 8} The deposit is returned to the tenant. {FILLER * 8} A tenant."
    assert "The deposit is returned to the tenant." in cut(text, read("tenant deposit")).text


def test_without_any_of_the_words_the_beginning_is_shown():
    snippet = cut(LEASE, read("astronomy"))
    assert snippet.text.startswith("Lease The premises are let furnished.")
    assert snippet.highlights == ()


def test_scripts_without_blanks_are_marked_letter_by_letter():
    text = "吾輩は猫である。名前はまだ無い。" * 30 + "東京都の猫が好き。"
    assert marked(cut(text, read("東京都"))) == ["東京都"]
    assert marked(cut(text, read("都"))) == ["都"]
    assert set(marked(cut(text, read("猫")))) == {"猫"}
    assert len(cut(text, read("東京都")).text) <= LENGTH + 4


def test_tables_and_headings_are_shown_as_plain_text():
    table = "# Prices\n\n| item | price |\n|---|---:|\n| bolt | 3.20 |\n"
    assert cut(table, read("bolt")).text == "Prices | item | price | | bolt | 3.20 |"


@given(st.text(max_size=2_000), st.text(max_size=40))
def test_marks_lie_inside_the_snippet_and_apart(passage: str, query: str):
    snippet = cut(passage, read(query))
    assert len(snippet.text) <= LENGTH + 4
    last = 0
    for start, end in snippet.highlights:
        assert last <= start < end <= len(snippet.text)
        last = end


@given(st.lists(st.sampled_from(["tenant", "lease", "of", "the", "東京", "猫"]), min_size=1, max_size=200))
def test_a_word_of_the_passage_is_always_shown_and_marked(words: list[str]):
    wanted = words[len(words) // 2]
    assert wanted in marked(cut(" ".join(words), read(wanted)))
