"""Reads what Word, PowerPoint and Excel files share: relationships between parts, document properties.

The two editions of the standard (transitional, strict) use different prefixes of relationship types,
so only the last path segment of a type is compared.
"""

from __future__ import annotations

import posixpath
from dataclasses import dataclass
from urllib.parse import unquote

from towpath import rejections
from towpath.readers.common import safe_xml
from towpath.readers.common.safe_xml import Element
from towpath.readers.common.safe_zip import Archive

_PROPERTY_NAMES = {
    "title": "title",
    "creator": "authors",
    "subject": "subject",
    "keywords": "keywords",
    "description": "description",
    "language": "language",
    "created": "created",
    "modified": "modified",
}


@dataclass(frozen=True, slots=True)
class Relationship:
    """A reference from one part. ``target`` is the path of a part, or a URL if ``is_external``."""

    kind: str
    target: str
    is_external: bool


def relationships(archive: Archive, part: str) -> dict[str, Relationship]:
    """The relationships of a part by id; an empty ``part`` means the package."""
    folder, name = posixpath.split(part)
    path = posixpath.join(folder, "_rels", f"{name}.rels")
    content = archive.read_optional(path)
    if content is None:
        return {}
    by_id: dict[str, Relationship] = {}
    for element in safe_xml.parse_part(content, archive.format_name, path).iter("{*}Relationship"):
        is_external = element.get("TargetMode") == "External"
        target = element.get("Target") or ""
        if not is_external:
            target = posixpath.normpath(posixpath.join("/", folder, unquote(target))).lstrip("/")
        kind = (element.get("Type") or "").rpartition("/")[2]
        by_id[element.get("Id") or ""] = Relationship(kind, target, is_external)
    return by_id


def main_part(archive: Archive, default: str) -> str:
    """The main document part; ``usual`` if the package does not name one."""
    for relationship in relationships(archive, "").values():
        if relationship.kind == "officeDocument" and relationship.target in archive:
            return relationship.target
    if default in archive:
        return default
    raise rejections.corrupt(archive.format_name, "its main part is missing")


def related_part(relationships: dict[str, Relationship], kind: str) -> str | None:
    """The path of the first related part of this kind, or None."""
    return next(
        (
            relationship.target
            for relationship in relationships.values()
            if relationship.kind == kind and not relationship.is_external
        ),
        None,
    )


def referenced_relationship(element: Element, relationships: dict[str, Relationship]) -> Relationship | None:
    """The relationship whose id is one of the element's attribute values, or None."""
    return next((relationships[value] for value in element.values() if value in relationships), None)


def core_properties(archive: Archive) -> dict[str, str]:
    """The core properties (title, authors, dates). Malformed properties count as none."""
    part = related_part(relationships(archive, ""), "core-properties") or "docProps/core.xml"
    content = archive.read_optional(part)
    if content is None:
        return {}
    try:
        root = safe_xml.parse_xml(content)
    except safe_xml.XmlParseError:
        return {}
    values: dict[str, str] = {}
    for element in root:
        name = _PROPERTY_NAMES.get(safe_xml.local_name(element.tag))
        value = " ".join((element.text or "").split())
        if name and value:
            values.setdefault(name, value)
    return values
