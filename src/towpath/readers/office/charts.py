"""Converts Office charts to tables and diagrams to lists."""

from __future__ import annotations

from dataclasses import dataclass

from towpath.readers.common import safe_xml
from towpath.readers.common.markdown_writer import MarkdownWriter, escape_inline, table_cell
from towpath.readers.common.safe_xml import Element
from towpath.readers.common.safe_zip import Archive
from towpath.readers.office.ooxml import Relationship

_MAX_POINTS = 5_000


@dataclass(frozen=True, slots=True)
class DrawingWriter:
    """Resolves the drawings of one part to the parts of their charts and diagrams."""

    archive: Archive
    relationships: dict[str, Relationship]

    def write(self, drawing: Element, writer: MarkdownWriter) -> None:
        """Write all charts and diagrams of a drawing."""
        for reference in drawing.iter("{*}chart", "{*}relIds"):
            for value in reference.values():
                relationship = self.relationships.get(value)
                content = (
                    self.archive.read_optional(relationship.target)
                    if relationship and not relationship.is_external
                    else None
                )
                if relationship is None or content is None:
                    continue
                if relationship.kind == "chart":
                    write_chart(
                        safe_xml.parse_part(content, self.archive.format_name, relationship.target), writer
                    )
                elif relationship.kind == "diagramData":
                    write_diagram(
                        safe_xml.parse_part(content, self.archive.format_name, relationship.target), writer
                    )


def write_chart(root: Element, writer: MarkdownWriter) -> None:
    """Write the title and a table with categories as rows and series as columns."""
    title = next(root.iter("{*}title"), None)
    if title is not None:
        writer.paragraph(escape_inline(" ".join(_text(title).split())))
    tables: dict[tuple[str, ...], list[tuple[str, dict[int, str]]]] = {}
    for series in root.iter("{*}ser"):
        categories = _points(series, "cat") or _points(series, "xVal")
        values = _points(series, "val") or _points(series, "yVal")
        name = next(series.iterchildren("{*}tx"), None)
        series_name = " ".join(_text(name).split()) if name is not None else ""
        key = tuple(categories.get(index, "") for index in range(max(categories, default=-1) + 1))
        if values:
            tables.setdefault(key, []).append((series_name, values))
    for categories, columns in tables.items():
        length = max(len(categories), *(max(values) + 1 for _, values in columns))
        rows = [["", *(name for name, _ in columns)]]
        for index in range(min(length, _MAX_POINTS)):
            category = categories[index] if index < len(categories) else ""
            rows.append([category, *(values.get(index, "") for _, values in columns)])
        writer.table([[table_cell(escape_inline(text)) for text in row] for row in rows])


def write_diagram(root: Element, writer: MarkdownWriter) -> None:
    """Write the text of each shape of a diagram as a list item."""
    for point in root.iter("{*}pt"):
        text = " ".join(_text(point).split())
        if text:
            writer.paragraph(escape_inline(text), "- ", "  ", item=True)


def _text(element: Element) -> str:
    return " ".join(part.text or "" for part in element.iter("{*}t", "{*}v"))


def _points(series: Element, name: str) -> dict[int, str]:
    parent = next(series.iterchildren(f"{{*}}{name}"), None)
    points: dict[int, str] = {}
    for point in parent.iter("{*}pt") if parent is not None else ():
        index = safe_xml.parse_int(point.get("idx"), _MAX_POINTS)
        if index < _MAX_POINTS:
            points[index] = " ".join((value.text or "") for value in point.iter("{*}v"))
    return points
