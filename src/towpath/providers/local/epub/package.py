"""The package of a book: where its chapters are, in which order, and what the book says of itself."""

from __future__ import annotations

import posixpath
from dataclasses import dataclass
from urllib.parse import unquote

from towpath.providers.local import refusals, xml
from towpath.providers.local.tagless import without_tags
from towpath.providers.local.xml import Element
from towpath.providers.local.zips import Archive

WHAT = "EPUB book"

_FONT_SCRAMBLING = ("http://www.idpf.org/2008/embedding", "http://ns.adobe.com/pdf/enc#RC")
_FONTS = (".otf", ".ttf", ".woff", ".woff2", ".dfont", ".ttc")
_FACTS = {
    "title": "title",
    "creator": "authors",
    "language": "language",
    "date": "date",
    "publisher": "publisher",
    "identifier": "identifier",
    "subject": "subject",
    "description": "description",
}


@dataclass(frozen=True, slots=True)
class Item:
    """One file of the book as its manifest lists it."""

    path: str
    media_type: str
    properties: tuple[str, ...]

    @property
    def is_text(self) -> bool:
        return "html" in self.media_type or "svg" in self.media_type or "dtbook" in self.media_type


@dataclass(frozen=True, slots=True)
class Package:
    metadata: dict[str, str]
    chapters: tuple[Item, ...]
    navigation: Item | None
    old_navigation: Item | None


def open_package(archive: Archive) -> Package:
    path = _package_path(archive)
    root = xml.parse(archive.read(path), WHAT, path)
    _refuse_protected(archive)
    folder = posixpath.dirname(path)
    items = {item.get("id"): _item(item, folder) for item in root.iter("{*}item")}
    spine = [items[key] for ref in root.iter("{*}itemref") if (key := ref.get("idref")) in items]
    navigation = next((item for item in items.values() if "nav" in item.properties), None)
    ncx = next((item for item in items.values() if "ncx" in item.media_type), None)
    # A contents page repeats every title of the book, and search would find it first.
    chapters = [item for item in (spine or items.values()) if item.is_text and item is not navigation]
    return Package(_metadata(root), tuple(dict.fromkeys(chapters)), navigation, ncx)


def resolve(base: str, reference: str) -> tuple[str, str]:
    """Path and fragment that a reference in the file ``base`` points to."""
    target, _, fragment = reference.partition("#")
    if not target:
        return base, unquote(fragment)
    return posixpath.normpath(posixpath.join(posixpath.dirname(base), unquote(target))), unquote(fragment)


def _package_path(archive: Archive) -> str:
    container = archive.find("META-INF/container.xml")
    if container is not None:
        for rootfile in xml.parse(container, WHAT, "META-INF/container.xml").iter("{*}rootfile"):
            path = unquote(rootfile.get("full-path") or "")
            if path in archive:
                return path
    for name in archive.names():
        if name.lower().endswith(".opf"):
            return name
    raise refusals.corrupt(WHAT, "it has no package file")


def _item(item: Element, folder: str) -> Item:
    path, _ = resolve(posixpath.join(folder, "package"), item.get("href") or "")
    return Item(path, (item.get("media-type") or "").lower(), tuple((item.get("properties") or "").split()))


def _metadata(root: Element) -> dict[str, str]:
    """Dublin Core elements; several authors or subjects are joined, of others the first counts."""
    facts: dict[str, list[str]] = {}
    for element in root.iter(*(f"{{*}}{name}" for name in _FACTS)):
        value = " ".join(without_tags("".join(element.itertext())).split())
        if value and "purl.org/dc" in element.tag:
            facts.setdefault(_FACTS[xml.local_name(element.tag)], []).append(value)
    joined = ("authors", "subject")
    return {name: "; ".join(found) if name in joined else found[0] for name, found in facts.items()}


def _refuse_protected(archive: Archive) -> None:
    """Scrambled fonts are common and harmless; anything else that is encrypted is copy protection."""
    part = "META-INF/encryption.xml"
    content = archive.find(part)
    if content is None:
        return
    for data in xml.parse(content, WHAT, part).iter("{*}EncryptedData"):
        method = data.find("{*}EncryptionMethod")
        algorithm = method.get("Algorithm") if method is not None else None
        names = [(found.get("URI") or "").lower() for found in data.iter("{*}CipherReference")]
        if algorithm not in _FONT_SCRAMBLING and not all(name.endswith(_FONTS) for name in names):
            raise refusals.encrypted(WHAT)
