"""Parses HTML and XHTML bytes: as strict XML, then as tolerant HTML, then as text without tags."""

from __future__ import annotations

import re
from dataclasses import dataclass
from html.entities import html5

from towpath.readers.common import safe_xml
from towpath.readers.common.encoding import declared_encoding, decode
from towpath.readers.common.safe_xml import Element
from towpath.readers.html.strip_tags import strip_tags

_NAMED_ENTITY = re.compile(rb"&([A-Za-z_:][A-Za-z0-9_:.-]{0,63});")
_XML_ENTITIES = (b"amp", b"lt", b"gt", b"quot", b"apos")


@dataclass(frozen=True, slots=True)
class ParsedMarkup:
    """The root element, or only the text if no parser accepts the markup."""

    root: Element | None
    text: str = ""
    warnings: tuple[str, ...] = ()


def parse_markup(content: bytes, declared: str | None = None) -> ParsedMarkup:
    """Parse as XML if the content declares XHTML; else as a browser would; else strip the tags."""
    if b"http://www.w3.org/1999/xhtml" in content[:4096] or content[:200].lstrip().startswith(b"<?xml"):
        try:
            return ParsedMarkup(_parse_xhtml(content))
        except safe_xml.XmlParseError:
            pass
    decoded = decode(content, declared or declared_encoding(content))
    warnings = (decoded.warning,) if decoded.warning else ()
    root = safe_xml.parse_html(decoded.text)
    if root is not None:
        return ParsedMarkup(root, "", warnings)
    structure_lost = "The markup is nested too deeply to parse; the text was kept without its structure."
    return ParsedMarkup(None, strip_tags(decoded.text), (*warnings, structure_lost))


def _parse_xhtml(content: bytes) -> Element:
    if b"<!ENTITY" in content:
        raise safe_xml.XmlParseError("declares entities")
    return safe_xml.parse_xml(_NAMED_ENTITY.sub(_numeric_reference, content))


def _numeric_reference(match: re.Match[bytes]) -> bytes:
    """Replace a named HTML entity: no DTD is loaded that defines it for the XML parser."""
    if match[1] in _XML_ENTITIES:
        return match[0]
    text = html5.get(match[1].decode("ascii") + ";")
    if text is None:
        raise safe_xml.XmlParseError("refers to an unknown entity")
    # As a numeric reference, which is valid in every encoding of the file.
    return "".join(f"&#{ord(character)};" for character in text).encode("ascii")
