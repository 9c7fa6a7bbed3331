"""Reads Word documents from before 2007 (.doc); pages come from the author's page breaks."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from towpath import rejections
from towpath.errors import Rejected
from towpath.model.content import Extraction
from towpath.readers.common.page_breaks import blocks_with_pages, pages_from_starts
from towpath.readers.office.doc.render_markdown import BodyWriter
from towpath.readers.office.doc.word_file import FORMAT_NAME, open_word_file


def read_doc(path: Path, progress: Callable[[int, int], None]) -> Extraction:
    """Read the text with headings, lists, tables, links and notes. Files of Word 6 and 95: paragraphs only."""
    file = open_word_file(path)
    try:
        body = BodyWriter(file)
        body.write()
    except Rejected:
        raise
    except (ValueError, IndexError, OverflowError) as error:  # positions that do not exist
        raise rejections.corrupt(FORMAT_NAME) from error
    writer = body.writer
    text = writer.text()
    if not text.strip():
        raise rejections.empty(FORMAT_NAME)
    progress(1, 1)
    pages = pages_from_starts(text, [offset for offset, _ in writer.pages]) if writer.pages else ()
    return Extraction(
        text, "towpath-doc/1", pages, blocks_with_pages(pages, writer.blocks), metadata=file.metadata
    )
