"""Reading SpeechKit's answer: who said what and when, each utterance once."""

from __future__ import annotations

import json
from typing import Any

import pytest

from towpath.errors import Transient
from towpath.model.transcript import Segment, Transcript, Word
from towpath.providers.yandex.parse_transcript import audio_seconds, json_objects, parse_transcript


def utterance(text: str, start: int, end: int) -> dict[str, Any]:
    words = [{"text": word, "startTimeMs": str(start), "endTimeMs": str(end)} for word in text.split()]
    return {
        "alternatives": [{"words": words, "text": text, "startTimeMs": str(start), "endTimeMs": str(end)}]
    }


def final(text: str, start: int, end: int, tag: str = "0", index: int | None = None) -> dict[str, Any]:
    cursors = {"receivedDataMs": "9000"} | ({} if index is None else {"finalIndex": str(index)})
    return {"result": {"audioCursors": cursors, "final": utterance(text, start, end), "channelTag": tag}}


def refined(text: str, start: int, end: int, tag: str = "0", index: int = 0) -> dict[str, Any]:
    update = {"finalIndex": str(index), "normalizedText": utterance(text, start, end)}
    return {
        "result": {"audioCursors": {"receivedDataMs": "9000"}, "finalRefinement": update, "channelTag": tag}
    }


def answer(*results: dict[str, Any], indent: int | None = None) -> bytes:
    return "\n".join(json.dumps(result, indent=indent) for result in results).encode()


def lines(transcript: Transcript) -> list[str]:
    return transcript.text.splitlines()


def test_a_refined_utterance_replaces_its_first_form() -> None:
    transcript = parse_transcript(answer(final("at five", 0, 800, index=0), refined("At 5.", 0, 800)))

    assert transcript.segments == (
        Segment("At 5.", "Speaker 1", 0.0, 0.8, (Word("At", 0.0, 0.8), Word("5.", 0.0, 0.8))),
    )


def test_refinements_that_come_at_the_end_find_their_places() -> None:
    transcript = parse_transcript(
        answer(
            final("one", 0, 100, index=0),
            final("two", 200, 300, index=1),
            refined("One.", 0, 100, index=0),
            refined("Two.", 200, 300, index=1),
        )
    )

    assert lines(transcript) == ["Speaker 1: One.", "Speaker 1: Two."]


def test_utterances_without_a_number_are_neither_lost_nor_doubled() -> None:
    transcript = parse_transcript(
        answer(
            final("one", 0, 100),
            refined("One.", 0, 100, index=0),
            final("two", 200, 300),
            refined("Two.", 200, 300, index=1),
            final("three", 400, 500),
        )
    )

    assert lines(transcript) == ["Speaker 1: One.", "Speaker 1: Two.", "Speaker 1: three"]


def test_speakers_are_told_apart_and_stand_in_the_order_of_speaking() -> None:
    transcript = parse_transcript(
        answer(final("hello", 0, 500, "0"), final("bye", 5000, 6000, "0"), final("hi there", 1000, 2500, "1"))
    )

    assert lines(transcript) == ["Speaker 1: hello", "Speaker 2: hi there", "Speaker 1: bye"]
    assert transcript.shares == {"Speaker 1": 0.5, "Speaker 2": 0.5}


def test_partial_guesses_and_other_events_are_left_out() -> None:
    noise: list[dict[str, Any]] = [
        {"result": {"partial": utterance("at fi", 0, 300)}},
        {"result": {"eouUpdate": {"timeMs": "800"}}},
        {"result": {"statusCode": {"codeType": "WORKING"}}},
        {"result": {"final": {"alternatives": []}}},
        {"result": {"final": utterance("", 0, 0)}},
    ]

    assert parse_transcript(answer(*noise)).segments == ()


def test_objects_may_stand_on_one_line_on_many_or_without_a_gap() -> None:
    results = [final("one", 0, 100), final("two", 200, 300)]
    together = answer(results[0]) + answer(results[1])

    assert parse_transcript(together) == parse_transcript(answer(*results, indent=2))
    assert list(json_objects("")) == []
    assert list(json_objects(' {"a": 1}\n\n{"b": 2} ')) == [{"a": 1}, {"b": 2}]


def test_version_2_is_read_too_even_when_nobody_speaks() -> None:
    word = {"startTime": "0.879999999s", "endTime": "1.159999992s", "word": "when", "confidence": 1}
    chunk = {"alternatives": [{"words": [word], "text": "When?", "confidence": 1}], "channelTag": "1"}
    spoken = json.dumps({"done": True, "response": {"chunks": [chunk]}}).encode()

    segment = parse_transcript(spoken).segments[0]

    assert (segment.text, segment.speaker) == ("When?", "Speaker 1")
    assert segment.start == pytest.approx(0.88)
    assert audio_seconds(spoken) == pytest.approx(1.16)
    assert parse_transcript(b'{"done": true, "response": {}}').segments == ()
    assert audio_seconds(b'{"done": true, "response": {}}') == 0.0


def test_the_length_of_the_audio_is_what_the_service_received() -> None:
    assert audio_seconds(answer(final("one", 0, 100))) == 9.0


@pytest.mark.parametrize(
    "torn",
    [
        b'{"result": {"fin',
        b"\xff\xfe",
        b"[1]",
        b'{"result": {"final": 1}}',
        answer(final("one", 0, 100)) + b'{"error": {"grpcCode": 13, "message": "stream broken"}}',
    ],
    ids=["cut", "bytes", "list", "shape", "error in mid-stream"],
)
def test_a_torn_answer_is_never_read_as_silence(torn: bytes) -> None:
    with pytest.raises(Transient, match="incomplete"):
        parse_transcript(torn)


@pytest.mark.slow
def test_a_long_answer_is_read_in_a_moment() -> None:
    results = [final("word " * 20, n * 1000, n * 1000 + 900, str(n % 2), n // 2) for n in range(3000)]

    assert len(parse_transcript(answer(*results)).segments) == 3000
