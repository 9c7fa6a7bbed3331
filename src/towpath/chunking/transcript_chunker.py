"""Splits a transcript into chunks by speaker turns and time. Pure and deterministic.

A chunk consists of whole utterances. It ends at a change of speaker or a pause once it has `MIN_TOKENS`, and
before it exceeds `MAX_TOKENS` or `MAX_SECONDS`. Its anchor maps text offsets to seconds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from towpath.chunking.chunk_ids import ChunkIdGenerator
from towpath.model.content import Anchor, Chunk
from towpath.model.transcript import Segment, Transcript

CountTokens = Callable[[str], int]

MIN_TOKENS = 40
TARGET_TOKENS = 160
MAX_TOKENS = 320
#: Maximum duration of a chunk, however few its words.
MAX_SECONDS = 120.0
PAUSE_SECONDS = 2.0
#: One timestamp is stored per this many words.
WORDS_PER_TIMESTAMP = 6


@dataclass(frozen=True, slots=True)
class _Line:
    """An utterance and the offset of its line in the text of the whole transcript."""

    segment: Segment
    start: int
    tokens: int

    @property
    def end(self) -> int:
        return self.start + len(_format_line(self.segment))


def chunk_transcript(document_id: str, transcript: Transcript, count_tokens: CountTokens) -> list[Chunk]:
    """The chunks in the order of the call."""
    chunk_ids = ChunkIdGenerator(document_id)
    chunks: list[Chunk] = []
    for lines in _group_lines(list(_lines(transcript, count_tokens))):
        text, timestamps = _text(lines)
        speakers = {line.segment.speaker for line in lines}
        anchor = Anchor(
            lines[0].start,
            lines[-1].end,
            speaker=speakers.pop() if len(speakers) == 1 else None,
            seconds_start=lines[0].segment.start,
            seconds_end=max(line.segment.end for line in lines),
            moments=timestamps,
        )
        chunks.append(Chunk(chunk_ids.next_id(text), len(chunks), text, count_tokens(text), anchor))
    return chunks


def _lines(transcript: Transcript, count: CountTokens) -> Iterator[_Line]:
    start = 0
    for segment in transcript.segments:
        yield _Line(segment, start, count(segment.text))
        start += len(_format_line(segment)) + 1


def _format_line(segment: Segment) -> str:
    """The line of the utterance in the text of the transcript."""
    return f"{segment.speaker}: {segment.text}" if segment.speaker else segment.text


def _group_lines(lines: Sequence[_Line]) -> Iterator[list[_Line]]:
    group: list[_Line] = []
    tokens = 0
    for line in lines:
        if group and _ends_before(line, group, tokens):
            yield group
            group, tokens = [], 0
        group.append(line)
        tokens += line.tokens
    if group:
        yield group


def _ends_before(line: _Line, group: Sequence[_Line], tokens: int) -> bool:
    last, group_start = group[-1].segment, group[0].segment.start
    if tokens + line.tokens > MAX_TOKENS or line.segment.end - group_start > MAX_SECONDS:
        return True
    if tokens < MIN_TOKENS:
        return False
    breaks = line.segment.speaker != last.speaker or line.segment.start - last.end > PAUSE_SECONDS
    return breaks or tokens + line.tokens > TARGET_TOKENS


def _text(lines: Sequence[_Line]) -> tuple[str, tuple[tuple[int, float], ...]]:
    """The text of the chunk, with speaker names if there are several, and (offset, second) pairs."""
    name_speakers = len({line.segment.speaker for line in lines}) > 1
    parts: list[str] = []
    timestamps: list[tuple[int, float]] = []
    offset = 0
    for line in lines:
        segment = line.segment
        prefix = len(_format_line(segment)) - len(segment.text) if name_speakers else 0
        parts.append(_format_line(segment) if name_speakers else segment.text)
        timestamps += _timestamps(segment, offset + prefix)
        offset += len(parts[-1]) + 1
    return "\n".join(parts), tuple(timestamps)


def _timestamps(segment: Segment, text_start: int) -> Iterator[tuple[int, float]]:
    yield text_start, segment.start
    search_from = 0
    for number, word in enumerate(segment.words):
        position = segment.text.lower().find(word.text.lower(), search_from)
        if position < 0:
            continue
        search_from = position + len(word.text)
        if number and number % WORDS_PER_TIMESTAMP == 0:
            yield text_start + position, word.start
    yield text_start + len(segment.text), segment.end
