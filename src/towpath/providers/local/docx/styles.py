"""Styles: which of them are headings, quotes or list items, through the styles they are based on."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from towpath.providers.local.xml import Element, whole_number

_HEADING_NAME = re.compile(r"heading ([1-9])")
_LONGEST_CHAIN = 20
_BODY_TEXT = 9
_OFF = ("0", "false", "off", "none")
DEEPEST_LIST = 8


Facts = dict[str, Element]


@dataclass(frozen=True, slots=True)
class Style:
    """``level`` counts from one and is None for body text; ``numbering`` is a list's id and depth."""

    level: int | None = None
    is_quote: bool = False
    numbering: tuple[str, int] | None = None


@dataclass(frozen=True, slots=True)
class Styles:
    by_id: dict[str, Style]

    def of(self, style_id: str | None) -> Style:
        return self.by_id.get(style_id or "", _PLAIN)


_PLAIN = Style()


def read_styles(root: Element | None) -> Styles:
    if root is None:
        return Styles({})
    ns = namespace(root)
    elements = {element.get(f"{ns}styleId") or "": element for element in root.iter(f"{ns}style")}
    return Styles({name: _resolved(name, elements, ns) for name in elements})


def _resolved(name: str, elements: dict[str, Element], ns: str) -> Style:
    """The style's own facts, and for the others those of the style it is based on."""
    style = Style()
    for _ in range(_LONGEST_CHAIN):
        element = elements.get(name)
        if element is None:
            break
        own = _own(element, ns)
        style = replace(
            style,
            level=own.level if style.level is None else style.level,
            is_quote=own.is_quote or style.is_quote,
            numbering=style.numbering or own.numbering,
        )
        name = value(element.find(f"{ns}basedOn"), ns) or ""
    return replace(style, level=None) if style.level == _BODY_TEXT + 1 else style


def _own(element: Element, ns: str) -> Style:
    called = (value(element.find(f"{ns}name"), ns) or "").lower()
    heading = _HEADING_NAME.fullmatch(called)
    level = 1 if called == "title" else int(heading[1]) if heading else None
    facts = facts_of(element.find(f"{ns}pPr"), ns)
    return Style(outline_level(facts, ns) or level, "quote" in called, numbering_of(facts, ns))


def facts_of(properties: Element | None, ns: str) -> Facts:
    """The children of a properties element by name; asking for each in turn takes three times as long."""
    skipped = len(ns)
    return {child.tag[skipped:]: child for child in properties} if properties is not None else {}


def outline_level(facts: Facts, ns: str) -> int | None:
    """The level stated in a paragraph's properties; ten stands for "body text, whatever the style says"."""
    stated = facts.get("outlineLvl")
    level = whole_number(value(stated, ns), _BODY_TEXT + 1) if stated is not None else _BODY_TEXT + 1
    return level + 1 if level <= _BODY_TEXT else None


def numbering_of(facts: Facts, ns: str) -> tuple[str, int] | None:
    found = facts.get("numPr")
    if found is None:
        return None
    depth = whole_number(value(found.find(f"{ns}ilvl"), ns), 0)
    return value(found.find(f"{ns}numId"), ns) or "", min(depth, DEEPEST_LIST)


def is_on(fact: Element | None, ns: str) -> bool:
    """Whether a property that is either on or off is on; present without a value means on."""
    return fact is not None and fact.get(f"{ns}val") not in _OFF


def namespace(element: Element) -> str:
    """The namespace in braces: it differs between the two editions of the standard."""
    return element.tag[: element.tag.rfind("}") + 1]


def value(element: Element | None, ns: str) -> str | None:
    return element.get(f"{ns}val") if element is not None else None
