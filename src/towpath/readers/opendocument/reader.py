"""Reads OpenDocument texts (.odt) and presentations (.odp)."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from towpath import rejections
from towpath.model.content import Extraction, Page
from towpath.readers.common import safe_xml
from towpath.readers.common.markdown_writer import MarkdownWriter, escape_inline
from towpath.readers.common.page_breaks import blocks_with_pages, pages_from_starts
from towpath.readers.common.safe_xml import Element
from towpath.readers.common.safe_zip import Archive, open_archive
from towpath.readers.html.html_to_markdown import HtmlToMarkdown
from towpath.readers.opendocument.content import ContentConverter, PageHooks, StyleTable

TEXT_NAME = "OpenDocument text"
SLIDES_NAME = "OpenDocument presentation"

_OFFICE = "{urn:oasis:names:tc:opendocument:xmlns:office:1.0}"
_DRAW = "{urn:oasis:names:tc:opendocument:xmlns:drawing:1.0}"
_PRESENTATION = "{urn:oasis:names:tc:opendocument:xmlns:presentation:1.0}"
_SEPARATED = frozenset(("p", "h", "line-break", "tab", "s"))
_METADATA_NAMES = {
    "title": "title",
    "creator": "authors",
    "initial-creator": "authors",
    "subject": "subject",
    "keyword": "keywords",
    "description": "description",
    "language": "language",
    "creation-date": "created",
    "date": "modified",
}


def read_odt(path: Path, progress: Callable[[int, int], None]) -> Extraction:
    """Read the text. Pages come from the page breaks that the program stored, if it stored any."""
    with open_archive(path, TEXT_NAME) as archive:
        body, styles = _open(archive, "text")
        metadata = read_metadata(archive)
    converter = ContentConverter(styles)
    for element in body:
        converter.convert(element)
    writer = MarkdownWriter()
    HtmlToMarkdown(writer, PageHooks()).convert(converter.tree.root)
    text = writer.text()
    if not text.strip():
        raise rejections.empty(TEXT_NAME)
    progress(1, 1)
    pages = pages_from_starts(text, [offset for offset, _ in writer.pages]) if writer.pages else ()
    return Extraction(
        text, "towpath-odt/1", pages, blocks_with_pages(pages, writer.blocks), metadata=metadata
    )


def read_odp(path: Path, progress: Callable[[int, int], None]) -> Extraction:
    """Read the slides, each as a page with its title as heading; notes follow the slide."""
    writer = MarkdownWriter()
    pages: list[Page] = []
    with open_archive(path, SLIDES_NAME) as archive:
        body, styles = _open(archive, "presentation")
        metadata = read_metadata(archive)
    slides = [element for element in body if element.tag == f"{_DRAW}page"]
    has_text = False
    for number, slide in enumerate(slides, start=1):
        start = writer.length + 2 if writer.length else 0
        label, wrote = _write_slide(slide, styles, number, writer)
        has_text = has_text or wrote
        pages.append(Page(number, start, writer.length, label))
        progress(number, len(slides))
    if not has_text:
        raise rejections.empty(SLIDES_NAME)
    return Extraction(
        writer.text(),
        "towpath-odp/1",
        tuple(pages),
        blocks_with_pages(pages, writer.blocks),
        metadata=metadata,
    )


def _write_slide(slide: Element, styles: StyleTable, number: int, writer: MarkdownWriter) -> tuple[str, bool]:
    """Write one slide; its title, and whether it has text."""
    frames = list(slide)
    title_frame = next((frame for frame in frames if frame.get(f"{_PRESENTATION}class") == "title"), None)
    words = _words(title_frame) if title_frame is not None else ""
    title = words or f"Slide {number}"
    writer.heading(1, escape_inline(title))
    converter = ContentConverter(styles)
    for frame in frames:
        if frame is not title_frame:
            converter.convert(frame)
    notes = slide.find(f"{_PRESENTATION}notes")
    note_text = _words(notes) if notes is not None else ""
    blocks = len(writer.blocks)
    HtmlToMarkdown(writer).convert(converter.tree.root)
    if note_text:
        writer.paragraph(f"Notes: {escape_inline(note_text)}")
    return title, bool(words) or len(writer.blocks) > blocks


def _words(element: Element) -> str:
    """The text in one line, with a blank between paragraphs and for each line break, tab and blank element."""
    return " ".join(_text(element).split())


def _text(element: Element) -> str:
    """The XML parser limits the nesting, so recursion is safe."""
    parts = [element.text or ""]
    for child in element:
        parts.append(" " if safe_xml.local_name(child.tag) in _SEPARATED else "")
        parts += (_text(child), child.tail or "")
    return "".join(parts)


def _open(archive: Archive, kind: str) -> tuple[Element, StyleTable]:
    if b"encryption-data" in (archive.read_optional("META-INF/manifest.xml") or b""):
        raise rejections.encrypted(archive.format_name)
    content = safe_xml.parse_part(archive.read("content.xml"), archive.format_name, "content.xml")
    body = content.find(f"{_OFFICE}body/{_OFFICE}{kind}")
    if body is None:
        raise rejections.corrupt(archive.format_name, "its content is missing")
    styles = StyleTable()
    styles.add(content)
    named_styles = archive.read_optional("styles.xml")
    if named_styles is not None:
        styles.add(safe_xml.parse_part(named_styles, archive.format_name, "styles.xml"))
    return body, styles


def read_metadata(archive: Archive) -> dict[str, str]:
    """Title, authors and dates of meta.xml; malformed metadata counts as none."""
    content = archive.read_optional("meta.xml")
    if content is None:
        return {}
    try:
        root = safe_xml.parse_xml(content)
    except safe_xml.XmlParseError:
        return {}
    values: dict[str, str] = {}
    for element in root.iterdescendants():
        name = _METADATA_NAMES.get(safe_xml.local_name(element.tag))
        value = " ".join((element.text or "").split())
        if name and value:
            values.setdefault(name, value)
    return values
