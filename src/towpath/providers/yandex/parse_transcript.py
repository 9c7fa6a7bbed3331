"""Parses the answer of SpeechKit into a Transcript.

Pure functions: a stored answer can be parsed again without a new provider call. API v3 answers with a
sequence of JSON objects, API v2 with one operation. In v3 each utterance arrives as ``final`` and usually
again as ``finalRefinement`` with corrected numbers and punctuation, which replaces the first form.
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


def parse_transcript(answer: bytes) -> Transcript:
    """Parse the stored answer of API v2 or v3."""
    try:
        objects = list(json_objects(answer.decode("utf-8")))
        if len(objects) == 1 and "response" in objects[0]:
            utterances = _v2_utterances(objects[0]["response"])
        else:
            utterances = _v3_utterances(objects)
        segments_by_tag = [
            (tag, segment) for tag, utterance in utterances if (segment := _segment(utterance))
        ]
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise Transient(f"The answer of SpeechKit is incomplete ({error!r}).") from error
    names = {
        tag: f"Speaker {number}" for number, tag in enumerate(sorted({tag for tag, _ in segments_by_tag}), 1)
    }
    segments = [Segment(s.text, names[tag], s.start, s.end, s.words) for tag, s in segments_by_tag]
    return Transcript(tuple(sorted(segments, key=lambda segment: (segment.start, segment.end))))


def audio_seconds(answer: bytes) -> float:
    """Seconds of audio that the service received, or the end of the last word if it does not say."""
    received = 0.0
    for result in (item.get("result", {}) for item in json_objects(answer.decode("utf-8"))):
        received = max(received, int(result.get("audioCursors", {}).get("receivedDataMs", 0)) / 1000)
    return received or max((segment.end for segment in parse_transcript(answer).segments), default=0.0)


def json_objects(text: str) -> Iterator[dict[str, Any]]:
    """Yield concatenated JSON objects, with or without line breaks inside."""
    decoder = json.JSONDecoder()
    position = 0
    while begin := _NOT_SPACE.search(text, position):
        item, position = decoder.raw_decode(text, begin.start())
        yield item


def _v3_utterances(objects: list[dict[str, Any]]) -> list[tuple[str, Json]]:
    utterances: list[_Utterance] = []
    for result in (item["result"] for item in objects):  # an error inside the stream has no result
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


def _refine(utterances: list[_Utterance], refined: _Utterance) -> None:
    """Replace the first form of the utterance: the one with the same index, or else the last one."""
    unrefined = [n for n, u in enumerate(utterances) if u.tag == refined.tag and not u.refined]
    same_index = [n for n in unrefined if utterances[n].index == refined.index]
    if positions := same_index[-1:] or unrefined[-1:]:
        utterances[positions[0]] = refined
    else:
        utterances.append(refined)


def _v2_utterances(response: Json) -> list[tuple[str, Json]]:
    return [
        (str(chunk.get("channelTag", "1")), chunk["alternatives"][0]) for chunk in response.get("chunks", [])
    ]


def _tag(result: Json, update: Json) -> str:
    """The speaker if speaker labelling is on, otherwise the channel."""
    return str(result.get("channelTag") or update.get("channelTag") or "0")


def _segment(alternative: Json) -> Segment | None:
    """One utterance without its speaker. API v2 gives times for words only."""
    word_items: list[Json] = alternative.get("words") or []
    words = tuple(_word(word) for word in word_items)
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
    """Milliseconds as seconds. 64-bit numbers arrive as strings; a zero may be omitted."""
    return int(milliseconds or 0) / 1000
