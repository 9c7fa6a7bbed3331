"""What Word, PowerPoint and Excel files have in common: parts, the relationships between them, properties.

Relationship types differ between the two editions of the standard only in what stands before their
last word, so that last word is what counts.
"""

from __future__ import annotations

import posixpath
from dataclasses import dataclass
from urllib.parse import unquote

from towpath.providers.local import refusals, xml
from towpath.providers.local.xml import Element
from towpath.providers.local.zips import Archive

_FACTS = {
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
    """``target`` is the path of a part, or an address outside when ``is_external``."""

    kind: str
    target: str
    is_external: bool


def relationships(archive: Archive, part: str) -> dict[str, Relationship]:
    """The relationships of a part by their ids; of the package itself when the part is empty."""
    folder, name = posixpath.split(part)
    path = posixpath.join(folder, "_rels", f"{name}.rels")
    content = archive.find(path)
    if content is None:
        return {}
    found: dict[str, Relationship] = {}
    for element in xml.parse(content, archive.what, path).iter("{*}Relationship"):
        external = element.get("TargetMode") == "External"
        target = element.get("Target") or ""
        if not external:
            target = posixpath.normpath(posixpath.join("/", folder, unquote(target))).lstrip("/")
        kind = (element.get("Type") or "").rpartition("/")[2]
        found[element.get("Id") or ""] = Relationship(kind, target, external)
    return found


def main_part(archive: Archive, usual: str) -> str:
    """The part where the document begins; where the package does not say, the usual one."""
    for relationship in relationships(archive, "").values():
        if relationship.kind == "officeDocument" and relationship.target in archive:
            return relationship.target
    if usual in archive:
        return usual
    raise refusals.corrupt(archive.what, "its main part is missing")


def related(links: dict[str, Relationship], kind: str) -> str | None:
    """The part of a kind, where there is one of it."""
    return next((link.target for link in links.values() if link.kind == kind and not link.is_external), None)


def linked(element: Element, links: dict[str, Relationship]) -> Relationship | None:
    """The relationship that one of the element's attributes names."""
    return next((links[value] for value in element.values() if value in links), None)


def properties(archive: Archive) -> dict[str, str]:
    """Title, authors, dates and the like, as the file states them; no document is refused for their sake."""
    part = related(relationships(archive, ""), "core-properties") or "docProps/core.xml"
    content = archive.find(part)
    if content is None:
        return {}
    try:
        root = xml.try_parse(content)
    except xml.Unparsable:
        return {}
    facts: dict[str, str] = {}
    for element in root:
        name = _FACTS.get(xml.local_name(element.tag))
        value = " ".join((element.text or "").split())
        if name and value:
            facts.setdefault(name, value)
    return facts
