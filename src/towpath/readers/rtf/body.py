"""Writes the paragraphs of a rich text file as markdown: headings, lists, tables, links, notes."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from towpath.readers.common.inline_buffer import InlineBuffer
from towpath.readers.common.markdown_writer import (
    SOFT_PAGE_MARK,
    MarkdownWriter,
    apply_styles,
    strip_styles,
    table_cell,
)
from towpath.readers.common.safe_xml import Element
from towpath.readers.office.cell_borders import Row, place_cells
from towpath.readers.office.docx.lists import ListWriter
from towpath.readers.office.docx.numbering import Label
from towpath.readers.office.docx.styles import MAX_LIST_DEPTH
from towpath.readers.rtf.state import State

_NUMBER = re.compile(r"\(?(\d{1,4}|[a-zA-Z]{1,4})[.)]")
_TYPED_ITEM = re.compile(r"(?:([•·▪◦–])|(\d{1,3})[.)])\s+(?=\S)")
_MAX_HEADING_LENGTH = 150
Note = tuple[int, str]


@dataclass(slots=True)
class BodyWriter:
    writer: MarkdownWriter = field(default_factory=MarkdownWriter)
    inline: InlineBuffer = field(default_factory=InlineBuffer)
    lists: ListWriter = field(init=False)
    #: The number or bullet of the paragraph, as the program that wrote the file printed it.
    label: str | None = None
    borders: list[int] = field(default_factory=list[int])
    _notes: list[Note] = field(default_factory=list[Note])
    _note_count: int = 0
    _counts: dict[int, int] = field(default_factory=dict[int, int])
    _indents: list[int] = field(default_factory=list[int])
    _cell: list[str] = field(default_factory=list[str])
    _cells: list[str] = field(default_factory=list[str])
    _rows: list[Row] = field(default_factory=list[Row])
    _shown: tuple[str, ...] = ()
    _outer: list[tuple[InlineBuffer, list[str]]] = field(default_factory=list[tuple[InlineBuffer, list[str]]])

    def __post_init__(self) -> None:
        self.lists = ListWriter(self.writer)

    def add_text(self, text: str, state: State) -> None:
        self._show_styles(tuple(name for name, on in (("b", state.bold), ("i", state.italic)) if on))
        self.inline.add_text(text)

    def _show_styles(self, styles: tuple[str, ...]) -> None:
        if styles != self._shown:
            for name in reversed(self._shown):
                self.inline.close_style(name)
            for name in styles:
                self.inline.open_style(name)
            self._shown = styles

    def open_link(self, link: Element) -> None:
        self._show_styles(())
        self.inline.open_element(link)

    def close_link(self, link: Element, address: str) -> None:
        self._show_styles(())
        self.inline.close_link(link, address)

    def _pop_text(self) -> str:
        self._show_styles(())
        blank = self.inline.is_blank
        text = self.inline.pop_markdown().strip()
        return "" if blank else text

    def end_paragraph(self, state: State, level: int | None) -> None:
        text = self._pop_text()
        label, self.label = self.label, None
        if self._outer or state.in_table:
            if text:
                self._cell.append(f"{label} {text}" if label and _NUMBER.match(label) else text)
            return
        self.end_table()
        if not text:
            return
        words = strip_styles(text)
        if level is not None and len(words) <= _MAX_HEADING_LENGTH:
            self._end_list()
            self.writer.heading(level, text)
        elif label is not None:
            depth = self._list_depth(state.indent or state.depth)
            self.lists.write_item(text, self._read_label(label, depth), depth)
        elif item := _TYPED_ITEM.match(text):
            number = int(item[2]) if item[2] else 0
            self.lists.write_item(text[item.end() :], Label(item[2] or "", bool(number), number), 0)
        else:
            self._end_list()
            self.writer.paragraph(text)
        self._write_notes()

    def _list_depth(self, indent: int) -> int:
        """The depth of an item by its margin: the level in the file counts from the style of another list."""
        while self._indents and self._indents[-1] >= indent:
            self._indents.pop()
        self._indents.append(indent)
        return min(len(self._indents) - 1, MAX_LIST_DEPTH)

    def _end_list(self) -> None:
        self.lists.end()
        self._indents.clear()
        self._counts.clear()

    def _read_label(self, label: str, depth: int) -> Label:
        match = _NUMBER.fullmatch(label)
        self._counts = {other: count for other, count in self._counts.items() if other <= depth}
        if match is None or (match[1] in ("o", "n") and not match[0].endswith((".", ")"))):
            return Label("", False)
        number = int(match[1]) if match[1].isdigit() else self._counts.get(depth, 0) + 1
        self._counts[depth] = number
        return Label(label, match[1].isdigit(), number)

    def end_cell(self) -> None:
        text = self._pop_text()
        self.label = None
        if text:
            self._cell.append(text)
        self._cells.append(table_cell(apply_styles(" ".join(self._cell))))
        self._cell = []

    def end_row(self) -> None:
        if self._cells:
            self._rows.append((self._cells, tuple(self.borders)))
        self._cells = []

    def end_table(self) -> None:
        if self._cell:
            self.end_cell()
        self.end_row()
        rows, self._rows = self._rows, []
        if not rows:
            return
        self._end_list()
        if max(len(cells) for cells, _ in rows) <= 1:
            for cells, _ in rows:
                self.writer.paragraph(cells[0].replace("\\|", "|"))
        else:
            self.writer.table(place_cells(rows))
        self._write_notes()

    def end_page(self) -> None:
        self.writer.defer_page_marks(SOFT_PAGE_MARK)

    def open_note(self) -> None:
        self._show_styles(())
        self._outer.append((self.inline, self._cell))
        self.inline, self._cell = InlineBuffer(), []

    def close_note(self) -> None:
        text = self._pop_text()
        paragraphs = [*self._cell, *([text] if text else [])]
        self.inline, self._cell = self._outer.pop()
        if paragraphs:
            self._note_count += 1
            self._notes.append((self._note_count, " ".join(paragraphs)))
            self.inline.add_markdown(f"[^{self._note_count}]")

    def _write_notes(self) -> None:
        for number, text in self._notes:
            self.writer.paragraph(text, f"[^{number}]: ", "    ", item=True)
        self._notes.clear()
