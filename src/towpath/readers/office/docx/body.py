"""Converts the body of a Word document to markdown, block by block."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from towpath.readers.common import markdown_writer
from towpath.readers.common.markdown_writer import MarkdownWriter
from towpath.readers.common.safe_xml import Element, parse_int
from towpath.readers.common.table_grid import TableGrid
from towpath.readers.office.charts import DrawingWriter
from towpath.readers.office.docx.inline import InlineReader
from towpath.readers.office.docx.lists import ListWriter
from towpath.readers.office.docx.notes import Notes
from towpath.readers.office.docx.numbering import Label, Numbering
from towpath.readers.office.docx.styles import (
    Properties,
    Style,
    Styles,
    is_on,
    numbering_of,
    outline_level,
    properties_of,
    property_value,
)

_WRAPPER_TAGS = ("sdt", "sdtContent", "customXml", "ins", "moveTo", "smartTag")
_LONG_CELL_LENGTH = 300
_MAX_HEADING_LEVEL = 9
_MAX_HEADING_LENGTH = 150
_SENTENCE_ENDS = (".", ";", ",", "。")

Row = tuple[int, list[Element]]


@dataclass(slots=True)
class BodyWriter:
    """Writes blocks. Footnotes and text boxes follow the block that refers to them; endnotes come last."""

    inline: InlineReader
    styles: Styles
    numbering: Numbering
    drawings: DrawingWriter
    footnotes: Notes
    endnotes: Notes
    #: The text refers to numbers of sections, so headings and items keep the labels that Word prints.
    keep_labels: bool = False
    writer: MarkdownWriter = field(default_factory=MarkdownWriter)
    #: Set if headings and paragraphs are numbered by one list, as the clauses of a contract are.
    has_clauses: bool = False
    _heading_lists: set[str] = field(default_factory=set[str])
    lists: ListWriter = field(init=False)
    ns: str = field(init=False)

    def __post_init__(self) -> None:
        self.lists = ListWriter(self.writer, self.keep_labels)
        self.ns = self.inline.ns

    def write(self, block: Element) -> None:
        """Write one block of the body with its footnotes, text boxes and charts."""
        self._write_block(block)
        self.footnotes.write(self.writer, self.inline.footnotes)

    def finish(self) -> None:
        """Write the endnotes."""
        self.endnotes.write(self.writer, self.inline.endnotes)

    def _write_block(self, block: Element) -> None:
        if block.tag == f"{self.ns}p":
            self._write_paragraph(block)
        elif block.tag == f"{self.ns}tbl":
            self._write_table(block)
        else:
            for inner in self._unwrapped_children(block, "p", "tbl"):
                self._write_block(inner)

    def _unwrapped_children(self, element: Element, *names: str) -> Iterator[Element]:
        """Children with these names, also inside wrappers of forms and tracked changes."""
        tags = {f"{self.ns}{name}" for name in names}
        wrappers = {f"{self.ns}{name}" for name in _WRAPPER_TAGS}
        for child in element:
            if child.tag in tags:
                yield child
            elif child.tag in wrappers:
                yield from self._unwrapped_children(child, *names)

    def _write_paragraph(self, paragraph: Element) -> None:
        properties = self._properties(paragraph)
        style = self._style(properties)
        label, depth = self._next_label(properties, style)
        text = self.inline.read(paragraph)
        if is_on(properties.get("pageBreakBefore"), self.ns):
            text = markdown_writer.SOFT_PAGE_MARK + text
        level = self._heading_level(properties, style, text)
        if markdown_writer.has_only_page_marks(text):
            self.writer.defer_page_marks(text)
        elif level is not None and level <= _MAX_HEADING_LEVEL:
            self.lists.end()
            shown = f"{label.text} {text}" if self.keep_labels and label and label.text else text
            self.writer.heading(level, shown)
            self._heading_lists.add(label.family if label else "")
        elif label is not None:
            self.has_clauses = self.has_clauses or label.family in self._heading_lists
            self.lists.write_item(text, label, depth)
        else:
            self.lists.end()
            prefix = "> " if style.is_quote else ""
            self.writer.paragraph(text, prefix, prefix)
        if self._ends_page(properties):
            self.writer.defer_page_marks(markdown_writer.SOFT_PAGE_MARK)
        self._write_anchored()

    def _heading_level(self, properties: Properties, style: Style, text: str) -> int | None:
        """The level of the paragraph's style, or its own outline level if it reads as a heading.

        Programs that export to Word set outline levels on whole sentences.
        """
        own_level = outline_level(properties, self.ns)
        if own_level is None or own_level > _MAX_HEADING_LEVEL or style.level is not None:
            return own_level or style.level
        words = markdown_writer.strip_styles(text).rstrip()
        return own_level if len(words) <= _MAX_HEADING_LENGTH and not words.endswith(_SENTENCE_ENDS) else None

    def _write_table(self, table: Element) -> None:
        self.lists.end()
        rows = list(self._rows(table))
        if self._is_layout_table(rows):
            for cell in (cell for _, row in rows for cell in row):
                for block in self._unwrapped_children(cell, "p", "tbl"):
                    self._write_block(block)
            return
        grid = TableGrid()
        for empty_columns, row in rows:
            grid.open_row()
            grid.skip_columns(empty_columns)
            for cell in row:
                grid.add_cell(self._cell_text(cell), self._column_span(cell))
        self.writer.table(grid.cells())
        self._write_anchored()

    def _cell_text(self, cell: Element) -> str:
        texts: list[str] = []
        for paragraph in self._unwrapped_children(cell, "p"):
            properties = self._properties(paragraph)
            label, _ = self._next_label(properties, self._style(properties))
            text = self.inline.read(paragraph)
            texts.append(f"{label.text} {text}" if label and label.text and text else text)
        return markdown_writer.table_cell(markdown_writer.apply_styles(" ".join(filter(None, texts))))

    def _is_layout_table(self, rows: list[Row]) -> bool:
        """True if a table only arranges text: one column, nested tables, or one row of long texts."""
        cells = [cell for _, row in rows for cell in row]
        if max((len(row) for _, row in rows), default=0) <= 1:
            return True
        if any(next(cell.iterdescendants(f"{self.ns}tbl"), None) is not None for cell in cells):
            return True
        return len(rows) == 1 and any(
            sum(len(text.text or "") for text in cell.iter(f"{self.ns}t")) > _LONG_CELL_LENGTH
            for cell in cells
        )

    def _rows(self, table: Element) -> Iterator[Row]:
        """Rows that are not deleted: number of empty columns at the left, and the cells."""
        for row in self._unwrapped_children(table, "tr"):
            properties = properties_of(row.find(f"{self.ns}trPr"), self.ns)
            if "del" not in properties:
                empty_columns = parse_int(property_value(properties.get("gridBefore"), self.ns), 0)
                yield empty_columns, list(self._unwrapped_children(row, "tc"))

    def _column_span(self, cell: Element) -> int:
        properties = cell.find(f"{self.ns}tcPr")
        declared = (
            property_value(properties.find(f"{self.ns}gridSpan"), self.ns) if properties is not None else None
        )
        return parse_int(declared, 1)

    def _write_anchored(self) -> None:
        """Write the text boxes and charts anchored in the last block."""
        if not self.inline.boxes and not self.inline.drawings:
            return
        boxes, drawings = self.inline.boxes[:], self.inline.drawings[:]
        self.inline.boxes.clear()
        self.inline.drawings.clear()
        for drawing in drawings:
            self.drawings.write(drawing, self.writer)
        for box in boxes:
            for block in self._unwrapped_children(box, "p", "tbl"):
                self._write_block(block)

    def _properties(self, paragraph: Element) -> Properties:
        has_properties = len(paragraph) and paragraph[0].tag == f"{self.ns}pPr"
        return properties_of(paragraph[0], self.ns) if has_properties else {}

    def _style(self, properties: Properties) -> Style:
        return self.styles.get(property_value(properties.get("pStyle"), self.ns))

    def _next_label(self, properties: Properties, style: Style) -> tuple[Label | None, int]:
        """The number or bullet and its depth. Empty paragraphs count too; a paragraph's list overrides its style's."""
        declared = numbering_of(properties, self.ns)
        list_id, depth = declared or style.numbering or ("", 0)
        if not list_id and style.numbering:
            list_id = style.numbering[0]
        return self.numbering.next_label(list_id, depth), depth

    def _ends_page(self, properties: Properties) -> bool:
        """True if a section ends here and the next one begins on a new page."""
        section = properties.get("sectPr")
        return section is not None and property_value(section.find(f"{self.ns}type"), self.ns) != "continuous"
