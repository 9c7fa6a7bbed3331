"""Divides segments into utterances at sentence ends and pauses, and joins the utterances of one speaker to turns.

A turn has at most `MAX_TURN_SECONDS`, so that a monologue still consists of several segments with their own times.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import pairwise

from towpath.model.transcript import Segment
from towpath.text.spoken_sentences import ends_sentence, word_offsets

#: A longer pause between two words divides a segment.
UTTERANCE_PAUSE_SECONDS = 0.8
#: A longer pause ends a turn although the same speaker goes on.
TURN_PAUSE_SECONDS = 2.0
MAX_TURN_SECONDS, MAX_TURN_CHARACTERS = 30.0, 500


def utterances(segment: Segment) -> list[Segment]:
    """The segment divided after sentence ends and at pauses between its words."""
    starts = word_offsets(segment)
    cuts = [
        index + 1
        for index, (word, following) in enumerate(pairwise(segment.words))
        if following.start - word.end > UTTERANCE_PAUSE_SECONDS
        or ends_sentence(segment.text[starts[index] : starts[index + 1]])
    ]
    return split_at(segment, cuts)


def split_at(segment: Segment, cuts: Sequence[int]) -> list[Segment]:
    """Divide a segment before the words with these indexes; each part gets its part of the text."""
    if not cuts:
        return [segment]
    starts = word_offsets(segment)
    parts: list[Segment] = []
    for first, last in pairwise((0, *cuts, len(segment.words))):
        words = segment.words[first:last]
        begin = 0 if first == 0 else starts[first]
        end = len(segment.text) if last == len(segment.words) else starts[last]
        parts.append(
            replace(
                segment,
                text=segment.text[begin:end].strip(),
                start=segment.start if first == 0 else words[0].start,
                end=segment.end if last == len(segment.words) else words[-1].end,
                words=words,
            )
        )
    return [part for part in parts if part.text]


def merge_turns(segments: Iterable[Segment]) -> list[Segment]:
    """Join neighbouring segments of one speaker. The order of the segments does not change."""
    turns: list[Segment] = []
    for segment in segments:
        if turns and _continues(turns[-1], segment):
            turns[-1] = _joined(turns[-1], segment)
        else:
            turns.append(segment)
    return turns


def _continues(turn: Segment, segment: Segment) -> bool:
    return (
        segment.speaker == turn.speaker
        and segment.start - turn.end <= TURN_PAUSE_SECONDS
        and segment.end - turn.start <= MAX_TURN_SECONDS
        and len(turn.text) + len(segment.text) < MAX_TURN_CHARACTERS
        # Words of both or of neither: a turn with the times of half its words would be highlighted wrongly.
        and bool(turn.words) == bool(segment.words)
    )


def _joined(turn: Segment, segment: Segment) -> Segment:
    blank = "" if _has_no_blanks(turn.text[-1:]) else " "
    return replace(
        turn,
        text=f"{turn.text}{blank}{segment.text}",
        end=max(turn.end, segment.end),
        words=(*turn.words, *segment.words),
        confidence=_mean_confidence((turn, segment)),
    )


def _has_no_blanks(character: str) -> bool:
    """Whether a character belongs to a script without blanks between words: Chinese, Japanese, Thai and others."""
    is_wide = bool(character) and unicodedata.east_asian_width(character) in "WF"
    return (is_wide and not "\uac00" <= character <= "\ud7a3") or "\u0e00" <= character <= "\u0eff"


def _mean_confidence(segments: Sequence[Segment]) -> float | None:
    known = [(s.confidence, max(0.01, s.end - s.start)) for s in segments if s.confidence is not None]
    if not known:
        return None
    return round(sum(value * weight for value, weight in known) / sum(weight for _, weight in known), 3)
