"""Takes a block that is too large apart: by rows, list items, sentences or lines, and by force at last.

All of it is linear in the text, also for a single line of ten megabytes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from towpath.stages.markdown_blocks import Block

Count = Callable[[str], int]
Ways = tuple[re.Pattern[str], ...]

_LIST_ITEM = re.compile(r"^(?:[ \t]*(?:[-*+•]|\d{1,9}[.)])[ \t]|\|)", re.MULTILINE)
_LINE_START = re.compile(r"^", re.MULTILINE)
_SENTENCE_END = re.compile(r"[.!?…][\"'”’»)\]]?\s+(?=[^\sa-z])|[。！？][”』」）]?")
_ROW_END = re.compile(r"</tr[^>]{0,20}>\s*", re.IGNORECASE)


class Header(NamedTuple):
    """The first rows of a table, repeated over the rows that stand in another chunk."""

    start: int
    end: int
    tokens: int


class Atom(NamedTuple):
    """A passage that is not taken apart any more."""

    start: int
    end: int
    tokens: int
    header: Header | None = None


class Splitter:
    """Cuts blocks of one text into atoms of at most ``most`` tokens."""

    def __init__(self, markdown: str, most: int, count: Count) -> None:
        self._markdown = markdown
        self._most = most
        self._count = count
        # Tiny neighbours stay together, or a text of tiny sentences would cost a counting for each.
        self._grain = most // 8

    def atoms(self, block: Block, room: int) -> Iterator[Atom]:
        """The block as it is when it fits into ``room``, else its parts."""
        tokens = self._count(self._markdown[block.start : block.end])
        if tokens <= room:
            yield Atom(block.start, block.end, tokens)
        elif block.kind == "table":
            lines = _LINE_START.finditer(self._markdown, block.header_end, block.end)
            yield from self._rows(block, block.header_end, (line.start() for line in lines), room)
        elif block.kind == "html_table":
            ends = [m.end() for m in _ROW_END.finditer(self._markdown, block.start, block.end)]
            yield from self._rows(block, ends[0] if ends else block.end, ends[1:-1], room)
        elif block.kind == "code":
            yield from self._parts(block.start, block.end, (_LINE_START,), room)
        elif _LIST_ITEM.match(self._markdown, block.start):
            yield from self._parts(block.start, block.end, (_LIST_ITEM, _SENTENCE_END, _LINE_START), room)
        else:
            yield from self._parts(block.start, block.end, (_SENTENCE_END, _LINE_START), room)

    def _rows(self, table: Block, header_end: int, edges: Iterable[int], room: int) -> Iterator[Atom]:
        header = self._header(table.start, header_end)
        rows = self._cut(header_end, table.end, edges)
        _, first_end = next(rows, (header_end, header_end))
        tokens = self._count(self._markdown[table.start : first_end])
        if tokens <= room:
            yield from self._atom(table.start, first_end, tokens)
        else:
            yield from self._fitted(table.start, header_end, (_LINE_START,), room)
            yield from self._row(header_end, first_end, header, room)
        for start, end in rows:
            yield from self._row(start, end, header, room)

    def _row(self, start: int, end: int, header: Header | None, room: int) -> Iterator[Atom]:
        room -= header.tokens + 1 if header else 0
        for atom in self._fitted(start, end, (_LINE_START,), room):
            yield atom._replace(header=header)

    def _header(self, start: int, end: int) -> Header | None:
        tokens = self._count(self._markdown[start:end])
        # A header that fills a third of every chunk would drown the rows.
        return Header(start, end, tokens) if tokens <= self._most // 3 else None

    def _fitted(self, start: int, end: int, ways: Ways, room: int) -> Iterator[Atom]:
        tokens = self._count(self._markdown[start:end])
        if tokens <= room:
            yield from self._atom(start, end, tokens)
        else:
            yield from self._parts(start, end, ways, room)

    def _parts(self, start: int, end: int, ways: Ways, room: int) -> Iterator[Atom]:
        """Cut the first way; what is still too large is cut the next way, and by force when none is left."""
        if not ways:
            yield from self._forced(start, end, room)
            return
        edges = (_edge(match) for match in ways[0].finditer(self._markdown, start, end))
        for part_start, part_end in self._cut(start, end, edges):
            yield from self._fitted(part_start, part_end, ways[1:], room)

    def _atom(self, start: int, end: int, tokens: int) -> Iterator[Atom]:
        """The span without blank lines around it; its first line keeps its indentation."""
        text = self._markdown[start:end]
        indent = len(text) - len(text.lstrip())
        if indent < len(text):
            yield Atom(start + text.rfind("\n", 0, indent) + 1, start + len(text.rstrip()), tokens)

    def _cut(self, start: int, end: int, edges: Iterable[int]) -> Iterator[tuple[int, int]]:
        """The spans between the edges; those shorter than the grain join the next."""
        for edge in edges:
            if edge - start > self._grain and edge < end:
                yield start, edge
                start = edge
        if start < end:
            yield start, end

    def _forced(self, start: int, end: int, room: int) -> Iterator[Atom]:
        """Cut at blanks, or anywhere when there are none. Sizes are guessed from the piece before."""
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
            yield from self._atom(start, stop, tokens)
            start = stop + markdown.startswith(" ", stop)
            size = max(1, min(2 * length, int(0.95 * length * room / max(1, tokens))))


def _edge(match: re.Match[str]) -> int:
    """Sentences end where their mark ends; items and lines begin where theirs begins."""
    return match.end() if match.re is _SENTENCE_END else match.start()
