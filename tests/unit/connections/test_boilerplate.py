"""Boilerplate: sentences that recur, clauses of contracts, enumerations and markup are no evidence."""

from __future__ import annotations

import pytest

from towpath.connections.boilerplate import MAX_DOCUMENTS, recurring, without_recurring
from towpath.connections.passage_text import analyze, without_enumerations

NOTICE = "This policy applies to any product that Canal Stores owns, such as Lock, Weir, Towrope and Barge."
OWN = "The keeper of the lock at Foxton writes down every boat."


def test_a_sentence_that_many_documents_have_is_left_out() -> None:
    passages = {f"document {number}": [f"Passage {number}. {NOTICE}"] for number in range(MAX_DOCUMENTS + 1)}
    keys = recurring(passages)
    assert without_recurring(f"{OWN} {NOTICE}", keys).strip() == OWN
    # Small changes do not matter.
    changed = NOTICE.replace("any product", "each product")
    assert without_recurring(f"{OWN} {changed}", keys).strip() == OWN


def test_a_heading_that_many_documents_have_is_left_out() -> None:
    passages = {
        f"document {number}": [f"## Rules\n\nPassage {number}."] for number in range(MAX_DOCUMENTS + 1)
    }
    assert without_recurring(f"## Rules\n\n{OWN}", recurring(passages)).strip() == OWN


def test_a_sentence_of_few_documents_stays() -> None:
    passages = {f"document {number}": [NOTICE] for number in range(MAX_DOCUMENTS)}
    assert without_recurring(NOTICE, recurring(passages)) == NOTICE


def test_the_passages_of_one_document_count_once() -> None:
    assert not recurring({"document": [NOTICE] * 9})


def test_the_items_of_an_enumeration_are_no_terms() -> None:
    text = "The rules hold for all our boats, Lock, Weir, Towrope, Barge, and for the keepers who look after them."
    assert "towrop" in analyze(text.replace(",", "")).terms
    terms = analyze(text).terms
    assert "towrop" not in terms
    assert "keeper" in terms
    bullets = "These are the boats of the company in this year:\n- Weir\n- Towrope\n- Barge\n"
    assert "towrop" not in analyze(bullets).terms


@pytest.mark.parametrize(
    "text",
    [
        "The boat, which is old, has a leak in its bow.",
        "When the water had gone down a little, the keeper opened the gate again, and all the boats could go on.",
    ],
)
def test_commas_in_sentences_are_no_enumeration(text: str) -> None:
    assert without_enumerations(text) == text


def test_markup_is_not_part_of_the_text() -> None:
    text = (
        "See [the rules](https://example.org/wiki/canal_rules) and https://example.net/tolls for {{companyName}}.\n"
        "```bash\nlock --open\n```"
    )
    terms = analyze(text).terms
    assert {"rule", "lock", "open"} <= terms.keys()
    assert not {"wiki", "canal", "toll", "https", "companynam", "bash"} & terms.keys()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The Company shall not be liable for any loss.", True),
        ("We may update this privacy policy at any time.", True),
        ("Gerichtsstand ist Hamburg.", True),
        ("Your plan renews automatically at the end of each term.", True),
        ("The option is invalid if the file has been changed.", False),
    ],
)
def test_clauses_that_all_contracts_have_are_recognized(text: str, expected: bool) -> None:
    assert analyze(text).is_standard_clause is expected
