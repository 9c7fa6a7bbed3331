"""Reads DrawingML text, the text inside shapes: paragraphs with depth and bullet."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from towpath.readers.common.inline_buffer import InlineBuffer
from towpath.readers.common.mathml import math_text
from towpath.readers.common.safe_xml import Element, local_name, parse_int
from towpath.readers.office import ooxml
from towpath.readers.office.ooxml import Relationship

_MAX_DEPTH = 8


@dataclass(frozen=True, slots=True)
class Paragraph:
    """One paragraph. ``bullet`` is None if the shape decides, "" if there is none."""

    text: str
    depth: int
    bullet: str | None


def paragraphs(body: Element, relationships: dict[str, Relationship]) -> Iterator[Paragraph]:
    """The non-empty paragraphs of a text body."""
    for element in body.iter("{*}p"):
        text = _paragraph_text(element, relationships)
        if text:
            properties = element.find("{*}pPr")
            depth = parse_int(properties.get("lvl") if properties is not None else None, 0)
            yield Paragraph(text, min(depth, _MAX_DEPTH), _bullet(properties))


def flat_text(body: Element, relationships: dict[str, Relationship]) -> str:
    """All paragraphs of a text body on one line."""
    return " ".join(paragraph.text.replace("\n", " ") for paragraph in paragraphs(body, relationships))


def _bullet(properties: Element | None) -> str | None:
    for child in properties if properties is not None else ():
        name = local_name(child.tag)
        if name == "buNone":
            return ""
        if name == "buAutoNum":
            return "1."
        if name in ("buChar", "buBlip"):
            return "-"
    return None


def _paragraph_text(paragraph: Element, relationships: dict[str, Relationship]) -> str:
    inline = InlineBuffer()
    for child in paragraph.iter("{*}r", "{*}br", "{*}fld", "{*}oMath"):
        name = local_name(child.tag)
        if name == "br":
            inline.add_line_break()
        elif name == "oMath":
            inline.add_text(f" {math_text(child)} ")
        elif "/drawingml/" in child.tag:
            _add_run(inline, child, relationships)
    return "" if inline.is_blank else inline.pop_markdown().strip()


def _add_run(inline: InlineBuffer, run: Element, relationships: dict[str, Relationship]) -> None:
    properties = run.find("{*}rPr")
    styles = [name for name in ("b", "i") if properties is not None and properties.get(name) in ("1", "true")]
    click = properties.find("{*}hlinkClick") if properties is not None else None
    address = _address(click, relationships)
    if address:
        inline.open_element(run)
    for name in styles:
        inline.open_style(name)
    for text in run.iterchildren("{*}t"):
        if text.text:
            inline.add_text(text.text)
    for name in reversed(styles):
        inline.close_style(name)
    if address:
        inline.close_link(run, address)


def _address(click: Element | None, relationships: dict[str, Relationship]) -> str:
    relationship = ooxml.referenced_relationship(click, relationships) if click is not None else None
    return relationship.target if relationship is not None and relationship.is_external else ""
