"""Parses untrusted XML and HTML with lxml: no entity expansion, no network access; typed elements.

The only module that imports lxml. XML keeps libxml2's default limits (256 levels of nesting, 10 MB per
text node, no entity amplification). HTML is parsed with ``huge_tree`` (2,048 levels), as browsers do.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from importlib import import_module
from typing import Any, Protocol

from towpath import rejections

etree: Any = import_module("lxml.etree")

_DOCUMENT_END = re.compile(r"</(?:html|body)\s*>", re.IGNORECASE)
_SAFE_OPTIONS: dict[str, Any] = {
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
    @text.setter
    def text(self, value: str | None) -> None: ...
    @property
    def tail(self) -> str | None: ...
    @tail.setter
    def tail(self, value: str | None) -> None: ...
    def get(self, key: str) -> str | None: ...
    def set(self, key: str, value: str) -> None: ...
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


class ByteStream(Protocol):
    """A stream of bytes."""

    def read(self, size: int = ...) -> bytes: ...


class TreeWalk(Protocol):
    """An iterative walk over a tree that can skip subtrees; needs no recursion in Python."""

    def __iter__(self) -> Iterator[tuple[str, Element]]: ...
    def skip_subtree(self) -> None: ...


class XmlParseError(Exception):
    """The bytes are not well-formed, or exceed the parser's limits."""


def parse_xml(content: bytes) -> Element:
    """Parse well-formed XML, for callers that fall back to the HTML parser on an error."""
    try:
        root: Element | None = etree.fromstring(content, etree.XMLParser(**_SAFE_OPTIONS))
    except (etree.XMLSyntaxError, ValueError, LookupError, MemoryError) as error:
        raise XmlParseError(str(error)) from error
    if root is None:
        raise XmlParseError("no root element")
    # The node of an unexpanded entity has no tag and hides the text after it.
    if next(root.iter(etree.Entity), None) is not None:
        raise XmlParseError("refers to entities")
    return root


def parse_part(content: bytes, format_name: str, part: str) -> Element:
    """Parse a part of an Office file or a book; malformed parts and parts with entities are rejected."""
    if b"<!ENTITY" in content[:65536]:
        raise rejections.corrupt(format_name, f"part {part} declares entities")
    try:
        return parse_xml(content)
    except XmlParseError as error:
        raise rejections.corrupt(format_name, f"part {part} is not well-formed XML") from error


def stream_elements(
    source: ByteStream, tags: Sequence[str], format_name: str, part: str
) -> Iterator[Element]:
    """Yield elements with these tags as they end. The caller frees each element with ``free``."""
    try:
        doctype_checked = False
        for _, element in etree.iterparse(source, events=("end",), tag=tuple(tags), **_SAFE_OPTIONS):
            if not doctype_checked and element.getroottree().docinfo.doctype:
                raise rejections.corrupt(format_name, f"part {part} declares a document type")
            doctype_checked = True
            yield element
    except (etree.XMLSyntaxError, LookupError) as error:
        raise rejections.corrupt(format_name, f"part {part} is not well-formed XML") from error


def free_element(element: Element) -> None:
    """Free the memory of a streamed element and of its preceding siblings."""
    element.clear()
    parent = element.getparent()
    while parent is not None and element.getprevious() is not None:
        del parent[0]


def parse_html(text: str) -> Element | None:
    """The tree of the error-tolerant HTML parser; None when the markup exceeds its limits."""
    # Browsers show content after </html>; libxml2 would put it outside the tree.
    text = _DOCUMENT_END.sub("", text)
    # Encoded bytes, because lxml refuses a str that begins with an XML declaration.
    parser = etree.HTMLParser(encoding="utf-8", huge_tree=True, remove_comments=True, remove_pis=True)
    try:
        root: Element | None = etree.fromstring(text.encode("utf-8", "replace"), parser)
    except (etree.XMLSyntaxError, ValueError, MemoryError):
        return None
    if any(entry.type_name == "ERR_RESOURCE_LIMIT" for entry in parser.error_log):
        return None
    return root


def new_element(tag: str, parent: Element | None = None) -> Element:
    """A new element, added to the parent if there is one."""
    element: Element = etree.Element(tag) if parent is None else etree.SubElement(parent, tag)
    return element


def walk_tree(root: Element) -> TreeWalk:
    """A walk that yields ``("start", element)`` and ``("end", element)``."""
    tree_walk: TreeWalk = etree.iterwalk(root, events=("start", "end"))
    return tree_walk


def parse_int(text: str | None, default: int) -> int:
    """A non-negative integer of at most nine ASCII digits, else ``otherwise``."""
    text = (text or "").strip()
    return int(text) if len(text) < 10 and text.isascii() and text.isdigit() else default


def local_name(tag: str) -> str:
    """The tag without its namespace."""
    return tag.rpartition("}")[2]
