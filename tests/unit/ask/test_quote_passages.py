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
