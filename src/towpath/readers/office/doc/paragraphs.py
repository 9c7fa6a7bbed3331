"""Splits the text of a .doc file into paragraphs with their formats, and their inline text into markdown."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

from towpath.readers.common.inline_buffer import InlineBuffer
from towpath.readers.common.safe_xml import Element, new_element
from towpath.readers.office.doc import sprms, word_file
from towpath.readers.office.doc.formatted_runs import Runs, read_runs
from towpath.readers.office.doc.style_sheet import Style, read_styles, with_properties
from towpath.readers.office.doc.word_file import WordFile

_PARAGRAPH_ENDS = re.compile(r"[\r\x07\x0c]")
_MARKS = re.compile("([\x00-\x1f\xa0\xad])")
_LINK = re.compile(r'\s*HYPERLINK\s+(?:\\[a-z]\s+)*"([^"]+)"', re.IGNORECASE)
_CELL_END, _PAGE_BREAK = "\x07", "\x0c"
_FIELD_BEGIN, _FIELD_SEPARATOR, _FIELD_END, _NOTE = "\x13", "\x14", "\x15", "\x02"
_MAX_FIELDS = 50


@dataclass(frozen=True, slots=True)
class Format:
    """The properties of one paragraph. ``table_depth`` is 0 outside of tables."""

    style: Style
    table_depth: int = 0
    ends_row: bool = False
    ends_inner_cell: bool = False
    begins_page: bool = False
    has_own_level: bool = False
    #: The places of the borders between the cells of a row, in twentieths of a point.
    borders: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Paragraph:
    text: str
    format: Format
    #: The character that ends it.
    mark: str
    end: int
    #: The positions of the references to notes inside.
    notes: tuple[int, ...] = ()


@dataclass(slots=True)
class _Field:
    """An open field: its instruction, or, after the separator, its result."""

    instruction: str = ""
    in_result: bool = False
    link: Element | None = None
    address: str = ""


@dataclass
class ParagraphReader:
    """Reads spans of the text. ``note_numbers``: the number of a note by the position of its reference."""

    file: WordFile
    note_numbers: dict[int, int] = field(default_factory=dict[int, int])
    _fields: list[_Field] = field(default_factory=list[_Field])
    _formats: dict[bytes, Format] = field(default_factory=dict[bytes, Format])

    def read(self, start: int, end: int) -> Iterator[Paragraph]:
        """The paragraphs of a span of characters."""
        self._fields.clear()
        text = self.file.text
        for match in _PARAGRAPH_ENDS.finditer(text, start, end):
            yield self._paragraph(start, match.start(), match[0])
            start = match.end()
        if start < min(end, len(text)):
            yield self._paragraph(start, min(end, len(text)), "\r")

    def _paragraph(self, start: int, end: int, mark: str) -> Paragraph:
        inline = InlineBuffer()
        notes: list[int] = []
        for first, last, style_names in self._character_runs(start, end):
            if style_names is None:
                continue
            for name in style_names:
                inline.open_style(name)
            self._read_text(inline, first, last, notes)
            for name in reversed(style_names):
                inline.close_style(name)
        blank = inline.is_blank
        text = inline.pop_markdown().strip()
        return Paragraph("" if blank else text, self._format_at(end), mark, end + 1, tuple(notes))

    def _read_text(self, inline: InlineBuffer, start: int, end: int, notes: list[int]) -> None:
        position = start
        for part in _MARKS.split(self.file.text[start:end]):
            if part == _NOTE and position in self.note_numbers:
                notes.append(position)
                inline.add_markdown(f"[^{self.note_numbers[position]}]")
            else:
                self._add_part(inline, part)
            position += len(part)

    def _add_part(self, inline: InlineBuffer, part: str) -> None:
        if part == _FIELD_BEGIN:
            if len(self._fields) < _MAX_FIELDS:
                self._fields.append(_Field())
        elif part == _FIELD_SEPARATOR:
            self._begin_result(inline)
        elif part == _FIELD_END:
            closed = self._fields.pop() if self._fields else _Field()
            if closed.link is not None:
                inline.close_link(closed.link, closed.address)
        elif any(not opened.in_result for opened in self._fields):
            self._fields[-1].instruction += part
        elif part == "\x0b":
            inline.add_line_break()
        elif part == "\x1e":
            inline.add_text("-")
        elif part in ("\t", "\xa0", "\x0e"):
            inline.add_text(" ")
        elif part and (part[0] >= " " and part != "\xad"):
            inline.add_text(_join_surrogates(part))

    def _begin_result(self, inline: InlineBuffer) -> None:
        if not self._fields:
            return
        opened = self._fields[-1]
        opened.in_result = True
        match = _LINK.match(opened.instruction)
        link = new_element("a")
        if match and all(other.in_result for other in self._fields):
            opened.link, opened.address = link, match[1]
            inline.open_element(link)

    def _character_runs(self, start: int, end: int) -> Iterator[tuple[int, int, tuple[str, ...] | None]]:
        """Spans with their styles ``b`` and ``i``; None for hidden and deleted text, and for symbols."""
        if not self.file.has_formats:
            yield start, end, ()
            return
        for first, last, piece in self.file.stream_spans(start, end):
            begin = piece.offset + (first - piece.start) * piece.width
            stop = piece.offset + (last - piece.start) * piece.width
            for run_start, run_end, content in self._characters.between(begin, stop):
                styles = _styles(content)
                yield (
                    piece.start + (run_start - piece.offset) // piece.width,
                    piece.start + (run_end - piece.offset) // piece.width,
                    styles,
                )

    @cached_property
    def _characters(self) -> Runs:
        return read_runs(self.file.document, self.file.part(word_file.CHARACTER_RUNS), paragraphs=False)

    @cached_property
    def _paragraph_runs(self) -> Runs:
        return read_runs(self.file.document, self.file.part(word_file.PARAGRAPH_RUNS), paragraphs=True)

    @cached_property
    def _styles(self) -> list[Style]:
        return read_styles(self.file.part(word_file.STYLES))

    def _format_at(self, position: int) -> Format:
        """The format of the paragraph whose mark is at this character."""
        if not self.file.has_formats:
            return Format(Style())
        for first, _, piece in self.file.stream_spans(position, position + 1):
            content = self._paragraph_runs.at(piece.offset + (first - piece.start) * piece.width)
            if content not in self._formats:
                self._formats[content] = self._read_format(content)
            return self._formats[content]
        return Format(Style())

    def _read_format(self, content: bytes) -> Format:
        number = int.from_bytes(content[:2], "little")
        style = self._styles[number] if number < len(self._styles) else Style()
        properties = content[2:]
        for code, operand in sprms.read_sprms(properties):
            if code in sprms.LONG_PROPERTIES:
                offset = sprms.number(operand)
                size = int.from_bytes(self.file.data[offset : offset + 2], "little")
                properties = self.file.data[offset + 2 : offset + 2 + size]
        depth, in_table, ends_row, ends_inner_cell, begins_page, own_level = (
            0,
            False,
            False,
            False,
            False,
            False,
        )
        borders: tuple[int, ...] = ()
        for code, operand in sprms.read_sprms(properties):
            if code == sprms.IN_TABLE:
                in_table = bool(operand[0])
            elif code == sprms.TABLE_DEPTH:
                depth = min(sprms.number(operand), 99)
            elif code in (sprms.ROW_END, sprms.INNER_ROW_END):
                ends_row = bool(operand[0])
            elif code == sprms.INNER_CELL:
                ends_inner_cell = bool(operand[0])
            elif code == sprms.PAGE_BREAK_BEFORE:
                begins_page = bool(operand[0])
            elif code == sprms.OUTLINE_LEVEL:
                own_level = style.level is None
            elif code == sprms.TABLE_DEFINITION and operand:
                borders = _borders(operand)
        return Format(
            with_properties(style, properties),
            max(depth, int(in_table)),
            ends_row,
            ends_inner_cell,
            begins_page,
            own_level,
            borders,
        )


def _borders(operand: bytes) -> tuple[int, ...]:
    places = [operand[1 + 2 * index : 3 + 2 * index] for index in range(operand[0] + 1)]
    return tuple(int.from_bytes(place, "little", signed=True) for place in places if len(place) == 2)


def _styles(content: bytes) -> tuple[str, ...] | None:
    if not content:
        return ()
    names: list[str] = []
    for code, operand in sprms.read_sprms(content):
        # The characters of a symbol font have no meaning without the font.
        if code == sprms.SYMBOL or (code in (sprms.HIDDEN, sprms.DELETED) and operand[0] == 1):
            return None
        if code in (sprms.BOLD, sprms.ITALIC):
            name = "b" if code == sprms.BOLD else "i"
            if operand[0] in (1, 0x81):
                names.append(name)
            elif name in names:
                names.remove(name)
    return tuple(dict.fromkeys(names))


def _join_surrogates(text: str) -> str:
    if any("\ud800" <= character <= "\udfff" for character in text):
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text
