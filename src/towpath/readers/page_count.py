"""Counts the pages of a file, to check that a cloud service has read all of them."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path


def count_pages(path: str, media_type: str) -> int | None:
    """Pages of a PDF or frames of a TIFF; None for other types and files that cannot be opened.

    Runs in a child process.
    """
    try:
        if media_type == "application/pdf":
            from towpath.readers.pdf.pdfium import PdfiumFile

            with closing(PdfiumFile(Path(path))) as pdf:
                return pdf.page_count
        if media_type == "image/tiff":
            from PIL import Image

            with Image.open(path) as image:
                return int(getattr(image, "n_frames", 1))
    except Exception:
        # The service could open the file, so a failure to count here says nothing about its answer.
        return None
    return None
