"""From SpeechKit's answer to a Transcript; pure, so that a paid answer can be read again for nothing.

API v3 answers with many JSON objects one after another, API v2 with one operation. In v3 each
utterance comes as ``final`` and mostly again as ``finalRefinement``, with numbers and punctuation
put right: the refined one replaces the first.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from towpath.errors import Transient
from towpath.model.transcript import Segment, Transcript, Word

Json = Mapping[str, Any]
_NOT_SPACE = re.compile(r"\S")


@dataclass(frozen=True, slots=True)
class _Utterance:
    tag: str
    index: int
    update: Json
    refined: bool = False


def read_transcript(answer: bytes) -> Transcript:
    """Turn the stored answer, of either version, into a Transcript."""
    try:
        objects = list(json_objects(answer.decode("utf-8")))
        if len(objects) == 1 and "response" in objects[0]:
            utterances = _v2_utterances(objects[0]["response"])
        else:
            utterances = _v3_utterances(objects)
        heard = [(tag, segment) for tag, utterance in utterances if (segment := _segment(utterance))]
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise Transient(f"SpeechKit's answer is not whole ({error!r}).") from error
    names = {tag: f"Speaker {number}" for number, tag in enumerate(sorted({tag for tag, _ in heard}), 1)}
    segments = [Segment(s.text, names[tag], s.start, s.end, s.words) for tag, s in heard]
    return Transcript(tuple(sorted(segments, key=lambda segment: (segment.start, segment.end))))


def audio_seconds(answer: bytes) -> float:
    """How much audio the service received, or else the end of the last word."""
    received = 0.0
    for result in (found.get("result", {}) for found in json_objects(answer.decode("utf-8"))):
        received = max(received, int(result.get("audioCursors", {}).get("receivedDataMs", 0)) / 1000)
    return received or max((segment.end for segment in read_transcript(answer).segments), default=0.0)


def json_objects(text: str) -> Iterator[dict[str, Any]]:
    """JSON objects that stand one after another, each on one line or on many."""
    decoder = json.JSONDecoder()
    position = 0
    while begin := _NOT_SPACE.search(text, position):
        found, position = decoder.raw_decode(text, begin.start())
        yield found


def _v3_utterances(objects: list[dict[str, Any]]) -> list[tuple[str, Json]]:
    utterances: list[_Utterance] = []
    for result in (found["result"] for found in objects):  # an error in mid-stream has no result
        if "final" in result:
            update = result["final"]
            index = int(result.get("audioCursors", {}).get("finalIndex", 0))
            utterances.append(_Utterance(_tag(result, update), index, update))
        elif "finalRefinement" in result:
            update = result["finalRefinement"].get("normalizedText", {})
            index = int(result["finalRefinement"].get("finalIndex", 0))
            if update.get("alternatives"):
                _refine(utterances, _Utterance(_tag(result, update), index, update, refined=True))
    return [(u.tag, u.update["alternatives"][0]) for u in utterances if u.update.get("alternatives")]


def _refine(utterances: list[_Utterance], better: _Utterance) -> None:
    """Put the refined utterance in the place of its first form: that of its index, or else the last."""
    open_ones = [n for n, u in enumerate(utterances) if u.tag == better.tag and not u.refined]
    same_index = [n for n in open_ones if utterances[n].index == better.index]
    if place := same_index[-1:] or open_ones[-1:]:
        utterances[place[0]] = better
    else:
        utterances.append(better)


def _v2_utterances(response: Json) -> list[tuple[str, Json]]:
    return [
        (str(chunk.get("channelTag", "1")), chunk["alternatives"][0]) for chunk in response.get("chunks", [])
    ]


def _tag(result: Json, update: Json) -> str:
    """With speaker labels on, the tag names the speaker; otherwise the channel."""
    return str(result.get("channelTag") or update.get("channelTag") or "0")


def _segment(alternative: Json) -> Segment | None:
    """One utterance, still without its speaker; v2 gives times for words only."""
    told: list[Json] = alternative.get("words") or []
    words = tuple(_word(word) for word in told)
    text = str(alternative.get("text") or "").strip()
    if not text:
        return None
    start = _seconds(alternative.get("startTimeMs")) if "startTimeMs" in alternative else None
    end = _seconds(alternative.get("endTimeMs")) if "endTimeMs" in alternative else None
    first, last = (words[0].start, words[-1].end) if words else (0.0, 0.0)
    return Segment(text, None, first if start is None else start, last if end is None else end, words)


def _word(word: Json) -> Word:
    if "word" in word:
        return Word(word["word"], float(word["startTime"].rstrip("s")), float(word["endTime"].rstrip("s")))
    return Word(word["text"], _seconds(word.get("startTimeMs")), _seconds(word.get("endTimeMs")))


def _seconds(milliseconds: str | int | None) -> float:
    """64-bit numbers come as strings, and a zero may be left out."""
    return int(milliseconds or 0) / 1000
