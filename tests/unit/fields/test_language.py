"""The main language of a document: that of most of its passages."""

from __future__ import annotations

import pytest

from towpath.fields import language
from towpath.fields.language import guess_language
from towpath.text.language_detection import LanguageGuess

ENGLISH = "The council decided in the spring that every bridge of the county must be inspected once a year. "
GERMAN = (
    "Der Rat hat im Frühjahr beschlossen, dass jede Brücke des Landkreises jährlich geprüft werden muss. "
)


@pytest.mark.parametrize("repetitions", [1, 5, 8, 12, 20, 40, 400])
def test_language_of_a_text_of_any_length(repetitions: int) -> None:
    guess = guess_language(ENGLISH * repetitions)
    assert guess is not None
    assert guess.code == "en"
    assert guess.confidence >= 0.6


def test_most_of_the_text_decides() -> None:
    assert guess_language(GERMAN * 15 + ENGLISH * 45) == guess_language(ENGLISH * 45 + GERMAN * 15)
    guess = guess_language(GERMAN * 45 + ENGLISH * 15)
    assert guess is not None
    assert guess.code == "de"


def test_passages_that_cannot_change_the_language_are_not_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[str] = []

    def detect(passage: str) -> LanguageGuess:
        seen.append(passage)
        return LanguageGuess("en", 1.0)

    monkeypatch.setattr(language, "detect_language", detect)
    guess = guess_language(ENGLISH * 400)
    assert guess is not None
    assert guess.confidence == 0.99
    assert len(seen) == language.PASSAGES // 2 + 1
