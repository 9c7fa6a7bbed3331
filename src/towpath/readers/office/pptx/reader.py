"""Reads PowerPoint presentations: each slide is a page, with its tables, charts and notes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from towpath import rejections
from towpath.model.content import Extraction, Page
from towpath.readers.common import safe_xml
from towpath.readers.common.markdown_writer import MarkdownWriter, strip_styles
from towpath.readers.common.page_breaks import blocks_with_pages
from towpath.readers.common.safe_zip import Archive, open_archive
from towpath.readers.office import ooxml
from towpath.readers.office.charts import DrawingWriter
from towpath.readers.office.pptx.slides import Slide, notes_text

FORMAT_NAME = "PowerPoint presentation"


def read_pptx(path: Path, progress: Callable[[int, int], None]) -> Extraction:
    """Read the slides in order of presentation; a slide without a title is named by its number."""
    writer = MarkdownWriter()
    pages: list[Page] = []
    with open_archive(path, FORMAT_NAME) as archive:
        slides = _slide_parts(archive)
        metadata = ooxml.core_properties(archive)
        for number, part in enumerate(slides, start=1):
            start = writer.length + 2 if writer.length else 0
            label = _write_slide(archive, part, number, writer)
            pages.append(Page(number, start, writer.length, label))
            progress(number, len(slides))
    if len(writer.blocks) == len(pages) and all(page.label == f"Slide {page.number}" for page in pages):
        raise rejections.empty(FORMAT_NAME)
    text = writer.text()
    return Extraction(
        markdown=text,
        engine="towpath-pptx/1",
        pages=tuple(pages),
        blocks=blocks_with_pages(pages, writer.blocks),
        metadata=metadata,
    )


def _slide_parts(archive: Archive) -> list[str]:
    part = ooxml.main_part(archive, "ppt/presentation.xml")
    relationships = ooxml.relationships(archive, part)
    root = safe_xml.parse_part(archive.read(part), FORMAT_NAME, part)
    slides: list[str] = []
    for reference in root.iter("{*}sldId"):
        relationship = ooxml.referenced_relationship(reference, relationships)
        if relationship is not None and relationship.kind == "slide" and relationship.target in archive:
            slides.append(relationship.target)
    return slides


def _write_slide(archive: Archive, part: str, number: int, writer: MarkdownWriter) -> str:
    relationships = ooxml.relationships(archive, part)
    slide = Slide(
        safe_xml.parse_part(archive.read(part), FORMAT_NAME, part),
        relationships,
        DrawingWriter(archive, relationships),
    )
    title = slide.find_title() or f"Slide {number}"
    writer.heading(1, title)
    slide.write(writer)
    notes_part = ooxml.related_part(relationships, "notesSlide")
    content = archive.read_optional(notes_part) if notes_part else None
    if notes_part is not None and content is not None:
        prefix = "Notes: "
        for text in notes_text(
            safe_xml.parse_part(content, FORMAT_NAME, notes_part), ooxml.relationships(archive, notes_part)
        ):
            writer.paragraph(prefix + text)
            prefix = ""
    return strip_styles(title)
