"""The one door to lxml: parsers that expand no entities and fetch nothing, and types for what comes out.

libxml2 stays in its careful mode for XML (256 levels of nesting, 10 MB of text in one place, no
amplification by entities); HTML is parsed in the roomy one, 2,048 levels, since browsers allow it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from importlib import import_module
from typing import Any, Protocol

from towpath.providers.local import refusals

etree: Any = import_module("lxml.etree")

_DOCUMENT_END = re.compile(r"</(?:html|body)\s*>", re.IGNORECASE)
_SAFE: dict[str, Any] = {
    "resolve_entities": False,
    "no_network": True,
    "load_dtd": False,
    "huge_tree": False,
    "remove_comments": True,
    "remove_pis": True,
}


class Element(Protocol):
    """The part of lxml's elements that the readers use."""

    @property
    def tag(self) -> str: ...
    @property
    def text(self) -> str | None: ...
    @property
    def tail(self) -> str | None: ...
    def get(self, key: str) -> str | None: ...
    def keys(self) -> list[str]: ...
    def values(self) -> list[str]: ...
    def find(self, path: str) -> Element | None: ...
    def iter(self, *tags: str) -> Iterator[Element]: ...
    def iterdescendants(self, *tags: str) -> Iterator[Element]: ...
    def itertext(self) -> Iterator[str]: ...
    def iterchildren(self, *tags: str) -> Iterator[Element]: ...
    def getparent(self) -> Element | None: ...
    def getnext(self) -> Element | None: ...
    def getprevious(self) -> Element | None: ...
    def clear(self) -> None: ...
    def __iter__(self) -> Iterator[Element]: ...
    def __len__(self) -> int: ...
    def __delitem__(self, index: int) -> None: ...
    def __getitem__(self, index: int) -> Element: ...


class Readable(Protocol):
    def read(self, size: int = ...) -> bytes: ...


class TreeWalk(Protocol):
    """A walk over a tree in which a subtree can be passed over; uses no stack of Python's."""

    def __iter__(self) -> Iterator[tuple[str, Element]]: ...
    def skip_subtree(self) -> None: ...


class Unparsable(Exception):
    """The bytes are not well-formed, or exceed the parser's limits."""


def try_parse(content: bytes) -> Element:
    """Parse strictly; raises ``Unparsable``. For XML that has a second chance in the HTML parser."""
    try:
        root: Element | None = etree.fromstring(content, etree.XMLParser(**_SAFE))
    except (etree.XMLSyntaxError, ValueError, LookupError, MemoryError) as error:
        raise Unparsable(str(error)) from error
    if root is None:
        raise Unparsable("no root element")
    # What is left of an entity that was not expanded has no tag and hides the text after it.
    if next(root.iter(etree.Entity), None) is not None:
        raise Unparsable("refers to entities")
    return root


def parse(content: bytes, what: str, part: str) -> Element:
    """Parse a part that must be well-formed; entities have no place in parts of Office files and books."""
    if b"<!ENTITY" in content[:65536]:
        raise refusals.corrupt(what, f"its part {part} declares entities")
    try:
        return try_parse(content)
    except Unparsable as error:
        raise refusals.corrupt(what, f"its part {part} is not well-formed") from error


def stream(source: Readable, tags: Sequence[str], what: str, part: str) -> Iterator[Element]:
    """Elements of these tags as they end, from a stream that is never held whole; the caller drops them."""
    try:
        checked = False
        for _, element in etree.iterparse(source, events=("end",), tag=tuple(tags), **_SAFE):
            if not checked and element.getroottree().docinfo.doctype:
                raise refusals.corrupt(what, f"its part {part} declares a document type")
            checked = True
            yield element
    except (etree.XMLSyntaxError, LookupError) as error:
        raise refusals.corrupt(what, f"its part {part} is not well-formed") from error


def drop(element: Element) -> None:
    """Forget a streamed element and all that stands before it under the same parent."""
    element.clear()
    parent = element.getparent()
    while parent is not None and element.getprevious() is not None:
        del parent[0]


def parse_html(text: str) -> Element | None:
    """The tree a forgiving parser sees; None when the markup exceeds even its limits."""
    # What follows the end of the document is shown by browsers; libxml2 would put it outside the tree.
    text = _DOCUMENT_END.sub("", text)
    # Bytes of a named encoding, since lxml refuses a str that begins with an XML declaration.
    parser = etree.HTMLParser(encoding="utf-8", huge_tree=True, remove_comments=True, remove_pis=True)
    try:
        root: Element | None = etree.fromstring(text.encode("utf-8", "replace"), parser)
    except (etree.XMLSyntaxError, ValueError, MemoryError):
        return None
    if any(entry.type_name == "ERR_RESOURCE_LIMIT" for entry in parser.error_log):
        return None
    return root


def walk(root: Element) -> TreeWalk:
    tree_walk: TreeWalk = etree.iterwalk(root, events=("start", "end"))
    return tree_walk


def whole_number(text: str | None, otherwise: int) -> int:
    """A number that a file states, when it is one of at most nine plain digits."""
    text = (text or "").strip()
    return int(text) if len(text) < 10 and text.isascii() and text.isdigit() else otherwise


def local_name(tag: str) -> str:
    return tag.rpartition("}")[2]
