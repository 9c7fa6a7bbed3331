"""Reads Word documents. The body is streamed, so a thousand pages need little more memory than one."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from towpath import rejections
from towpath.model.content import Extraction, Page
from towpath.readers.common import safe_xml
from towpath.readers.common.markdown_writer import PAGE_MARK, MarkdownWriter
from towpath.readers.common.page_breaks import blocks_with_pages, pages_from_starts
from towpath.readers.common.safe_xml import Element
from towpath.readers.common.safe_zip import Archive, open_archive
from towpath.readers.office import ooxml
from towpath.readers.office.charts import DrawingWriter
from towpath.readers.office.docx.body import BodyWriter
from towpath.readers.office.docx.cross_references import refers_to_numbers
from towpath.readers.office.docx.inline import InlineReader
from towpath.readers.office.docx.notes import read_notes
from towpath.readers.office.docx.numbering import read_numbering
from towpath.readers.office.docx.styles import namespace, read_styles

FORMAT_NAME = "Word document"

_BLOCK_TAGS = ("{*}p", "{*}tbl", "{*}sdt", "{*}customXml", "{*}ins", "{*}moveTo")
_BYTES_PER_REPORT = 1 << 20
# About 20,000 pages. A part of only empty paragraphs would otherwise take minutes to reach the byte limit.
_MAX_BLOCKS = 500_000


def read_docx(path: Path, progress: Callable[[int, int], None]) -> Extraction:
    """Read the body as markdown. Pages come from Word's rendered page breaks and are approximate."""
    with open_archive(path, FORMAT_NAME) as archive:
        part = ooxml.main_part(archive, "word/document.xml")
        metadata = ooxml.core_properties(archive)
        body = _read_body(archive, part, progress, keep_labels=refers_to_numbers(archive, part))
        if body.has_clauses and not body.keep_labels:
            body = _read_body(archive, part, progress, keep_labels=True)
    writer = body.writer
    text = writer.text()
    if not text.strip():
        raise rejections.empty(FORMAT_NAME)
    pages = _pages(writer, text)
    return Extraction(
        markdown=text,
        engine="towpath-docx/2",
        pages=pages,
        blocks=blocks_with_pages(pages, writer.blocks),
        metadata=metadata,
    )


def _read_body(
    archive: Archive, part: str, progress: Callable[[int, int], None], *, keep_labels: bool
) -> BodyWriter:
    body: BodyWriter | None = None
    reported_bytes = block_count = 0
    with archive.open_part(part) as source:
        for element in safe_xml.stream_elements(source, _BLOCK_TAGS, FORMAT_NAME, part):
            if source.inflated_bytes >= reported_bytes + _BYTES_PER_REPORT:
                reported_bytes = source.inflated_bytes
                progress(reported_bytes, source.declared_bytes)
            parent = element.getparent()
            if parent is None or not parent.tag.endswith("}body"):
                continue
            if body is None:
                body = _open_body(archive, part, namespace(parent), keep_labels)
            block_count += 1
            if block_count > _MAX_BLOCKS:
                raise rejections.too_large(FORMAT_NAME, f"it has more than {_MAX_BLOCKS:,} paragraphs")
            _write_block(body, element)
            safe_xml.free_element(element)
    if body is None:
        raise rejections.empty(FORMAT_NAME)
    body.finish()
    progress(1, 1)
    return body


def _write_block(body: BodyWriter, block: Element) -> None:
    try:
        body.write(block)
    except RecursionError as error:
        raise rejections.corrupt(FORMAT_NAME, "its tables or text boxes are nested too deeply") from error


def _open_body(archive: Archive, part: str, ns: str, keep_labels: bool) -> BodyWriter:
    relationships = ooxml.relationships(archive, part)

    def related(kind: str) -> Element | None:
        target = ooxml.related_part(relationships, kind)
        content = archive.read_optional(target) if target else None
        return (
            safe_xml.parse_part(content, FORMAT_NAME, target)
            if content is not None and target is not None
            else None
        )

    return BodyWriter(
        inline=InlineReader(ns, relationships),
        styles=read_styles(related("styles")),
        numbering=read_numbering(related("numbering")),
        drawings=DrawingWriter(archive, relationships),
        footnotes=read_notes(archive, ooxml.related_part(relationships, "footnotes")),
        endnotes=read_notes(archive, ooxml.related_part(relationships, "endnotes")),
        keep_labels=keep_labels,
    )


def _pages(writer: MarkdownWriter, text: str) -> tuple[Page, ...]:
    """Pages by Word's rendered page breaks, or by the author's page breaks if there are none."""
    rendered = [offset for offset, mark in writer.pages if mark == PAGE_MARK]
    starts = rendered or [offset for offset, _ in writer.pages]
    return pages_from_starts(text, starts) if starts else ()
