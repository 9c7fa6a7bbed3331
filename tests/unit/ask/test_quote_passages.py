"""Without a chat model, the answer quotes the passages that have the words of the question."""

from __future__ import annotations

from towpath.ask.quote_passages import extract_answer
from towpath.model.passage import Passage


def _passage(number: int, text: str) -> Passage:
    return Passage(f"chunk-{number}", f"document-{number}", f"{number}.md", "document", number, text, {})


MANUAL = _passage(
    1,
    "Packages are built in a clean folder. The lintian command checks a package for bugs. Then upload it.\n\n"
    "- dput uploads the package\n- debsign signs it",
)
NOTICE = _passage(2, "The office opens at 07:30. A command of the harbour master must be obeyed.")


def test_the_sentence_with_the_words_of_the_question_is_quoted() -> None:
    [sentence] = extract_answer("What does the lintian command check?", [NOTICE, MANUAL])
    assert sentence.text == "The lintian command checks a package for bugs."
    [citation] = sentence.citations
    assert citation.passage is MANUAL
    assert MANUAL.text[citation.start : citation.end] == citation.quote == sentence.text


def test_a_list_item_is_a_sentence() -> None:
    [sentence] = extract_answer("Which program signs?  debsign", [MANUAL])
    assert "debsign signs it" in sentence.text


def test_a_question_about_something_else_has_no_answer() -> None:
    assert extract_answer("Which opera did the zebra conduct on Jupiter?", [MANUAL, NOTICE]) == []
    assert extract_answer("What is it?", [MANUAL, NOTICE]) == []
    assert extract_answer("What does the lintian command check?", []) == []


def test_questions_in_other_languages_are_stemmed() -> None:
    german = _passage(3, "Die Schleusen wurden im Jahr 1774 gebaut. Sie überwinden achtzehn Meter Höhe.")
    [sentence] = extract_answer("Wann wurde die Schleuse gebaut?", [german])
    assert "1774" in sentence.text
    russian = _passage(4, "Договор вступает в силу первого марта. Стороны подписали его вчера.")
    [sentence] = extract_answer("Когда договор вступает в силу?", [russian])
    assert "первого марта" in sentence.text


def _under(name: str, headings: list[str], text: str) -> Passage:
    return Passage(name, name, name, "document", 0, text, {"heading_path": headings})


def test_words_of_the_document_name_need_not_be_quoted() -> None:
    items = "\n\n".join(f"Item {number}: EUR 24.00 for paper and pens" for number in range(12))
    text = f"Kiosk Supplies\n\nInvoice number: 103\n\n{items}\n\nTotal: EUR 288.00"
    [sentence] = extract_answer(
        "What is the total of the Kiosk Supplies invoice?", [_under("Kiosk Supplies.pdf", ["Invoice"], text)]
    )
    assert sentence.text == "Total: EUR 288.00"


def test_words_in_the_name_alone_are_no_answer() -> None:
    passage = _under("Lintian command.md", ["Checks"], "The office opens at 07:30.")
    assert extract_answer("What does the lintian command check?", [passage]) == []


def test_a_heading_is_not_quoted() -> None:
    passage = _under(
        "Policy.md", [], "# Lintian command checks\n\n**Lintian command**\n\nIt checks packages for bugs."
    )
    [sentence] = extract_answer("What does the lintian command check?", [passage])
    assert sentence.text == "It checks packages for bugs."


def test_the_same_sentence_of_two_documents_is_quoted_once() -> None:
    text = "The rent of the office rises to EUR 3,450 from 1 July."
    passages = [_under("Lease.eml", [], text), _under("Copy of the lease.eml", [], text)]
    assert len(extract_answer("When does the rent of the office rise?", passages)) == 1


def test_a_quotation_with_few_words_is_left_out_beside_a_better_one() -> None:
    filler = "Nothing else is said here. " * 20
    better = _passage(1, "The rent of the office rises from 1 July.")
    worse = _passage(2, f"The rent is due. {filler} The office is warm. {filler} Prices rise.")
    [sentence] = extract_answer("When does the office rent rise?", [worse, better])
    assert sentence.citations[0].passage is better


def test_a_sentence_ends_before_the_numbers_of_its_notes() -> None:
    passage = _passage(
        1, "The lock was built in 1774.[12][13] The gates are made of oak.[14] Boats pass free of charge."
    )
    [sentence] = extract_answer("What are the gates made of?", [passage])
    assert sentence.text == "The gates are made of oak."
