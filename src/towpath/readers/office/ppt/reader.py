"""Reads PowerPoint presentations from before 2007 (.ppt): each slide is a page."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from towpath import rejections
from towpath.model.content import Extraction, Page
from towpath.readers.common.markdown_writer import MarkdownWriter
from towpath.readers.common.page_breaks import blocks_with_pages
from towpath.readers.office.ppt.presentation_file import FORMAT_NAME, open_presentation
from towpath.readers.office.ppt.slides import write_slide


def read_ppt(path: Path, progress: Callable[[int, int], None]) -> Extraction:
    """Read the slides in order of presentation; a slide without a title is named by its number."""
    file = open_presentation(path)
    writer = MarkdownWriter()
    pages: list[Page] = []
    has_text = False
    for number, slide in enumerate(file.slides, start=1):
        start = writer.length + 2 if writer.length else 0
        try:
            label, wrote = write_slide(slide, number, writer)
        except (ValueError, IndexError) as error:
            raise rejections.corrupt(FORMAT_NAME, f"slide {number}") from error
        has_text = has_text or wrote
        pages.append(Page(number, start, writer.length, label))
        progress(number, len(file.slides))
    if not has_text:
        raise rejections.empty(FORMAT_NAME)
    return Extraction(
        writer.text(),
        "towpath-ppt/1",
        tuple(pages),
        blocks_with_pages(pages, writer.blocks),
        metadata=file.metadata,
    )
