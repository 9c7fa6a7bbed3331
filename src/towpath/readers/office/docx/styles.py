"""Parses Word styles: which are headings, quotes or list items, including inherited properties."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from towpath.readers.common.safe_xml import Element, parse_int

_HEADING_NAME = re.compile(r"heading ([1-9])")
_MAX_INHERITANCE = 20
_BODY_TEXT_LEVEL = 9
_OFF = ("0", "false", "off", "none")
MAX_LIST_DEPTH = 8


Properties = dict[str, Element]


@dataclass(frozen=True, slots=True)
class Style:
    """A paragraph style: ``level`` from 1, None for body text; ``numbering`` is list id and depth."""

    level: int | None = None
    is_quote: bool = False
    numbering: tuple[str, int] | None = None


@dataclass(frozen=True, slots=True)
class Styles:
    """The paragraph styles by id."""

    by_id: dict[str, Style]

    def get(self, style_id: str | None) -> Style:
        return self.by_id.get(style_id or "", _DEFAULT_STYLE)


_DEFAULT_STYLE = Style()


def read_styles(root: Element | None) -> Styles:
    """Parse the styles part; None gives no styles."""
    if root is None:
        return Styles({})
    ns = namespace(root)
    elements = {element.get(f"{ns}styleId") or "": element for element in root.iter(f"{ns}style")}
    return Styles({name: _resolve(name, elements, ns) for name in elements})


def _resolve(name: str, elements: dict[str, Element], ns: str) -> Style:
    """The properties of a style, with missing ones taken from the styles it is based on."""
    style = Style()
    for _ in range(_MAX_INHERITANCE):
        element = elements.get(name)
        if element is None:
            break
        declared = _declared_style(element, ns)
        style = replace(
            style,
            level=declared.level if style.level is None else style.level,
            is_quote=declared.is_quote or style.is_quote,
            numbering=style.numbering or declared.numbering,
        )
        name = property_value(element.find(f"{ns}basedOn"), ns) or ""
    return replace(style, level=None) if style.level == _BODY_TEXT_LEVEL + 1 else style


def _declared_style(element: Element, ns: str) -> Style:
    name = (property_value(element.find(f"{ns}name"), ns) or "").lower()
    heading = _HEADING_NAME.fullmatch(name)
    level = 1 if name == "title" else int(heading[1]) if heading else None
    properties = properties_of(element.find(f"{ns}pPr"), ns)
    return Style(outline_level(properties, ns) or level, "quote" in name, numbering_of(properties, ns))


def properties_of(element: Element | None, ns: str) -> Properties:
    """The children of a properties element by name: three times as fast as a lookup per property."""
    prefix_length = len(ns)
    return {child.tag[prefix_length:]: child for child in element} if element is not None else {}


def outline_level(properties: Properties, ns: str) -> int | None:
    """The outline level in a paragraph's properties, from 1; 10 means body text despite the style."""
    element = properties.get("outlineLvl")
    level = (
        parse_int(property_value(element, ns), _BODY_TEXT_LEVEL + 1)
        if element is not None
        else _BODY_TEXT_LEVEL + 1
    )
    return level + 1 if level <= _BODY_TEXT_LEVEL else None


def numbering_of(properties: Properties, ns: str) -> tuple[str, int] | None:
    """List id and depth in a paragraph's properties."""
    element = properties.get("numPr")
    if element is None:
        return None
    depth = parse_int(property_value(element.find(f"{ns}ilvl"), ns), 0)
    return property_value(element.find(f"{ns}numId"), ns) or "", min(depth, MAX_LIST_DEPTH)


def is_on(element: Element | None, ns: str) -> bool:
    """True if a boolean property is on; present without a value means on."""
    return element is not None and element.get(f"{ns}val") not in _OFF


def namespace(element: Element) -> str:
    """The namespace of a tag in braces; it differs between the two editions of the standard."""
    return element.tag[: element.tag.rfind("}") + 1]


def property_value(element: Element | None, ns: str) -> str | None:
    """The attribute ``val`` of a property."""
    return element.get(f"{ns}val") if element is not None else None
