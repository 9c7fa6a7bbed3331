"""The table of contents of a book, from the navigation document of EPUB 3 or the NCX of EPUB 2."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from towpath.providers.local import xml
from towpath.providers.local.epub.package import Package, resolve
from towpath.providers.local.tree import parse_tree
from towpath.providers.local.xml import Element
from towpath.providers.local.zips import Archive

_TYPE = "{http://www.idpf.org/2007/ops}type"
_MOST_ENTRIES = 20_000
_MERE_NUMBER = re.compile(r"[\divxlcdm.]{1,8}", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Entry:
    path: str
    fragment: str
    title: str
    level: int
    label: str


def read_contents(archive: Archive, package: Package) -> list[Entry]:
    """The entries in order; empty when the book has no usable contents."""
    for item, find in ((package.navigation, _of_navigation), (package.old_navigation, _of_ncx)):
        content = archive.find(item.path) if item is not None else None
        root = parse_tree(content).root if content is not None else None
        if item is not None and root is not None:
            entries = list(islice(_labelled(item.path, find(root)), _MOST_ENTRIES))
            if entries:
                return entries
    return []


def _labelled(base: str, found: Iterator[tuple[str, str, int]]) -> Iterator[Entry]:
    """Chapters called by a mere number are labelled with the title above them too."""
    above: list[str] = []
    for reference, title, level in found:
        title = " ".join(title.split())
        if title and reference:
            del above[level - 1 :]
            label = f"{above[-1]}, {title}" if above and _MERE_NUMBER.fullmatch(title) else title
            above.append(title)
            yield Entry(*resolve(base, reference), title, level, label)


def _of_navigation(root: Element) -> Iterator[tuple[str, str, int]]:
    navs = list(root.iter("{*}nav"))
    of_contents = [nav for nav in navs if "toc" in (nav.get(_TYPE) or "").split()]
    for nav in (of_contents or navs)[:1]:
        for link in nav.iter("{*}a"):
            yield link.get("href") or "", "".join(link.itertext()), max(_depth(link, "ol"), 1)


def _of_ncx(root: Element) -> Iterator[tuple[str, str, int]]:
    for point in root.iter("{*}navPoint", "{*}navpoint"):
        text = next(point.iter("{*}text"), None)
        content = next(point.iter("{*}content"), None)
        if text is not None and content is not None:
            yield content.get("src") or "", text.text or "", _depth(point, xml.local_name(point.tag)) + 1


def _depth(element: Element, name: str) -> int:
    depth = 0
    parent = element.getparent()
    while parent is not None:
        depth += xml.local_name(parent.tag) == name
        parent = parent.getparent()
    return depth
