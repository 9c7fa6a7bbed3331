"""The local analyzer quotes what was said, with times, and guesses nothing."""

from __future__ import annotations

import pytest

from towpath.model.codec import decode, encode
from towpath.model.transcript import CallAnalysis, Quote, Segment, Transcript, Word
from towpath.providers.local.analysis.local_call_analyzer import analyze_transcript


def analyze(transcript: Transcript) -> CallAnalysis:
    return decode(analyze_transcript(encode(transcript)), CallAnalysis)


def said(*lines: str, language: str | None = "en") -> Transcript:
    """Each line is a segment of ten seconds with a word per second, by two speakers in turn."""
    segments = [
        Segment(
            line,
            f"Speaker {number % 2 + 1}",
            number * 10.0,
            number * 10.0 + 10.0,
            tuple(
                Word(word.strip(".,?!"), number * 10.0 + i * 0.5, number * 10.0 + i * 0.5 + 0.4)
                for i, word in enumerate(line.split())
            ),
        )
        for number, line in enumerate(lines)
    ]
    return Transcript(tuple(segments), language)


CALL = said(
    "Good morning, this is Anna from the harbour office. How can I help you?",
    "Hello, my name is Tom Baker. The invoice 1047 of May 17th says 1,250 dollars, please. Right?",
    "I am sorry to hear that. I'll send you a corrected invoice by Friday.",
    "Great. When will the next oak barrels arrive? I will be honest, I will never order again.",
)


def test_questions_have_their_speaker_and_their_time() -> None:
    assert analyze(CALL).questions == (
        Quote("How can I help you?", "Speaker 1", 4.5),
        Quote("When will the next oak barrels arrive?", "Speaker 2", 30.5),
    )


def test_a_promise_has_its_owner_its_due_date_and_its_time() -> None:
    [promise] = analyze(CALL).action_items

    assert promise.text == "I'll send you a corrected invoice by Friday."
    assert (promise.owner, promise.due, promise.start) == ("Speaker 1", "Friday", 23.0)


def test_names_numbers_and_dates_are_quoted() -> None:
    analysis = analyze(CALL)

    assert [name.text for name in analysis.names] == ["Anna", "Tom Baker"]
    assert [number.text for number in analysis.numbers] == ["1047", "1,250 dollars"]
    assert [date.text for date in analysis.dates] == ["May 17th", "Friday"]


def test_nothing_is_guessed() -> None:
    analysis = analyze(CALL)

    assert (analysis.summary, analysis.topics, analysis.moods) == ("", (), ())


@pytest.mark.parametrize(
    ("language", "line", "due"),
    [
        ("de", "Ich schicke Ihnen die Rechnung bis Freitag.", "Freitag"),
        ("fr", "Je vous rappelle demain.", "demain"),
        ("es", "Le voy a enviar la factura el lunes.", "lunes"),
        ("it", "Le invierò la fattura domani.", "domani"),
        ("pt", "Eu vou verificar isso amanhã.", "amanhã"),
        ("nl", "Ik stuur u morgen de factuur.", "morgen"),
        ("ru", "Я перезвоню вам завтра.", "завтра"),
    ],
)
def test_promises_of_other_languages_are_found(language: str, line: str, due: str) -> None:
    [promise] = analyze(said(line, language=language)).action_items

    assert (promise.text, promise.due) == (line, due)


def test_a_language_without_phrases_gets_questions_and_numbers_only() -> None:
    analysis = analyze(said("納品はいつになりますか？注文番号は10472です。", language="ja"))

    assert analysis.questions == (Quote("納品はいつになりますか？", "Speaker 1", 0.0),)
    assert (analysis.action_items, analysis.names) == ((), ())


def test_a_very_short_transcript_is_analyzed() -> None:
    assert analyze(said("Yes.")) == CallAnalysis("")


def test_an_analysis_of_an_older_version_can_be_read() -> None:
    old = b'{"summary": "All.", "topics": ["please"], "action_items": [], "questions": ["Why?"], "moods": []}'

    assert decode(old, CallAnalysis).questions == ("Why?",)
