"""The transcript of the SpeechKit emulator: a fixed conversation, repeated to the end of the recording."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

Json = dict[str, Any]
SECONDS_PER_WORD = 0.4
PAUSE = 0.6

CONVERSATION = (
    (0, "Good morning, this is the harbour office, how can I help you?"),
    (1, "Good morning. The invoice for the oak barrels arrived, but the total is wrong."),
    (0, "I am sorry to hear that. Which invoice number is it?"),
    (1, "It is number 1047, dated the 17th of May."),
    (0, "Thank you. I will check it and send you a corrected invoice by Friday."),
    (1, "Great. When will the next delivery arrive?"),
)


@dataclass(frozen=True, slots=True)
class Utterance:
    """One line of the conversation at its time in the recording."""

    speaker: int
    words: tuple[tuple[str, float, float], ...]

    @property
    def text(self) -> str:
        return " ".join(word for word, _, _ in self.words)


def script_utterances(script: Sequence[tuple[int, str]], seconds: float) -> Iterator[Utterance]:
    """The script as it fits into a recording; a line that does not fit is cut off."""
    now = 0.0
    while now < seconds:
        for speaker, line in script:
            words: list[tuple[str, float, float]] = []
            for word in line.split():
                if now + SECONDS_PER_WORD <= seconds:
                    words.append((word, now, now + SECONDS_PER_WORD))
                now += SECONDS_PER_WORD
            now += PAUSE
            if words:
                yield Utterance(speaker, tuple(words))


def v3_results(utterances: Sequence[Utterance], seconds: float, session: str) -> str:
    """Every utterance twice, first as recognized and then refined, each result a line of JSON."""
    lines: list[Json] = []
    counts: dict[int, int] = {}
    for utterance in utterances:
        index = counts.get(utterance.speaker, 0)
        counts[utterance.speaker] = index + 1
        raw = _v3_update(utterance, refined=False)
        lines.append(_v3_result(utterance, seconds, session, index, final=raw))
        update = {"finalIndex": str(index), "normalizedText": _v3_update(utterance, refined=True)}
        lines.append(_v3_result(utterance, seconds, session, index, finalRefinement=update))
    return "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)


def v2_chunks(utterances: Sequence[Utterance]) -> list[Json]:
    return [
        {
            "alternatives": [
                {
                    "words": [
                        {
                            "startTime": f"{start:.9f}s",
                            "endTime": f"{end:.9f}s",
                            "word": _plain(word),
                            "confidence": 1,
                        }
                        for word, start, end in utterance.words
                    ],
                    "text": utterance.text,
                    "confidence": 1,
                }
            ],
            "channelTag": "1",
        }
        for utterance in utterances
    ]


def _v3_result(utterance: Utterance, seconds: float, session: str, index: int, **event: Json) -> Json:
    cursors = {
        "receivedDataMs": _ms(seconds),
        "resetTimeMs": "0",
        "partialTimeMs": _ms(utterance.words[-1][2]),
        "finalTimeMs": _ms(utterance.words[-1][2]),
        "finalIndex": str(index),
        "eouTimeMs": "0",
    }
    result = {"sessionUuid": {"uuid": session, "userRequestId": session}, "audioCursors": cursors}
    return {"result": {**result, "responseWallTimeMs": "189", **event, "channelTag": str(utterance.speaker)}}


def _v3_update(utterance: Utterance, *, refined: bool) -> Json:
    words = [
        {"text": _plain(word), "startTimeMs": _ms(start), "endTimeMs": _ms(end)}
        for word, start, end in utterance.words
    ]
    alternative = {
        "words": words,
        "text": utterance.text if refined else _plain(utterance.text),
        "startTimeMs": words[0]["startTimeMs"],
        "endTimeMs": words[-1]["endTimeMs"],
        "confidence": 0,
        "languages": [],
    }
    return {"alternatives": [alternative], "channelTag": str(utterance.speaker)}


def _plain(text: str) -> str:
    return re.sub(r"[^\w\s]", "", text).lower()


def _ms(seconds: float) -> str:
    return str(round(seconds * 1000))
