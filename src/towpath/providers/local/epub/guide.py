"""What the walk over a chapter asks of the book: notes across chapters, printed pages, titles."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from towpath.providers.local import xml
from towpath.providers.local.epub.package import resolve
from towpath.providers.local.guide import Guide
from towpath.providers.local.xml import Element

_TYPE = "{http://www.idpf.org/2007/ops}type"
_NOTES = frozenset(("footnote", "endnote", "rearnote", "note", "doc-footnote", "doc-endnote"))
_REFERENCES = frozenset(("noteref", "doc-noteref"))
_WAYS_BACK = frozenset(("backlink", "referrer", "doc-backlink"))
_NOTE_SIGN = re.compile(r"[\[(]?(?:\d{1,4}|[*†‡§¶]{1,4})[\])]?")
_NOTE_CLASS = re.compile(r"\b(?:footnote|endnote|noteref|note-ref|fnref|footnote-ref(?:erence)?)\b")
_LONGEST_WAY_BACK = 12

Place = tuple[str, str]


@dataclass(slots=True)
class BookGuide(Guide):
    """Numbers notes in the order of their references, through the whole book."""

    path: str = ""
    titles: dict[str, tuple[int, str]] = field(default_factory=dict[str, tuple[int, str]])
    _numbers: dict[Place, int] = field(default_factory=dict[Place, int])
    _written: set[Place] = field(default_factory=set[Place])
    _references: set[Place] = field(default_factory=set[Place])

    def enter(self, path: str, titles: dict[str, tuple[int, str]]) -> None:
        """Begin a chapter; ``titles`` are the headings it lacks, by the ids where they belong."""
        self.path = path
        self.titles = titles

    def page_label(self, element: Element) -> str | None:
        roles = _roles(element)
        if "pagebreak" not in roles and "doc-pagebreak" not in roles:
            return None
        for label in (element.get("title"), element.get("aria-label"), "".join(element.itertext())):
            if label and label.strip():
                return label.strip().removeprefix("Page ").rstrip(".")
        digits = re.search(r"\d+$", element.get("id") or "")
        return digits[0] if digits else ""

    def note_reference(self, link: Element) -> str | None:
        place = resolve(self.path, link.get("href") or "")
        if not place[1] or place in self._references:
            return None
        if not _REFERENCES & set(_roles(link)) and not _looks_like_reference(link):
            return None
        parent = link.getparent()
        for owner in (link, parent):
            if owner is not None and (name := owner.get("id")):
                self._references.add((self.path, name))
        return f"[^{self._numbers.setdefault(place, len(self._numbers) + 1)}]"

    def leads_back(self, link: Element) -> bool:
        if _WAYS_BACK & set(_roles(link)):
            return True
        place = resolve(self.path, link.get("href") or "")
        return place in self._references and len("".join(link.itertext())) <= _LONGEST_WAY_BACK

    def note(self, element: Element) -> str | None:
        name = element.get("id")
        if not name:
            return None
        place = (self.path, name)
        if place in self._written or (place not in self._numbers and not _NOTES & set(_roles(element))):
            return None
        self._written.add(place)
        return f"[^{self._numbers.setdefault(place, len(self._numbers) + 1)}]: "

    def title_at(self, element: Element) -> tuple[int, str] | None:
        return self.titles.pop(element.get("id") or "", None) if self.titles else None


def _roles(element: Element) -> list[str]:
    stated = (element.get(_TYPE) or element.get("epub:type") or "") + " " + (element.get("role") or "")
    return stated.split()


def _looks_like_reference(link: Element) -> bool:
    """EPUB 2 has no name for it: a number or star that leads somewhere, raised or classed as a note."""
    parent = link.getparent()
    raised = (parent is not None and xml.local_name(parent.tag) == "sup") or (
        len(link) == 1 and xml.local_name(link[0].tag) == "sup"
    )
    named = _NOTE_CLASS.search(link.get("class") or "") is not None
    return (raised or named) and _NOTE_SIGN.fullmatch("".join(link.itertext()).strip()) is not None
