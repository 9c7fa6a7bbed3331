"""Splits a block that is too large: by table rows, list items, sentences or lines, and by length as a last resort.

Time is linear in the text, also for a single line of 10 MB.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from towpath.chunking.markdown_blocks import Block

CountTokens = Callable[[str], int]
Separators = tuple[re.Pattern[str], ...]

_LIST_ITEM = re.compile(r"^(?:[ \t]*(?:[-*+•]|\d{1,9}[.)])[ \t]|\|)", re.MULTILINE)
_LINE_START = re.compile(r"^", re.MULTILINE)
_SENTENCE_END = re.compile(r"[.!?…][\"'”’»)\]]?\s+(?=[^\sa-z])|[。！？][”』」）]?")
_ROW_END = re.compile(r"</tr[^>]{0,20}>\s*", re.IGNORECASE)


class Header(NamedTuple):
    """The header rows of a table, repeated in every chunk with rows of the table."""

    start: int
    end: int
    tokens: int


class Span(NamedTuple):
    """A part of a block that is not split further."""

    start: int
    end: int
    tokens: int
    header: Header | None = None


class BlockSplitter:
    """Splits the blocks of one text into spans of at most ``max_tokens`` tokens."""

    def __init__(self, markdown: str, max_tokens: int, count: CountTokens) -> None:
        self._markdown = markdown
        self._max_tokens = max_tokens
        self._count = count
        # Parts shorter than this are joined, so that tokens are not counted for every tiny sentence.
        self._min_characters = max_tokens // 8

    def split(self, block: Block, room: int) -> Iterator[Span]:
        """The whole block if it has at most ``room`` tokens, else its parts."""
        tokens = self._count(self._markdown[block.start : block.end])
        if tokens <= room:
            yield Span(block.start, block.end, tokens)
        elif block.kind == "table":
            lines = _LINE_START.finditer(self._markdown, block.header_end, block.end)
            yield from self._rows(block, block.header_end, (line.start() for line in lines), room)
        elif block.kind == "html_table":
            ends = [m.end() for m in _ROW_END.finditer(self._markdown, block.start, block.end)]
            yield from self._rows(block, ends[0] if ends else block.end, ends[1:-1], room)
        elif block.kind == "code":
            yield from self._split_at(block.start, block.end, (_LINE_START,), room)
        elif _LIST_ITEM.match(self._markdown, block.start):
            yield from self._split_at(block.start, block.end, (_LIST_ITEM, _SENTENCE_END, _LINE_START), room)
        else:
            yield from self._split_at(block.start, block.end, (_SENTENCE_END, _LINE_START), room)

    def _rows(self, table: Block, header_end: int, edges: Iterable[int], room: int) -> Iterator[Span]:
        header = self._header(table.start, header_end)
        rows = self._between_edges(header_end, table.end, edges)
        _, first_end = next(rows, (header_end, header_end))
        tokens = self._count(self._markdown[table.start : first_end])
        if tokens <= room:
            yield from self._trimmed_span(table.start, first_end, tokens)
        else:
            yield from self._split_if_needed(table.start, header_end, (_LINE_START,), room)
            yield from self._row(header_end, first_end, header, room)
        for start, end in rows:
            yield from self._row(start, end, header, room)

    def _row(self, start: int, end: int, header: Header | None, room: int) -> Iterator[Span]:
        room -= header.tokens + 1 if header else 0
        for span in self._split_if_needed(start, end, (_LINE_START,), room):
            yield span._replace(header=header)

    def _header(self, start: int, end: int) -> Header | None:
        tokens = self._count(self._markdown[start:end])
        # A header of more than a third of a chunk is not repeated.
        return Header(start, end, tokens) if tokens <= self._max_tokens // 3 else None

    def _split_if_needed(self, start: int, end: int, separators: Separators, room: int) -> Iterator[Span]:
        tokens = self._count(self._markdown[start:end])
        if tokens <= room:
            yield from self._trimmed_span(start, end, tokens)
        else:
            yield from self._split_at(start, end, separators, room)

    def _split_at(self, start: int, end: int, separators: Separators, room: int) -> Iterator[Span]:
        """Splits at the first separator; parts that are too large at the next one, and finally by length."""
        if not separators:
            yield from self._split_by_length(start, end, room)
            return
        edges = (_edge(match) for match in separators[0].finditer(self._markdown, start, end))
        for part_start, part_end in self._between_edges(start, end, edges):
            yield from self._split_if_needed(part_start, part_end, separators[1:], room)

    def _trimmed_span(self, start: int, end: int, tokens: int) -> Iterator[Span]:
        """The span without surrounding blank lines; its first line keeps its indentation."""
        text = self._markdown[start:end]
        indent = len(text) - len(text.lstrip())
        if indent < len(text):
            yield Span(start + text.rfind("\n", 0, indent) + 1, start + len(text.rstrip()), tokens)

    def _between_edges(self, start: int, end: int, edges: Iterable[int]) -> Iterator[tuple[int, int]]:
        """The parts between the edges; parts shorter than `_min_characters` are joined with the next."""
        for edge in edges:
            if edge - start > self._min_characters and edge < end:
                yield start, edge
                start = edge
        if start < end:
            yield start, end

    def _split_by_length(self, start: int, end: int, room: int) -> Iterator[Span]:
        """Splits at blanks, or anywhere if there are none. The size is estimated from the previous part."""
        markdown = self._markdown
        room = max(1, room)
        size = room * 4
        while start < end:
            stop = min(start + size, end)
            if stop < end:
                blank = markdown.rfind(" ", start + size // 2, stop)
                stop = blank if blank > start else stop
            tokens = self._count(markdown[start:stop])
            length = stop - start
            if tokens > room and length > 1:
                size = max(1, int(0.9 * length * room / tokens))
                continue
            yield from self._trimmed_span(start, stop, tokens)
            start = stop + markdown.startswith(" ", stop)
            size = max(1, min(2 * length, int(0.95 * length * room / max(1, tokens))))


def _edge(match: re.Match[str]) -> int:
    """The offset at which to split: after the end of a sentence, before a list item or line."""
    return match.end() if match.re is _SENTENCE_END else match.start()
