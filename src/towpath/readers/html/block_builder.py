"""Builds markdown blocks from HTML elements: paragraphs, lists, quotes, notes, tables.

Blocks inside a table cell or a heading are joined into one line, because markdown allows no blocks there.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from towpath.readers.common import markdown_writer
from towpath.readers.common.inline_buffer import InlineBuffer
from towpath.readers.common.safe_xml import Element
from towpath.readers.common.table_grid import TableGrid

_NOTE_NUMBER_REMAINDER = re.compile(r"^[\s\[\]().:]+")
_MAX_NESTING = 10


@dataclass(slots=True)
class _Container:
    """An open quote, list item or note: the prefix of its first line and of the other lines."""

    owner: Element
    first_prefix: str
    next_prefix: str
    is_note: bool = False
    started: bool = False


@dataclass(slots=True)
class BlockBuilder:
    """Receives the events of a walk over markup and writes complete blocks."""

    writer: markdown_writer.MarkdownWriter
    inline: InlineBuffer = field(default_factory=InlineBuffer)
    _containers: list[_Container] = field(default_factory=list[_Container])
    _list_numbers: list[int | None] = field(default_factory=list[int | None])
    _grid: TableGrid | None = None
    _in_cell: bool = False
    _heading_level: int = 0
    _pending_title: tuple[int, str] | None = None

    @property
    def is_flat(self) -> bool:
        """True inside a table cell or a heading, where no block can begin."""
        return self._in_cell or self._heading_level > 0

    def end_block(self) -> None:
        if self._in_cell or self._heading_level:
            self.inline.add_space()
        elif not self.inline.is_empty:
            self.flush()

    def flush(self) -> None:
        """Write the buffered inline text as a block."""
        is_blank = self.inline.is_blank
        text = self.inline.pop_markdown().strip()
        if is_blank:
            self.writer.defer_page_marks(text)
            return
        if self._heading_level:
            self._pending_title = None
            self.writer.heading(self._heading_level, text)
        elif not self._write_title_unless_it_is(text):
            if not self._containers:
                self.writer.paragraph(text)
                return
            if self._containers[-1].is_note and not self._containers[-1].started:
                text = _NOTE_NUMBER_REMAINDER.sub("", text)
            prefix, hang, begins_item = self._prefixes()
            self.writer.paragraph(text, prefix, hang, item=begins_item)

    def finish(self) -> None:
        """End of the tree: write the rest and close everything that the markup left open."""
        self._heading_level, self._in_cell, self._grid = 0, False, None
        self.flush()
        self._pending_title = None
        self._containers.clear()
        self._list_numbers.clear()

    def set_title(self, level: int, title: str) -> None:
        """Set a title for the next block. It becomes a heading, also if the next block is that title."""
        self.end_block()
        self._pending_title = (level, title)

    def open_heading(self, level: int) -> None:
        if not self.is_flat:
            self._heading_level = level

    def close_heading(self) -> None:
        if self._heading_level and not self._in_cell:
            self.flush()
            self._heading_level = 0

    def open_container(
        self, owner: Element, first_prefix: str, next_prefix: str, *, is_note: bool = False
    ) -> None:
        """Open a quote, list item or note that ends with the element ``owner``."""
        if self.is_flat:
            return
        if len(self._containers) >= _MAX_NESTING:
            first_prefix = next_prefix = ""
        self._containers.append(_Container(owner, first_prefix, next_prefix, is_note))

    def close_containers(self, owner: Element) -> None:
        while self._containers and self._containers[-1].owner is owner:
            self._containers.pop()

    def open_list(self, first_number: int | None, owner: Element, *, continues_item: bool = False) -> None:
        """``continues_item``: the list belongs to the item before it, although it is not inside of it."""
        if continues_item and self._list_numbers:
            number = self._list_numbers[-1]
            indent = " " * (2 if number is None else len(f"{number - 1}. "))
            self.open_container(owner, indent, indent)
        self._list_numbers.append(first_number)

    def close_list(self) -> None:
        if self._list_numbers:
            self._list_numbers.pop()

    def open_item(self, owner: Element) -> None:
        number = self._list_numbers[-1] if self._list_numbers else None
        if number is not None:
            self._list_numbers[-1] = number + 1
        if not self._containers or self._containers[-1].owner is not owner:
            marker = "- " if number is None else f"{number}. "
            self.open_container(owner, marker, " " * len(marker))

    def open_table(self) -> None:
        if self._grid is None and not self.is_flat:
            self._grid = TableGrid()

    def close_table(self) -> None:
        if self._grid is not None:
            grid, self._grid, self._in_cell = self._grid, None, False
            self.flush()
            self._write_table(grid.cells())

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
            self._grid.add_cell(
                markdown_writer.table_cell(markdown_writer.apply_styles(self.inline.pop_markdown())),
                columns,
                rows,
            )

    def write_code(self, text: str, language: str) -> None:
        if text.strip():
            self._write_title()
            prefix, hang, _ = self._prefixes()
            self.writer.code(text, language, prefix, hang)

    def write_rule(self) -> None:
        if not self.is_flat:
            self.writer.rule()

    def _write_table(self, rows: list[list[str]]) -> None:
        if rows:
            self._write_title()
            prefix, hang, _ = self._prefixes()
            self.writer.table(rows, prefix, hang)

    def _write_title(self) -> None:
        if self._pending_title is not None:
            (level, title), self._pending_title = self._pending_title, None
            self.writer.heading(level, markdown_writer.escape_inline(title))

    def _write_title_unless_it_is(self, text: str) -> bool:
        """Write the pending title, if any, as a heading; True when ``text`` is that title."""
        if self._pending_title is None:
            return False
        if _alphanumerics(text) == _alphanumerics(self._pending_title[1]):
            (level, _), self._pending_title = self._pending_title, None
            self.writer.heading(level, text)
            return True
        self._write_title()
        return False

    def _prefixes(self) -> tuple[str, str, bool]:
        """Prefix of the first line, prefix of the other lines, and whether a list item begins."""
        prefix = hang = ""
        begins_item = False
        for container in self._containers:
            prefix += container.next_prefix if container.started else container.first_prefix
            hang += container.next_prefix
            begins_item = begins_item or (
                not container.started and container.first_prefix != container.next_prefix
            )
            container.started = True
        return prefix, hang, begins_item


def _alphanumerics(text: str) -> str:
    return "".join(filter(str.isalnum, text)).casefold()
