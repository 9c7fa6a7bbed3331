"""Reads web archives (.mhtml, .mht): the page inside, as a web page."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from towpath import rejections
from towpath.model.content import Extraction
from towpath.readers.html.reader import read_page
from towpath.readers.mail.mime_parts import read_parts
from towpath.readers.mail.reader import header_text

FORMAT_NAME = "web archive"


def read_mhtml(path: Path, progress: Callable[[int, int], None], *, full_text: bool = False) -> Extraction:
    """Read the first HTML part, which is the page; the others are its frames."""
    with path.open("rb") as file:
        message, *parts = read_parts(file)
    page = next((part for part in (*parts, message) if part.content_type == "text/html" and part.raw), None)
    if page is None:
        raise rejections.empty(FORMAT_NAME)
    address = header_text(message.headers, "Snapshot-Content-Location") or header_text(
        page.headers, "Content-Location"
    )
    extraction = read_page(
        page.body(), page.headers.get_content_charset(), full_text=full_text, address=address
    )
    progress(1, 1)
    return extraction
