"""Reads a Word document. The body is streamed, so that a thousand pages need little more memory than one."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from towpath.model.content import Extraction, Page
from towpath.providers.local import ooxml, refusals, xml
from towpath.providers.local.docx.body import Body
from towpath.providers.local.docx.inline import Inline
from towpath.providers.local.docx.notes import read_notes
from towpath.providers.local.docx.numbering import read_numbering
from towpath.providers.local.docx.styles import namespace, read_styles
from towpath.providers.local.drawing import Drawings
from towpath.providers.local.markdown import PAGE, Writer
from towpath.providers.local.paging import blocks_on, pages_at
from towpath.providers.local.xml import Element
from towpath.providers.local.zips import Archive, open_archive

WHAT = "Word document"

_BLOCKS = ("{*}p", "{*}tbl", "{*}sdt", "{*}customXml", "{*}ins", "{*}moveTo")
_BYTES_PER_REPORT = 1 << 20
# Some 20,000 pages. A part of nothing but empty paragraphs would else take minutes to become too large.
_MOST_BLOCKS = 500_000


def read_docx(path: Path, progress: Callable[[int, int], None]) -> Extraction:
    """The body as markdown; pages only where Word left marks of them, so they are approximate."""
    with open_archive(path, WHAT) as archive:
        part = ooxml.main_part(archive, "word/document.xml")
        metadata = ooxml.properties(archive)
        writer = _read_body(archive, part, progress)
    text = writer.text()
    if not text.strip():
        raise refusals.empty(WHAT)
    pages = _pages(writer, text)
    return Extraction(
        markdown=text,
        engine="towpath-docx/1",
        pages=pages,
        blocks=blocks_on(pages, writer.blocks),
        metadata=metadata,
    )


def _read_body(archive: Archive, part: str, progress: Callable[[int, int], None]) -> Writer:
    body: Body | None = None
    reported = blocks = 0
    with archive.stream(part) as source:
        for element in xml.stream(source, _BLOCKS, WHAT, part):
            if source.inflated >= reported + _BYTES_PER_REPORT:
                reported = source.inflated
                progress(reported, source.stated_size)
            parent = element.getparent()
            if parent is None or not parent.tag.endswith("}body"):
                continue
            if body is None:
                body = _open_body(archive, part, namespace(parent))
            blocks += 1
            if blocks > _MOST_BLOCKS:
                raise refusals.too_large(WHAT, f"it has more than {_MOST_BLOCKS:,} paragraphs")
            _write(body, element)
            xml.drop(element)
    if body is None:
        raise refusals.empty(WHAT)
    body.finish()
    progress(1, 1)
    return body.writer


def _write(body: Body, block: Element) -> None:
    try:
        body.write(block)
    except RecursionError as error:
        raise refusals.corrupt(WHAT, "its tables or text boxes are nested too deeply") from error


def _open_body(archive: Archive, part: str, ns: str) -> Body:
    links = ooxml.relationships(archive, part)

    def related(kind: str) -> Element | None:
        target = ooxml.related(links, kind)
        content = archive.find(target) if target else None
        return xml.parse(content, WHAT, target) if content is not None and target is not None else None

    return Body(
        inline=Inline(ns, links),
        styles=read_styles(related("styles")),
        numbering=read_numbering(related("numbering")),
        drawings=Drawings(archive, links),
        footnotes=read_notes(archive, ooxml.related(links, "footnotes")),
        endnotes=read_notes(archive, ooxml.related(links, "endnotes")),
    )


def _pages(writer: Writer, text: str) -> tuple[Page, ...]:
    """Breaks as Word last drew them; where it never did, the breaks that the author put in."""
    drawn = [offset for offset, mark in writer.pages if mark == PAGE]
    starts = drawn or [offset for offset, _ in writer.pages]
    return pages_at(text, starts) if starts else ()
