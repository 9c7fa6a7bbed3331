"""How many pages a file has, by itself: what somebody else read of it is held against this."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path


def count_pages(path: str, media_type: str) -> int | None:
    """Runs in a child: pages of a PDF or frames of a TIFF; None for what has neither or cannot be opened."""
    try:
        if media_type == "application/pdf":
            from towpath.providers.local.pdf.pdfium import PdfiumFile

            with closing(PdfiumFile(Path(path))) as pdf:
                return pdf.page_count
        if media_type == "image/tiff":
            from PIL import Image

            with Image.open(path) as image:
                return int(getattr(image, "n_frames", 1))
    except Exception:
        # Whoever read it could open it: a count that fails here proves nothing against that.
        return None
    return None
