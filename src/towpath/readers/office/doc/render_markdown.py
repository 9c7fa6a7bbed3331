"""Writes the paragraphs of a .doc file (binary Word) as markdown: headings, lists, tables, notes."""

from __future__ import annotations

import struct
from dataclasses import dataclass, field
from itertools import pairwise

from towpath.readers.common import markdown_writer
from towpath.readers.common.markdown_writer import MarkdownWriter
from towpath.readers.office.cell_borders import place_cells
from towpath.readers.office.doc import sprms, word_file
from towpath.readers.office.doc.list_tables import read_lists
from towpath.readers.office.doc.paragraphs import Format, Paragraph, ParagraphReader
from towpath.readers.office.doc.word_file import WordFile
from towpath.readers.office.docx.lists import ListWriter
from towpath.readers.office.docx.numbering import Label, Numbering

_MAX_HEADING_LEVEL, _MAX_HEADING_LENGTH = 9, 150
_SENTENCE_ENDS = (".", ";", ",", "。")
_LONG_CELL_LENGTH = 300
_CONTINUOUS = 0

Row = tuple[list[list[Paragraph]], tuple[int, ...]]


@dataclass
class BodyWriter:
    """Writes the main text, the notes after the paragraphs that refer to them, and the text boxes at the end."""

    file: WordFile
    writer: MarkdownWriter = field(default_factory=MarkdownWriter)
    reader: ParagraphReader = field(init=False)
    lists: ListWriter = field(init=False)
    numbering: Numbering = field(init=False)
    _notes: dict[int, tuple[int, int]] = field(default_factory=dict[int, tuple[int, int]])
    _rows: list[Row] = field(default_factory=list[Row])
    _cells: list[list[Paragraph]] = field(default_factory=list[list[Paragraph]])
    _cell: list[Paragraph] = field(default_factory=list[Paragraph])

    def __post_init__(self) -> None:
        self.reader = ParagraphReader(self.file)
        self.lists = ListWriter(self.writer)
        lists = self.file.part(word_file.LISTS)
        self.numbering = read_lists(
            lists, self.file.after(word_file.LISTS), self.file.part(word_file.LIST_OVERRIDES)
        )
        self._read_notes()

    def write(self) -> None:
        main, footnotes, headers, macros, comments, endnotes, boxes = self.file.lengths
        sections = self._continuous_sections()
        for paragraph in self.reader.read(0, main):
            self._add(paragraph)
            if paragraph.mark == "\x0c" and paragraph.end not in sections:
                self.writer.defer_page_marks(markdown_writer.SOFT_PAGE_MARK)
        self._end_table()
        start = main + footnotes + headers + macros + comments + endnotes
        for paragraph in self.reader.read(start, start + boxes):
            self._add(paragraph)
        self._end_table()

    def _add(self, paragraph: Paragraph) -> None:
        form = paragraph.format
        if not form.table_depth:
            self._end_table()
            self._write_paragraph(paragraph)
        elif form.table_depth > 1:
            self._cell.append(paragraph)
        elif form.ends_row:
            if self._cells:
                self._rows.append((self._cells, form.borders))
            self._cells, self._cell = [], []
        else:
            self._cell.append(paragraph)
            if paragraph.mark == "\x07":
                self._cells.append(self._cell)
                self._cell = []

    def _write_paragraph(self, paragraph: Paragraph) -> None:
        form, text = paragraph.format, paragraph.text
        label, depth = self._next_label(form, text)
        level = self._heading_level(form, text)
        if form.begins_page:
            self.writer.defer_page_marks(markdown_writer.SOFT_PAGE_MARK)
        if not text:
            return
        if level is not None:
            self.lists.end()
            self.writer.heading(level, text)
        elif label is not None:
            self.lists.write_item(text, label, depth)
        else:
            self.lists.end()
            prefix = "> " if form.style.is_quote else ""
            self.writer.paragraph(text, prefix, prefix)
        self._write_notes(paragraph)

    def _heading_level(self, form: Format, text: str) -> int | None:
        level = form.style.level
        if level is None or level > _MAX_HEADING_LEVEL:
            return None
        words = markdown_writer.strip_styles(text).rstrip()
        if form.has_own_level and (len(words) > _MAX_HEADING_LENGTH or words.endswith(_SENTENCE_ENDS)):
            return None
        return level

    def _next_label(self, form: Format, text: str) -> tuple[Label | None, int]:
        """The number or bullet; Word does not number paragraphs without text that it hides."""
        number, depth = form.style.list_number, form.style.list_depth or 0
        if not number or not text:
            return None, 0
        return self.numbering.next_label(str(number), depth), depth

    def _end_table(self) -> None:
        if self._cell or self._cells:
            self._cells += [self._cell] if self._cell else []
            self._rows.append((self._cells, ()))
        rows, self._rows, self._cells, self._cell = self._rows, [], [], []
        if not rows:
            return
        self.lists.end()
        if _is_layout_table(rows):
            for paragraph in (paragraph for cells, _ in rows for cell in cells for paragraph in cell):
                self._write_paragraph(paragraph)
            return
        self.writer.table(
            place_cells([([self._cell_text(cell) for cell in cells], borders) for cells, borders in rows])
        )
        for paragraph in (paragraph for cells, _ in rows for cell in cells for paragraph in cell):
            self._write_notes(paragraph)

    def _cell_text(self, cell: list[Paragraph]) -> str:
        texts: list[str] = []
        for paragraph in cell:
            label, _ = self._next_label(paragraph.format, paragraph.text)
            texts.append(f"{label.text} {paragraph.text}" if label and label.text else paragraph.text)
        return markdown_writer.table_cell(markdown_writer.apply_styles(" ".join(filter(None, texts))))

    def _read_notes(self) -> None:
        """Footnotes and endnotes: the span of each by the position of its reference."""
        main, footnotes, headers, macros, comments, _, _ = self.file.lengths
        for references, texts, start in (
            (word_file.FOOTNOTE_REFERENCES, word_file.FOOTNOTE_TEXTS, main),
            (
                word_file.ENDNOTE_REFERENCES,
                word_file.ENDNOTE_TEXTS,
                main + footnotes + headers + macros + comments,
            ),
        ):
            content = self.file.part(references)
            positions = _numbers(content[: 4 * ((len(content) + 2) // 6)])[:-1]
            spans = list(pairwise(_numbers(self.file.part(texts))))
            for position, (first, last) in zip(positions, spans, strict=False):
                self._notes[position] = (start + first, start + last)
        self.reader.note_numbers = {position: n for n, position in enumerate(sorted(self._notes), start=1)}

    def _write_notes(self, paragraph: Paragraph) -> None:
        for position in paragraph.notes:
            prefix = f"[^{self.reader.note_numbers[position]}]: "
            reader = ParagraphReader(self.file)
            for note in reader.read(*self._notes[position]):
                if note.text:
                    self.writer.paragraph(note.text, prefix, "    ", item=prefix != "    ")
                    prefix = "    "

    def _continuous_sections(self) -> set[int]:
        """The positions at which a section begins on the same page."""
        content = self.file.part(word_file.SECTIONS)
        count = max(0, (len(content) - 4) // 16)
        positions = _numbers(content[: 4 * (count + 1)])
        starts: set[int] = set()
        for index in range(count):
            offset = int.from_bytes(content[4 * (count + 1) + 12 * index + 2 :][:4], "little")
            size = int.from_bytes(self.file.document[offset : offset + 2], "little")
            properties = self.file.document[offset + 2 : offset + 2 + size]
            if any(c == sprms.SECTION_BREAK and o[0] == _CONTINUOUS for c, o in sprms.read_sprms(properties)):
                starts.add(positions[index])
        return starts


def _numbers(content: bytes) -> list[int]:
    return list(struct.unpack(f"<{len(content) // 4}I", content[: len(content) // 4 * 4]))


def _is_layout_table(rows: list[Row]) -> bool:
    """True if a table only arranges text: one column, nested tables, or one row of long texts."""
    if max(len(cells) for cells, _ in rows) <= 1:
        return True
    paragraphs = [paragraph for cells, _ in rows for cell in cells for paragraph in cell]
    if any(paragraph.format.table_depth > 1 for paragraph in paragraphs):
        return True
    lengths = [sum(len(paragraph.text) for paragraph in cell) for cell in rows[0][0]]
    return len(rows) == 1 and max(lengths) > _LONG_CELL_LENGTH
