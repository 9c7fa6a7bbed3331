"""EPUB hooks for the HTML conversion: notes across chapters, printed pages, missing titles."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from towpath.readers.common import safe_xml
from towpath.readers.common.safe_xml import Element
from towpath.readers.epub.package import resolve_reference
from towpath.readers.html.hooks import MarkupHooks

_EPUB_TYPE = "{http://www.idpf.org/2007/ops}type"
_NOTE_ROLES = frozenset(("footnote", "endnote", "rearnote", "note", "doc-footnote", "doc-endnote"))
_REFERENCE_ROLES = frozenset(("noteref", "doc-noteref"))
_BACK_LINK_ROLES = frozenset(("backlink", "referrer", "doc-backlink"))
_NOTE_MARK = re.compile(r"[\[(]?(?:\d{1,4}|[*†‡§¶]{1,4})[\])]?")
_NOTE_CLASS = re.compile(r"\b(?:footnote|endnote|noteref|note-ref|fnref|footnote-ref(?:erence)?)\b")
_MAX_BACK_LINK_LENGTH = 12

Target = tuple[str, str]


@dataclass(slots=True)
class EpubHooks(MarkupHooks):
    """Numbers notes in the order of their references in the whole book."""

    path: str = ""
    titles: dict[str, tuple[int, str]] = field(default_factory=dict[str, tuple[int, str]])
    _note_numbers: dict[Target, int] = field(default_factory=dict[Target, int])
    _written_notes: set[Target] = field(default_factory=set[Target])
    _references: set[Target] = field(default_factory=set[Target])

    def begin_chapter(self, path: str, titles: dict[str, tuple[int, str]]) -> None:
        """Begin a chapter. ``titles`` are headings to insert, by the id of the element they precede."""
        self.path = path
        self.titles = titles

    def page_label(self, element: Element) -> str | None:
        roles = _roles(element)
        if "pagebreak" not in roles and "doc-pagebreak" not in roles:
            return None
        for label in (element.get("title"), element.get("aria-label"), "".join(element.itertext())):
            if label and label.strip():
                return label.strip().removeprefix("Page ").rstrip(".")
        digits = re.search(r"\d{1,9}$", element.get("id") or "")
        return digits[0] if digits else ""

    def note_reference(self, link: Element) -> str | None:
        target = resolve_reference(self.path, link.get("href") or "")
        if not target[1] or target in self._references:
            return None
        if not _REFERENCE_ROLES & set(_roles(link)) and not _looks_like_reference(link):
            return None
        parent = link.getparent()
        for owner in (link, parent):
            if owner is not None and (name := owner.get("id")):
                self._references.add((self.path, name))
        return f"[^{self._note_numbers.setdefault(target, len(self._note_numbers) + 1)}]"

    def is_back_link(self, link: Element) -> bool:
        if _BACK_LINK_ROLES & set(_roles(link)):
            return True
        target = resolve_reference(self.path, link.get("href") or "")
        return target in self._references and len("".join(link.itertext())) <= _MAX_BACK_LINK_LENGTH

    def note_prefix(self, element: Element) -> str | None:
        name = element.get("id")
        if not name:
            return None
        target = (self.path, name)
        if target in self._written_notes or (
            target not in self._note_numbers and not _NOTE_ROLES & set(_roles(element))
        ):
            return None
        self._written_notes.add(target)
        return f"[^{self._note_numbers.setdefault(target, len(self._note_numbers) + 1)}]: "

    def title_before(self, element: Element) -> tuple[int, str] | None:
        return self.titles.pop(element.get("id") or "", None) if self.titles else None


def _roles(element: Element) -> list[str]:
    roles = (element.get(_EPUB_TYPE) or element.get("epub:type") or "") + " " + (element.get("role") or "")
    return roles.split()


def _looks_like_reference(link: Element) -> bool:
    """Detects note references of EPUB 2, which has no markup for them.

    A reference is a link with a number or star as text, raised or with a note's class name.
    """
    parent = link.getparent()
    is_superscript = (parent is not None and safe_xml.local_name(parent.tag) == "sup") or (
        len(link) == 1 and safe_xml.local_name(link[0].tag) == "sup"
    )
    has_note_class = _NOTE_CLASS.search(link.get("class") or "") is not None
    return (is_superscript or has_note_class) and _NOTE_MARK.fullmatch(
        "".join(link.itertext()).strip()
    ) is not None
