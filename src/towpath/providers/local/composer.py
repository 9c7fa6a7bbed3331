"""Composes blocks out of what a walk over markup meets: paragraphs, lists, quotes, notes, tables.

Blocks inside a table's cell or a heading are run together, since markdown has no room for more.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from towpath.providers.local import markdown
from towpath.providers.local.grid import Grid
from towpath.providers.local.phrase import Phrase
from towpath.providers.local.xml import Element

_NOTE_NUMBER_LEFTOVER = re.compile(r"^[\s\[\]().:]+")
_DEEPEST = 10


@dataclass(slots=True)
class _Container:
    """A quote, list item or note being written: what stands before its first line and before the others."""

    owner: Element
    first: str
    others: str
    is_note: bool = False
    started: bool = False


@dataclass(slots=True)
class Composer:
    writer: markdown.Writer
    phrase: Phrase = field(default_factory=Phrase)
    _containers: list[_Container] = field(default_factory=list[_Container])
    _counters: list[int | None] = field(default_factory=list[int | None])
    _grid: Grid | None = None
    _in_cell: bool = False
    _heading: int = 0
    _title: tuple[int, str] | None = None

    @property
    def is_flat(self) -> bool:
        """Whether what comes now stands in a cell or a heading, where no block can begin."""
        return self._in_cell or self._heading > 0

    def end_block(self) -> None:
        if self._in_cell or self._heading:
            self.phrase.space()
        elif not self.phrase.is_empty:
            self.flush()

    def flush(self) -> None:
        """Write the words gathered so far as the block they belong to."""
        wordless = self.phrase.is_blank
        text = self.phrase.take().strip()
        if wordless:
            self.writer.keep_marks(text)
            return
        if self._heading:
            self._title = None
            self.writer.heading(self._heading, text)
        elif not self._was_title(text):
            if not self._containers:
                self.writer.paragraph(text)
                return
            if self._containers[-1].is_note and not self._containers[-1].started:
                text = _NOTE_NUMBER_LEFTOVER.sub("", text)
            prefix, hang, begins_item = self._prefixes()
            self.writer.paragraph(text, prefix, hang, item=begins_item)

    def finish(self) -> None:
        """The end of a tree: nothing stays open, whatever the markup forgot to close."""
        self._heading, self._in_cell, self._grid = 0, False, None
        self.flush()
        self._title = None
        self._containers.clear()
        self._counters.clear()

    def announce(self, level: int, title: str) -> None:
        """A title for what follows; becomes a heading unless the next words are that title themselves."""
        self.end_block()
        self._title = (level, title)

    def open_heading(self, level: int) -> None:
        if not self.is_flat:
            self._heading = level

    def close_heading(self) -> None:
        if self._heading and not self._in_cell:
            self.flush()
            self._heading = 0

    def contain(self, owner: Element, first: str, others: str, *, is_note: bool = False) -> None:
        """Open a quote, item or note that lasts until its owner is left."""
        if self.is_flat:
            return
        if len(self._containers) >= _DEEPEST:
            first = others = ""
        self._containers.append(_Container(owner, first, others, is_note))

    def release(self, owner: Element) -> None:
        while self._containers and self._containers[-1].owner is owner:
            self._containers.pop()

    def open_list(self, first_number: int | None) -> None:
        self._counters.append(first_number)

    def close_list(self) -> None:
        if self._counters:
            self._counters.pop()

    def open_item(self, owner: Element) -> None:
        number = self._counters[-1] if self._counters else None
        if number is not None:
            self._counters[-1] = number + 1
        if not self._containers or self._containers[-1].owner is not owner:
            marker = "- " if number is None else f"{number}. "
            self.contain(owner, marker, " " * len(marker))

    def open_table(self) -> None:
        if self._grid is None and not self.is_flat:
            self._grid = Grid()

    def close_table(self) -> None:
        if self._grid is not None:
            grid, self._grid, self._in_cell = self._grid, None, False
            self.flush()
            self._write(grid.table())

    def open_row(self) -> None:
        if self._grid is not None:
            self._grid.open_row()

    def open_cell(self) -> None:
        if self._grid is not None:
            self.end_block()
            self._in_cell = True

    def close_cell(self, columns: int, rows: int) -> None:
        if self._grid is not None:
            self._in_cell = False
            self._grid.add(markdown.cell(markdown.styled(self.phrase.take())), columns, rows)

    def code(self, text: str, language: str) -> None:
        if text.strip():
            self._announced()
            prefix, hang, _ = self._prefixes()
            self.writer.code(text, language, prefix, hang)

    def rule(self) -> None:
        if not self.is_flat:
            self.writer.rule()

    def _write(self, rows: list[list[str]]) -> None:
        if rows:
            self._announced()
            prefix, hang, _ = self._prefixes()
            self.writer.table(rows, prefix, hang)

    def _announced(self) -> None:
        if self._title is not None:
            (level, title), self._title = self._title, None
            self.writer.heading(level, markdown.escape(title))

    def _was_title(self, text: str) -> bool:
        """Write the title that was announced, if any; True when the text was that title."""
        if self._title is None:
            return False
        if _letters(text) == _letters(self._title[1]):
            (level, _), self._title = self._title, None
            self.writer.heading(level, text)
            return True
        self._announced()
        return False

    def _prefixes(self) -> tuple[str, str, bool]:
        prefix = hang = ""
        begins_item = False
        for container in self._containers:
            prefix += container.others if container.started else container.first
            hang += container.others
            begins_item = begins_item or (not container.started and container.first != container.others)
            container.started = True
        return prefix, hang, begins_item


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text)).casefold()
