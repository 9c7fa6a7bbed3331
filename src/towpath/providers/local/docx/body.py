"""The body of a document, block after block, written down as markdown."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from towpath.providers.local import markdown
from towpath.providers.local.docx.inline import Inline
from towpath.providers.local.docx.lists import ListWriter
from towpath.providers.local.docx.notes import Notes
from towpath.providers.local.docx.numbering import Label, Numbering
from towpath.providers.local.docx.styles import (
    Facts,
    Style,
    Styles,
    facts_of,
    is_on,
    numbering_of,
    outline_level,
    value,
)
from towpath.providers.local.drawing import Drawings
from towpath.providers.local.grid import Grid
from towpath.providers.local.markdown import Writer
from towpath.providers.local.xml import Element, whole_number

_WRAPPERS = ("sdt", "sdtContent", "customXml", "ins", "moveTo", "smartTag")
_LONG_CELL = 300
_DEEPEST_HEADING = 9

Row = tuple[int, list[Element]]


@dataclass(slots=True)
class Body:
    """Notes follow the block that refers to them, text boxes the block holding them; endnotes stand last."""

    inline: Inline
    styles: Styles
    numbering: Numbering
    drawings: Drawings
    footnotes: Notes
    endnotes: Notes
    writer: Writer = field(default_factory=Writer)
    lists: ListWriter = field(init=False)
    ns: str = field(init=False)

    def __post_init__(self) -> None:
        self.lists = ListWriter(self.writer)
        self.ns = self.inline.ns

    def write(self, block: Element) -> None:
        """One block of the body with all that hangs on it."""
        self._block(block)
        self.footnotes.write(self.writer, self.inline.footnotes)

    def finish(self) -> None:
        self.endnotes.write(self.writer, self.inline.endnotes)

    def _block(self, block: Element) -> None:
        if block.tag == f"{self.ns}p":
            self._paragraph(block)
        elif block.tag == f"{self.ns}tbl":
            self._table(block)
        else:
            for inner in self._through(block, "p", "tbl"):
                self._block(inner)

    def _through(self, element: Element, *names: str) -> Iterator[Element]:
        """Children of these names, also through the wrappers of forms and tracked changes."""
        wanted = {f"{self.ns}{name}" for name in names}
        wrappers = {f"{self.ns}{name}" for name in _WRAPPERS}
        for child in element:
            if child.tag in wanted:
                yield child
            elif child.tag in wrappers:
                yield from self._through(child, *names)

    def _paragraph(self, paragraph: Element) -> None:
        facts = self._facts(paragraph)
        style = self._style(facts)
        label, depth = self._label(facts, style)
        text = self.inline.read(paragraph)
        if is_on(facts.get("pageBreakBefore"), self.ns):
            text = markdown.SOFT_PAGE + text
        level = outline_level(facts, self.ns) or style.level
        if markdown.is_wordless(text):
            self.writer.keep_marks(text)
        elif level is not None and level <= _DEEPEST_HEADING:
            self.lists.end()
            self.writer.heading(level, f"{label.text} {text}" if label and label.text else text)
        elif label is not None:
            self.lists.item(text, label, depth)
        else:
            self.lists.end()
            prefix = "> " if style.is_quote else ""
            self.writer.paragraph(text, prefix, prefix)
        if self._ends_page(facts):
            self.writer.keep_marks(markdown.SOFT_PAGE)
        self._write_hanging()

    def _table(self, table: Element) -> None:
        self.lists.end()
        rows = list(self._rows(table))
        if self._is_layout(rows):
            for cell in (cell for _, row in rows for cell in row):
                for block in self._through(cell, "p", "tbl"):
                    self._block(block)
            return
        grid = Grid()
        for left_free, row in rows:
            grid.open_row()
            grid.skip(left_free)
            for cell in row:
                grid.add(self._cell_text(cell), self._span(cell))
        self.writer.table(grid.table())
        self._write_hanging()

    def _cell_text(self, cell: Element) -> str:
        texts: list[str] = []
        for paragraph in self._through(cell, "p"):
            facts = self._facts(paragraph)
            label, _ = self._label(facts, self._style(facts))
            text = self.inline.read(paragraph)
            texts.append(f"{label.text} {text}" if label and label.text and text else text)
        return markdown.cell(markdown.styled(" ".join(filter(None, texts))))

    def _is_layout(self, rows: list[Row]) -> bool:
        """Whether a table only arranges text: one column, tables inside, or one row of long texts."""
        cells = [cell for _, row in rows for cell in row]
        if max((len(row) for _, row in rows), default=0) <= 1:
            return True
        if any(next(cell.iterdescendants(f"{self.ns}tbl"), None) is not None for cell in cells):
            return True
        return len(rows) == 1 and any(
            sum(len(text.text or "") for text in cell.iter(f"{self.ns}t")) > _LONG_CELL for cell in cells
        )

    def _rows(self, table: Element) -> Iterator[Row]:
        """Rows that were not deleted: how many columns they leave free at the left, and their cells."""
        for row in self._through(table, "tr"):
            facts = facts_of(row.find(f"{self.ns}trPr"), self.ns)
            if "del" not in facts:
                left_free = whole_number(value(facts.get("gridBefore"), self.ns), 0)
                yield left_free, list(self._through(row, "tc"))

    def _span(self, cell: Element) -> int:
        facts = cell.find(f"{self.ns}tcPr")
        stated = value(facts.find(f"{self.ns}gridSpan"), self.ns) if facts is not None else None
        return whole_number(stated, 1)

    def _write_hanging(self) -> None:
        """Text boxes and charts anchored in what was just written."""
        if not self.inline.boxes and not self.inline.drawings:
            return
        boxes, drawings = self.inline.boxes[:], self.inline.drawings[:]
        self.inline.boxes.clear()
        self.inline.drawings.clear()
        for drawing in drawings:
            self.drawings.write(drawing, self.writer)
        for box in boxes:
            for block in self._through(box, "p", "tbl"):
                self._block(block)

    def _facts(self, paragraph: Element) -> Facts:
        has_facts = len(paragraph) and paragraph[0].tag == f"{self.ns}pPr"
        return facts_of(paragraph[0], self.ns) if has_facts else {}

    def _style(self, facts: Facts) -> Style:
        return self.styles.of(value(facts.get("pStyle"), self.ns))

    def _label(self, facts: Facts, style: Style) -> tuple[Label | None, int]:
        """The number or bullet, counted even where there are no words; an own list wins over the style's."""
        own = numbering_of(facts, self.ns)
        list_id, depth = own or style.numbering or ("", 0)
        if not list_id and style.numbering:
            list_id = style.numbering[0]
        return self.numbering.next(list_id, depth), depth

    def _ends_page(self, facts: Facts) -> bool:
        """Whether a section ends here whose successor begins on a new page."""
        section = facts.get("sectPr")
        return section is not None and value(section.find(f"{self.ns}type"), self.ns) != "continuous"
