"""Typed wrapper of pypdfium2: page count, outline, page images, text lines.

PDFium must be used from one thread. ``pdfium_text.py`` extracts the text.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any, cast

import pypdfium2
import pypdfium2.raw as _raw_functions

from towpath.readers.pdf.images_to_pdf import PageImage
from towpath.readers.pdf.page_model import Bookmark, page_fraction
from towpath.readers.pdf.pdfium_text import TextLine, extract_lines, page_frame, text_angle

_lib = cast(Any, pypdfium2)
_raw = cast(Any, _raw_functions)

_MAX_BOOKMARKS = 50_000


class PdfiumOpenError(Exception):
    """PDFium cannot open the file. Its error code is unreliable: it may come from an earlier file."""


class PdfiumFile:
    """One PDF opened by PDFium. Close it before the file is deleted."""

    def __init__(self, path: Path) -> None:
        # An open file, not its path: pypdfium2 resolves paths, and a file that was handed over has none.
        self._file = path.open("rb")
        try:
            self._document = _lib.PdfDocument(self._file)
        except _lib.PdfiumError as error:
            self._file.close()
            raise PdfiumOpenError(str(error)) from error
        self.page_count = len(self._document)

    def close(self) -> None:
        self._document.close()
        self._file.close()

    def info(self) -> dict[str, str]:
        return dict(self._document.get_metadata_dict(skip_empty=True))

    def attachments(self, max_bytes: int) -> Iterator[tuple[str, bytes]]:
        """Name and content of the embedded files that are not larger."""
        for index in range(min(100, self._document.count_attachments())):
            try:
                attachment = self._document.get_attachment(index)
                content = bytes(attachment.get_data())
            except _lib.PdfiumError:
                continue
            if len(content) <= max_bytes:
                yield str(attachment.get_name()), content

    def is_tagged(self) -> bool:
        """True if the file has structure tags for headings, paragraphs and tables."""
        return bool(self._document.is_tagged())

    def has_form(self) -> bool:
        return bool(self._document.get_formtype())

    def page_size(self, index: int) -> tuple[float, float]:
        """Width and height in points of the page as shown; zeros if the page cannot be loaded."""
        try:
            width, height = self._document.get_page_size(index)
        except _lib.PdfiumError:
            return 0.0, 0.0
        return float(width), float(height)

    def page_label(self, index: int) -> str | None:
        return self._document.get_page_label(index) or None

    def outline(self) -> list[Bookmark]:
        bookmarks: list[Bookmark] = []
        for entry in islice(self._document.get_toc(), _MAX_BOOKMARKS):
            destination = entry.get_dest()
            page = destination.get_index() if destination is not None else None
            if page is None or not 0 <= page < self.page_count:
                continue
            try:
                title = " ".join(str(entry.get_title()).split())
            except UnicodeDecodeError:
                continue
            if title:
                bookmarks.append(
                    Bookmark(title, int(entry.level), int(page), self._destination_top(destination, page))
                )
        return bookmarks

    def _destination_top(self, destination: Any, page: int) -> float | None:
        """Vertical position of a bookmark, 0 to 1; approximate.

        Assumes an unrotated page with its origin at 0, because loading the page would cost 1 ms.
        """
        mode, view = destination.get_view()
        index = {_raw.PDFDEST_VIEW_XYZ: 1, _raw.PDFDEST_VIEW_FITH: 0, _raw.PDFDEST_VIEW_FITBH: 0}.get(mode)
        height = self.page_size(page)[1]
        if index is None or index >= len(view) or not height:
            return None
        return page_fraction(1 - float(view[index]) / height)

    def lines(self, index: int) -> list[TextLine]:
        """The lines in PDFium's order; empty if PDFium cannot load the page."""
        try:
            page = self._document[index]
            frame = page_frame(page)
            text_page = page.get_textpage()
            upright = text_angle(text_page)
            if upright != frame.rotation:
                # PDFium orders lines by the page as shown; sideways text would come in reverse order.
                text_page.close()
                page.set_rotation(upright)
                text_page = page.get_textpage()
        except _lib.PdfiumError:
            return []
        lines = extract_lines(text_page, frame)
        text_page.close()
        page.close()
        return lines

    def is_blank(self, index: int) -> bool:
        """True if the page shows nothing. Renders it in grey at 36 dpi, about 5 ms."""
        try:
            page = self._document[index]
            pixels = bytes(page.render(scale=0.5, grayscale=True).buffer)
        except _lib.PdfiumError:
            return True
        paper = max(pixels, default=0)
        ink = pixels.translate(None, delete=bytes(range(max(0, paper - 60), 256)))
        # Dust and borders of an empty scan cover less than 1 pixel in 2,000.
        return len(ink) * 2000 < len(pixels)

    def render(self, index: int, dpi: int, rotation: int) -> PageImage:
        """Render the page as shown, rotated clockwise by ``rotation`` degrees."""
        try:
            page = self._document[index]
            bitmap = page.render(scale=dpi / 72, rotation=rotation % 360, grayscale=True)
        except _lib.PdfiumError:
            return PageImage(1, 1, b"\xff")
        width, height, stride = int(bitmap.width), int(bitmap.height), int(bitmap.stride)
        grey = bytes(bitmap.buffer)
        if stride != width:
            grey = b"".join(grey[offset : offset + width] for offset in range(0, stride * height, stride))
        bitmap.close()
        page.close()
        return PageImage(width, height, grey)
