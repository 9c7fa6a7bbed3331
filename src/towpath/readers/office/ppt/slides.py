"""Writes the slides of a .ppt file as markdown: title, shapes in order, tables, notes."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass

from towpath.readers.common.inline_buffer import InlineBuffer
from towpath.readers.common.markdown_writer import MarkdownWriter, escape_inline, table_cell
from towpath.readers.office.ppt import records
from towpath.readers.office.ppt.presentation_file import SlideSource
from towpath.readers.office.ppt.records import Record, children, find_all
from towpath.readers.office.ppt.text import NOTES_TEXT, TITLES, Text, read_texts
from towpath.readers.office.slide_lists import SlideList

#: Date, number of the slide, footer and header.
_OMITTED_PLACEHOLDERS = (7, 8, 9, 10)
_TABLE_PROPERTY = 0x39F
_MAX_DEPTH = 20

Cell = tuple[int, int, str]


@dataclass(frozen=True, slots=True)
class Table:
    rows: tuple[tuple[str, ...], ...]


def write_slide(slide: SlideSource, number: int, writer: MarkdownWriter) -> tuple[str, bool]:
    """Write a slide; returns its title, and whether it has any text."""
    parts = list(_parts(slide.record.content, slide.outline)) if slide.record else []
    shown = [part for part in parts if isinstance(part, Text)]
    parts += [text for text in slide.outline if text not in shown]
    title_text = next(
        (part for part in parts if isinstance(part, Text) and part.kind in TITLES and part.flat), None
    )
    title = title_text.flat if title_text else f"Slide {number}"
    writer.heading(1, escape_inline(title))
    blocks = len(writer.blocks)
    for part in parts:
        if isinstance(part, Table):
            writer.table(part.rows)
        elif part is not title_text:
            _write_text(part, writer)
    notes = read_notes(slide.notes) if slide.notes else ""
    if notes:
        writer.paragraph(f"Notes: {escape_inline(notes)}")
    return title, title_text is not None or len(writer.blocks) > blocks


def read_notes(record: Record) -> str:
    texts = (
        text
        for box in find_all(record.content, records.TEXT_BOX)
        for text in read_texts(children(box.content))
    )
    return " ".join(text.flat for text in texts if text.kind == NOTES_TEXT).strip()


def _write_text(text: Text, writer: MarkdownWriter) -> None:
    items = SlideList(writer)
    for paragraph in text.paragraphs:
        inline = InlineBuffer()
        for index, line in enumerate(paragraph.text.split("\x0b")):
            if index:
                inline.add_line_break()
            inline.add_text(line)
        words = inline.pop_markdown().strip()
        if paragraph.has_bullet:
            items.write_item(words, paragraph.depth)
        else:
            items.end()
            writer.paragraph(words)


def _parts(content: memoryview, outline: tuple[Text, ...], depth: int = 0) -> Iterator[Text | Table]:
    """The texts and tables of a slide, in the order of its shapes."""
    for record in children(content):
        if record.kind == records.GROUP and (table := _read_table(record)):
            yield table
        elif record.kind == records.SHAPE:
            yield from _shape_texts(record, outline)
        elif record.is_container and depth < _MAX_DEPTH:
            yield from _parts(record.content, outline, depth + 1)


def _shape_texts(shape: Record, outline: tuple[Text, ...]) -> Iterator[Text]:
    placeholder = next(find_all(shape.content, records.PLACEHOLDER), None)
    if (
        placeholder is not None
        and placeholder.content[4:5]
        and placeholder.content[4] in _OMITTED_PLACEHOLDERS
    ):
        return
    for box in find_all(shape.content, records.TEXT_BOX):
        content = list(children(box.content))
        reference = next((record for record in content if record.kind == records.OUTLINE_REFERENCE), None)
        if reference is not None and len(reference.content) >= 4:
            index = struct.unpack_from("<I", reference.content)[0]
            if index < len(outline):
                yield outline[index]
        else:
            yield from (text for text in read_texts(content) if text.flat.strip("*"))


def _read_table(group: Record) -> Table | None:
    """The cells of a group of shapes that is marked as a table, placed by their positions."""
    shapes = [record for record in children(group.content) if record.kind == records.SHAPE]
    if not shapes or not _is_table(shapes[0]):
        return None
    cells = [cell for shape in shapes[1:] if (cell := _read_cell(shape))]
    if not any(text for _, _, text in cells):
        return None
    columns = sorted({left for left, _, _ in cells})
    rows = sorted({top for _, top, _ in cells})
    by_place = {(top, left): text for left, top, text in cells}
    return Table(tuple(tuple(by_place.get((top, left), "") for left in columns) for top in rows))


def _is_table(shape: Record) -> bool:
    for record in children(shape.content):
        if record.kind == records.MORE_PROPERTIES:
            ids = (record.content[6 * index : 6 * index + 2] for index in range(record.instance))
            if any(int.from_bytes(number, "little") & 0x3FFF == _TABLE_PROPERTY for number in ids):
                return True
    return False


def _read_cell(shape: Record) -> Cell | None:
    anchor = next((record for record in children(shape.content) if record.kind == records.CHILD_ANCHOR), None)
    boxes = list(find_all(shape.content, records.TEXT_BOX))
    if anchor is None or len(anchor.content) < 16 or not boxes:
        return None
    left, top = struct.unpack_from("<ii", anchor.content)
    texts = (text.flat for box in boxes for text in read_texts(children(box.content)))
    return left, top, table_cell(escape_inline(" ".join(filter(None, texts))))
