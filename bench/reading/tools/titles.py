"""Titles by other tools and by simple rules."""

from __future__ import annotations

import re
import tempfile
from pathlib import Path
from typing import Any, cast

import pypdfium2

from bench.reading.tools import peers

_HEADING = re.compile(r"^#{1,6}\s+(.+)$", re.MULTILINE)


def metadata_title(path: Path) -> str:
    """The title in the info dictionary of a PDF, as it is."""
    document = cast(Any, pypdfium2.PdfDocument(path))
    try:
        return str(document.get_metadata_dict().get("Title", ""))
    finally:
        document.close()


def first_heading(markdown: str) -> str:
    """The first heading of a markdown text, or else its first line."""
    heading = _HEADING.search(markdown)
    if heading:
        return heading[1]
    return next((line.strip() for line in markdown.splitlines() if line.strip()), "")


def largest_text(path: Path) -> str:
    """The lines of page 1 in its largest font, by pdfplumber."""
    import pdfplumber  # pyright: ignore[reportMissingImports]

    with pdfplumber.open(path) as document:
        words = document.pages[0].extract_words(extra_attrs=["size"]) if document.pages else []
    largest = max((word["size"] for word in words if len(word["text"]) > 1), default=0.0)
    return " ".join(word["text"] for word in words if word["size"] > largest - 0.5)


def liteparse_title(path: Path) -> str:
    return first_heading(peers.liteparse_markdown(path))


def markitdown_title(path: Path) -> str:
    """By markitdown, from the first two pages: it needs seconds for each page of a long file."""
    if path.suffix.lower() != ".pdf":
        return first_heading(peers.markitdown_markdown(path))
    with tempfile.TemporaryDirectory(prefix="bench-reading-") as folder:
        beginning = Path(folder, path.name)
        document = cast(Any, pypdfium2.PdfDocument(path))
        copy = cast(Any, pypdfium2.PdfDocument.new())
        copy.import_pages(document, list(range(min(2, len(document)))))
        copy.save(beginning)
        return first_heading(peers.markitdown_markdown(beginning))
