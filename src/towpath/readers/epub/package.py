"""Parses the package file of an EPUB book: chapters in reading order, navigation, metadata."""

from __future__ import annotations

import posixpath
from dataclasses import dataclass
from urllib.parse import unquote

from towpath import rejections
from towpath.readers.common import safe_xml
from towpath.readers.common.safe_xml import Element
from towpath.readers.common.safe_zip import Archive
from towpath.readers.html.strip_tags import strip_tags

FORMAT_NAME = "EPUB book"

_FONT_OBFUSCATION = ("http://www.idpf.org/2008/embedding", "http://ns.adobe.com/pdf/enc#RC")
_FONT_SUFFIXES = (".otf", ".ttf", ".woff", ".woff2", ".dfont", ".ttc")
_METADATA_FIELDS = {
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
class ManifestItem:
    """One file of the book, from the manifest."""

    path: str
    media_type: str
    properties: tuple[str, ...]

    @property
    def is_text(self) -> bool:
        return "html" in self.media_type or "svg" in self.media_type or "dtbook" in self.media_type


@dataclass(frozen=True, slots=True)
class Package:
    """The package file: ``navigation`` is EPUB 3's document, ``ncx`` EPUB 2's NCX."""

    metadata: dict[str, str]
    chapters: tuple[ManifestItem, ...]
    navigation: ManifestItem | None
    ncx: ManifestItem | None


def open_package(archive: Archive) -> Package:
    """Parse the package file; copy-protected books are rejected."""
    path = _package_path(archive)
    root = safe_xml.parse_part(archive.read(path), FORMAT_NAME, path)
    _reject_copy_protected(archive)
    folder = posixpath.dirname(path)
    items = {item.get("id"): _parse_item(item, folder) for item in root.iter("{*}item")}
    spine = [items[key] for ref in root.iter("{*}itemref") if (key := ref.get("idref")) in items]
    navigation = next((item for item in items.values() if "nav" in item.properties), None)
    ncx = next((item for item in items.values() if "ncx" in item.media_type), None)
    # Without the contents page: it repeats every title, and search would rank it first.
    chapters = [item for item in (spine or items.values()) if item.is_text and item is not navigation]
    return Package(_metadata(root), tuple(dict.fromkeys(chapters)), navigation, ncx)


def resolve_reference(base: str, reference: str) -> tuple[str, str]:
    """Path and fragment of a reference in the file ``base``."""
    target, _, fragment = reference.partition("#")
    if not target:
        return base, unquote(fragment)
    return posixpath.normpath(posixpath.join(posixpath.dirname(base), unquote(target))), unquote(fragment)


def _package_path(archive: Archive) -> str:
    container = archive.read_optional("META-INF/container.xml")
    if container is not None:
        for rootfile in safe_xml.parse_part(container, FORMAT_NAME, "META-INF/container.xml").iter(
            "{*}rootfile"
        ):
            path = unquote(rootfile.get("full-path") or "")
            if path in archive:
                return path
    for name in archive.names():
        if name.lower().endswith(".opf"):
            return name
    raise rejections.corrupt(FORMAT_NAME, "it has no package file (.opf)")


def _parse_item(item: Element, folder: str) -> ManifestItem:
    path, _ = resolve_reference(posixpath.join(folder, "package"), item.get("href") or "")
    return ManifestItem(
        path, (item.get("media-type") or "").lower(), tuple((item.get("properties") or "").split())
    )


def _metadata(root: Element) -> dict[str, str]:
    """Dublin Core elements. Several authors or subjects are joined; of other elements the first is used."""
    values: dict[str, list[str]] = {}
    for element in root.iter(*(f"{{*}}{name}" for name in _METADATA_FIELDS)):
        value = " ".join(strip_tags("".join(element.itertext())).split())
        if value and "purl.org/dc" in element.tag:
            values.setdefault(_METADATA_FIELDS[safe_xml.local_name(element.tag)], []).append(value)
    multiple = ("authors", "subject")
    return {name: "; ".join(texts) if name in multiple else texts[0] for name, texts in values.items()}


def _reject_copy_protected(archive: Archive) -> None:
    """Reject books with encrypted files other than fonts: obfuscated fonts are common and harmless."""
    part = "META-INF/encryption.xml"
    content = archive.read_optional(part)
    if content is None:
        return
    for data in safe_xml.parse_part(content, FORMAT_NAME, part).iter("{*}EncryptedData"):
        method = data.find("{*}EncryptionMethod")
        algorithm = method.get("Algorithm") if method is not None else None
        names = [(reference.get("URI") or "").lower() for reference in data.iter("{*}CipherReference")]
        if algorithm not in _FONT_OBFUSCATION and not all(name.endswith(_FONT_SUFFIXES) for name in names):
            raise rejections.copy_protected(FORMAT_NAME)
