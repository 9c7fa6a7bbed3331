"""Reads the table of contents of an EPUB book: EPUB 3's navigation document or EPUB 2's NCX."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from towpath.readers.common import safe_xml
from towpath.readers.common.safe_xml import Element
from towpath.readers.common.safe_zip import Archive
from towpath.readers.epub.package import Package, resolve_reference
from towpath.readers.html.parse_markup import parse_markup

_EPUB_TYPE = "{http://www.idpf.org/2007/ops}type"
_MAX_ENTRIES = 20_000
_NUMBER_ONLY = re.compile(r"[\divxlcdm.]{1,8}", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class ContentsEntry:
    """One line of the contents: its target, title, level, and the label for pages of this chapter."""

    path: str
    fragment: str
    title: str
    level: int
    label: str


def read_table_of_contents(archive: Archive, package: Package) -> list[ContentsEntry]:
    """The entries in order; empty if the book has no usable table of contents."""
    for item, parse in ((package.navigation, _parse_navigation), (package.ncx, _parse_ncx)):
        content = archive.read_optional(item.path) if item is not None else None
        root = parse_markup(content).root if content is not None else None
        if item is not None and root is not None:
            entries = list(islice(_entries(item.path, parse(root)), _MAX_ENTRIES))
            if entries:
                return entries
    return []


def _entries(base: str, links: Iterator[tuple[str, str, int]]) -> Iterator[ContentsEntry]:
    """The label of a chapter that is only a number begins with the title above it: "Part One, 3"."""
    parent_titles: list[str] = []
    for reference, title, level in links:
        title = " ".join(title.split())
        if title and reference:
            del parent_titles[level - 1 :]
            label = (
                f"{parent_titles[-1]}, {title}" if parent_titles and _NUMBER_ONLY.fullmatch(title) else title
            )
            parent_titles.append(title)
            yield ContentsEntry(*resolve_reference(base, reference), title, level, label)


def _parse_navigation(root: Element) -> Iterator[tuple[str, str, int]]:
    navs = list(root.iter("{*}nav"))
    contents_navs = [nav for nav in navs if "toc" in (nav.get(_EPUB_TYPE) or "").split()]
    for nav in (contents_navs or navs)[:1]:
        for link in nav.iter("{*}a"):
            yield link.get("href") or "", "".join(link.itertext()), max(_depth(link, "ol"), 1)


def _parse_ncx(root: Element) -> Iterator[tuple[str, str, int]]:
    for point in root.iter("{*}navPoint", "{*}navpoint"):
        text = next(point.iter("{*}text"), None)
        content = next(point.iter("{*}content"), None)
        if text is not None and content is not None:
            yield content.get("src") or "", text.text or "", _depth(point, safe_xml.local_name(point.tag)) + 1


def _depth(element: Element, name: str) -> int:
    depth = 0
    parent = element.getparent()
    while parent is not None:
        depth += safe_xml.local_name(parent.tag) == name
        parent = parent.getparent()
    return depth
