"""Bytes of a web page or of a book's chapter to a tree, in three tries: much markup is only nearly right."""

from __future__ import annotations

import re
from dataclasses import dataclass
from html.entities import html5

from towpath.providers.local import xml
from towpath.providers.local.decode import declared_encoding, decode
from towpath.providers.local.tagless import without_tags
from towpath.providers.local.xml import Element

_NAMED = re.compile(rb"&([A-Za-z_:][A-Za-z0-9_:.-]{0,63});")
_OF_XML = (b"amp", b"lt", b"gt", b"quot", b"apos")


@dataclass(frozen=True, slots=True)
class Tree:
    """The root, or only the text where the markup defies every parser."""

    root: Element | None
    text: str = ""
    warnings: tuple[str, ...] = ()


def parse_tree(content: bytes, declared: str | None = None) -> Tree:
    """Strictly when it says that it is XHTML; else as a browser would; else without its tags."""
    if b"http://www.w3.org/1999/xhtml" in content[:4096] or content[:200].lstrip().startswith(b"<?xml"):
        try:
            return Tree(_strict(content))
        except xml.Unparsable:
            pass
    decoded = decode(content, declared or declared_encoding(content))
    warnings = (decoded.warning,) if decoded.warning else ()
    root = xml.parse_html(decoded.text)
    if root is not None:
        return Tree(root, "", warnings)
    lost = "Its markup is nested too deeply to be understood: the text was kept without its structure."
    return Tree(None, without_tags(decoded.text), (*warnings, lost))


def _strict(content: bytes) -> Element:
    if b"<!ENTITY" in content:
        raise xml.Unparsable("declares entities")
    return xml.try_parse(_NAMED.sub(_character, content))


def _character(found: re.Match[bytes]) -> bytes:
    """The character that HTML's name stands for: no document type is loaded that could tell."""
    if found[1] in _OF_XML:
        return found[0]
    character = html5.get(found[1].decode("ascii") + ";")
    if character is None:
        raise xml.Unparsable("refers to an unknown entity")
    # As a number, which is right in every encoding the file may be written in.
    return "".join(f"&#{ord(sign)};" for sign in character).encode("ascii")
