"""Charts and diagrams, which Office keeps in parts of their own: what they say, as tables and lists."""

from __future__ import annotations

from dataclasses import dataclass

from towpath.providers.local import xml
from towpath.providers.local.markdown import Writer, cell, escape
from towpath.providers.local.ooxml import Relationship
from towpath.providers.local.xml import Element
from towpath.providers.local.zips import Archive

_MOST_POINTS = 5_000


@dataclass(frozen=True, slots=True)
class Drawings:
    """Follows the drawings of one part to the charts and diagrams they show."""

    archive: Archive
    links: dict[str, Relationship]

    def write(self, drawing: Element, writer: Writer) -> None:
        for reference in drawing.iter("{*}chart", "{*}relIds"):
            for value in reference.values():
                link = self.links.get(value)
                content = self.archive.find(link.target) if link and not link.is_external else None
                if link is None or content is None:
                    continue
                if link.kind == "chart":
                    write_chart(xml.parse(content, self.archive.what, link.target), writer)
                elif link.kind == "diagramData":
                    write_diagram(xml.parse(content, self.archive.what, link.target), writer)


def write_chart(root: Element, writer: Writer) -> None:
    """The title, and a table of categories against the values of each series."""
    title = next(root.iter("{*}title"), None)
    if title is not None:
        writer.paragraph(escape(" ".join(_words(title).split())))
    tables: dict[tuple[str, ...], list[tuple[str, dict[int, str]]]] = {}
    for series in root.iter("{*}ser"):
        categories = _points(series, "cat") or _points(series, "xVal")
        values = _points(series, "val") or _points(series, "yVal")
        name = next(series.iterchildren("{*}tx"), None)
        named = " ".join(_words(name).split()) if name is not None else ""
        key = tuple(categories.get(index, "") for index in range(max(categories, default=-1) + 1))
        if values:
            tables.setdefault(key, []).append((named, values))
    for categories, columns in tables.items():
        length = max(len(categories), *(max(values) + 1 for _, values in columns))
        rows = [["", *(name for name, _ in columns)]]
        for index in range(min(length, _MOST_POINTS)):
            category = categories[index] if index < len(categories) else ""
            rows.append([category, *(values.get(index, "") for _, values in columns)])
        writer.table([[cell(escape(text)) for text in row] for row in rows])


def write_diagram(root: Element, writer: Writer) -> None:
    """The texts of a diagram's shapes, one item each."""
    for point in root.iter("{*}pt"):
        text = " ".join(_words(point).split())
        if text:
            writer.paragraph(escape(text), "- ", "  ", item=True)


def _words(element: Element) -> str:
    return " ".join(part.text or "" for part in element.iter("{*}t", "{*}v"))


def _points(series: Element, name: str) -> dict[int, str]:
    holder = next(series.iterchildren(f"{{*}}{name}"), None)
    points: dict[int, str] = {}
    for point in holder.iter("{*}pt") if holder is not None else ():
        index = xml.whole_number(point.get("idx"), _MOST_POINTS)
        if index < _MOST_POINTS:
            points[index] = " ".join((value.text or "") for value in point.iter("{*}v"))
    return points
