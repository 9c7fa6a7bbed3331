"""Reads a presentation slide by slide, in the order in which it is shown."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from towpath.model.content import Extraction, Page
from towpath.providers.local import ooxml, refusals, xml
from towpath.providers.local.drawing import Drawings
from towpath.providers.local.markdown import Writer, unstyled
from towpath.providers.local.paging import blocks_on
from towpath.providers.local.pptx.slides import Slide, notes_text
from towpath.providers.local.zips import Archive, open_archive

WHAT = "PowerPoint presentation"


def read_pptx(path: Path, progress: Callable[[int, int], None]) -> Extraction:
    """Every slide a page; a slide without a title is called by its number."""
    writer = Writer()
    pages: list[Page] = []
    with open_archive(path, WHAT) as archive:
        slides = _slides(archive)
        metadata = ooxml.properties(archive)
        for number, part in enumerate(slides, start=1):
            start = writer.length + 2 if writer.length else 0
            label = _write_slide(archive, part, number, writer)
            pages.append(Page(number, start, writer.length, label))
            progress(number, len(slides))
    if len(writer.blocks) == len(pages) and all(page.label == f"Slide {page.number}" for page in pages):
        raise refusals.empty(WHAT)
    text = writer.text()
    return Extraction(
        markdown=text,
        engine="towpath-pptx/1",
        pages=tuple(pages),
        blocks=blocks_on(pages, writer.blocks),
        metadata=metadata,
    )


def _slides(archive: Archive) -> list[str]:
    part = ooxml.main_part(archive, "ppt/presentation.xml")
    links = ooxml.relationships(archive, part)
    root = xml.parse(archive.read(part), WHAT, part)
    slides: list[str] = []
    for reference in root.iter("{*}sldId"):
        link = ooxml.linked(reference, links)
        if link is not None and link.kind == "slide" and link.target in archive:
            slides.append(link.target)
    return slides


def _write_slide(archive: Archive, part: str, number: int, writer: Writer) -> str:
    links = ooxml.relationships(archive, part)
    slide = Slide(xml.parse(archive.read(part), WHAT, part), links, Drawings(archive, links))
    title = slide.title() or f"Slide {number}"
    writer.heading(1, title)
    slide.write(writer)
    notes = ooxml.related(links, "notesSlide")
    content = archive.find(notes) if notes else None
    if notes is not None and content is not None:
        opening = "Notes: "
        for text in notes_text(xml.parse(content, WHAT, notes), ooxml.relationships(archive, notes)):
            writer.paragraph(opening + text)
            opening = ""
    return unstyled(title)
