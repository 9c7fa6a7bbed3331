"""Cuts a transcript into chunks: by speaker turns and time. Pure and deterministic.

A chunk holds whole utterances. It ends where another speaker begins or a pause is heard, once it is long
enough to be worth finding, and wherever it would grow too long. Places inside it know their second.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from towpath.model.content import Anchor, Chunk
from towpath.model.transcript import Segment, Transcript
from towpath.stages.chunking import Namer

Count = Callable[[str], int]

LEAST_TOKENS = 40
TARGET_TOKENS = 160
MOST_TOKENS = 320
#: A passage longer than this is two, however few its words.
LONGEST_SECONDS = 120.0
PAUSE = 2.0
#: Every so many words one has its time noted.
MOMENT_EVERY = 6


@dataclass(frozen=True, slots=True)
class _Line:
    """An utterance and the place where its line begins in the text of the whole transcript."""

    segment: Segment
    start: int
    tokens: int

    @property
    def end(self) -> int:
        return self.start + len(_line(self.segment))


def cut_turns(document_id: str, transcript: Transcript, count: Count) -> list[Chunk]:
    """The chunks in the order in which they were heard."""
    name = Namer(document_id)
    chunks: list[Chunk] = []
    for lines in _passages(list(_lines(transcript, count))):
        text, moments = _text(lines)
        speakers = {line.segment.speaker for line in lines}
        anchor = Anchor(
            lines[0].start,
            lines[-1].end,
            speaker=speakers.pop() if len(speakers) == 1 else None,
            seconds_start=lines[0].segment.start,
            seconds_end=max(line.segment.end for line in lines),
            moments=moments,
        )
        chunks.append(Chunk(name.of(text), len(chunks), text, count(text), anchor))
    return chunks


def _lines(transcript: Transcript, count: Count) -> Iterator[_Line]:
    at = 0
    for segment in transcript.segments:
        yield _Line(segment, at, count(segment.text))
        at += len(_line(segment)) + 1


def _line(segment: Segment) -> str:
    """As the text of the transcript has it."""
    return f"{segment.speaker}: {segment.text}" if segment.speaker else segment.text


def _passages(lines: Sequence[_Line]) -> Iterator[list[_Line]]:
    passage: list[_Line] = []
    tokens = 0
    for line in lines:
        if passage and _ends_before(line, passage, tokens):
            yield passage
            passage, tokens = [], 0
        passage.append(line)
        tokens += line.tokens
    if passage:
        yield passage


def _ends_before(line: _Line, passage: Sequence[_Line], tokens: int) -> bool:
    last, begun = passage[-1].segment, passage[0].segment.start
    if tokens + line.tokens > MOST_TOKENS or line.segment.end - begun > LONGEST_SECONDS:
        return True
    if tokens < LEAST_TOKENS:
        return False
    breaks = line.segment.speaker != last.speaker or line.segment.start - last.end > PAUSE
    return breaks or tokens + line.tokens > TARGET_TOKENS


def _text(lines: Sequence[_Line]) -> tuple[str, tuple[tuple[int, float], ...]]:
    """The passage, its speakers named where there are several, and the seconds of places in it."""
    several = len({line.segment.speaker for line in lines}) > 1
    said: list[str] = []
    moments: list[tuple[int, float]] = []
    at = 0
    for line in lines:
        segment = line.segment
        prefix = len(_line(segment)) - len(segment.text) if several else 0
        said.append(_line(segment) if several else segment.text)
        moments += _moments(segment, at + prefix)
        at += len(said[-1]) + 1
    return "\n".join(said), tuple(moments)


def _moments(segment: Segment, at: int) -> Iterator[tuple[int, float]]:
    yield at, segment.start
    place = 0
    for number, word in enumerate(segment.words):
        found = segment.text.lower().find(word.text.lower(), place)
        if found < 0:
            continue
        place = found + len(word.text)
        if number and number % MOMENT_EVERY == 0:
            yield at + found, word.start
    yield at + len(segment.text), segment.end
