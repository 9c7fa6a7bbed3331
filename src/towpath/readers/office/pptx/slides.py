"""Writes one slide as markdown: its title, then its shapes in document order."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from towpath.readers.common import markdown_writer
from towpath.readers.common.markdown_writer import MarkdownWriter
from towpath.readers.common.safe_xml import Element, local_name
from towpath.readers.common.table_grid import TableGrid
from towpath.readers.office.charts import DrawingWriter
from towpath.readers.office.ooxml import Relationship
from towpath.readers.office.pptx.drawingml_text import flat_text, paragraphs
from towpath.readers.office.slide_lists import SlideList

_TITLE_ROLES = ("title", "ctrTitle")
_OMITTED_ROLES = ("sldNum", "dt", "ftr", "hdr", "sldImg")
_ROLES_WITHOUT_BULLETS = ("subTitle", "none", *_TITLE_ROLES)


@dataclass(slots=True)
class Slide:
    """The shapes of a slide, groups resolved, each with the role of its placeholder."""

    root: Element
    relationships: dict[str, Relationship]
    drawings: DrawingWriter
    _shapes: list[tuple[Element, str]] = field(default_factory=list[tuple[Element, str]])
    _title_shape: Element | None = None

    def __post_init__(self) -> None:
        tree = next(self.root.iter("{*}spTree"), None)
        if tree is not None:
            self._shapes = [(shape, _placeholder_role(shape)) for shape in _flatten_groups(tree)]

    def find_title(self) -> str:
        """The text of the title placeholder; empty if the slide has none."""
        for shape, role in self._shapes:
            body = shape.find("{*}txBody") if role in _TITLE_ROLES else None
            text = flat_text(body, self.relationships) if body is not None else ""
            if text:
                self._title_shape = shape
                return text
        return ""

    def write(self, writer: MarkdownWriter) -> None:
        """Write everything except the title, page numbers, dates and footers."""
        for shape, role in self._shapes:
            if role in _OMITTED_ROLES or shape is self._title_shape:
                continue
            for table in shape.iter("{*}tbl"):
                self._write_table(table, writer)
            self.drawings.write(shape, writer)
            body = shape.find("{*}txBody")
            if body is not None:
                self._write_text(body, role, writer)
            elif local_name(shape.tag) == "pic":
                _write_picture(shape, writer)

    def _write_text(self, body: Element, role: str, writer: MarkdownWriter) -> None:
        items = SlideList(writer)
        for paragraph in paragraphs(body, self.relationships):
            bullet = paragraph.bullet
            if bullet is None:
                bullet = "" if role in _ROLES_WITHOUT_BULLETS else "-"
            if bullet:
                items.write_item(paragraph.text, paragraph.depth, is_numbered=bullet != "-")
            else:
                items.end()
                writer.paragraph(paragraph.text)

    def _write_table(self, table: Element, writer: MarkdownWriter) -> None:
        grid = TableGrid()
        for row in table.iterchildren("{*}tr"):
            grid.open_row()
            for cell in row.iterchildren("{*}tc"):
                grid.add_cell(
                    markdown_writer.table_cell(
                        markdown_writer.apply_styles(flat_text(cell, self.relationships))
                    )
                )
        writer.table(grid.cells())


def notes_text(root: Element, relationships: dict[str, Relationship]) -> Iterator[str]:
    """The paragraphs of the speaker's notes."""
    for shape in root.iter("{*}sp"):
        body = shape.find("{*}txBody") if _placeholder_role(shape) == "body" else None
        if body is not None:
            yield from (paragraph.text for paragraph in paragraphs(body, relationships))


def _flatten_groups(tree: Element) -> Iterator[Element]:
    """Shapes in order, with groups resolved; of alternate content only the first choice."""
    stack = list(tree)[::-1]
    while stack:
        shape = stack.pop()
        name = local_name(shape.tag)
        if name == "grpSp":
            stack.extend(list(shape)[::-1])
        elif name == "AlternateContent":
            choice = next(iter(shape), None)
            stack.extend(list(choice)[::-1] if choice is not None else [])
        elif name in ("sp", "pic", "graphicFrame", "cxnSp"):
            yield shape


def _placeholder_role(shape: Element) -> str:
    """The type of the placeholder: "body" is PowerPoint's default, "none" is a shape without placeholder."""
    properties = next(iter(shape), None)
    placeholder = next(properties.iter("{*}ph"), None) if properties is not None else None
    return (placeholder.get("type") or "body") if placeholder is not None else "none"


def _write_picture(shape: Element, writer: MarkdownWriter) -> None:
    for properties in shape.iter("{*}cNvPr"):
        description = " ".join((properties.get("descr") or "").split())
        if len(description) > 1:
            writer.paragraph(f"[Image: {markdown_writer.escape_inline(description)}]")
        return
