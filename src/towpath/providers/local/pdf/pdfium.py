"""The border to pypdfium2, which has no types: everything Towpath asks of PDFium itself.

PDFium must stay in one thread. How it reads text is in ``pdfium_text.py``.
"""

from __future__ import annotations

from itertools import islice
from pathlib import Path
from typing import Any, cast

import pypdfium2
import pypdfium2.raw as _raw_functions

from towpath.providers.local.pdf.pages import Bookmark, fraction
from towpath.providers.local.pdf.pdfium_text import Line, angle_of_text, frame_of, lines_of
from towpath.providers.local.pdf.pictures import Picture

_lib = cast(Any, pypdfium2)
_raw = cast(Any, _raw_functions)

_MOST_BOOKMARKS = 50_000


class CannotOpen(Exception):
    """PDFium refuses the file. Why, it does not reliably say: its error may be left over from another."""


class PdfiumFile:
    """One PDF opened by PDFium. Close it before its file is removed."""

    def __init__(self, path: Path) -> None:
        try:
            self._document = _lib.PdfDocument(path)
        except _lib.PdfiumError as error:
            raise CannotOpen(str(error)) from error
        self.page_count = len(self._document)

    def close(self) -> None:
        self._document.close()

    def info(self) -> dict[str, str]:
        return dict(self._document.get_metadata_dict(skip_empty=True))

    def is_tagged(self) -> bool:
        """Whether the file says which of its text is a heading, a paragraph, a table."""
        return bool(self._document.is_tagged())

    def has_form(self) -> bool:
        return bool(self._document.get_formtype())

    def size(self, index: int) -> tuple[float, float]:
        """Width and height as shown."""
        try:
            width, height = self._document.get_page_size(index)
        except _lib.PdfiumError:
            return 0.0, 0.0
        return float(width), float(height)

    def label(self, index: int) -> str | None:
        return self._document.get_page_label(index) or None

    def outline(self) -> list[Bookmark]:
        found: list[Bookmark] = []
        for entry in islice(self._document.get_toc(), _MOST_BOOKMARKS):
            destination = entry.get_dest()
            page = destination.get_index() if destination is not None else None
            if page is None or not 0 <= page < self.page_count:
                continue
            try:
                title = " ".join(str(entry.get_title()).split())
            except UnicodeDecodeError:
                continue
            if title:
                found.append(Bookmark(title, int(entry.level), int(page), self._top_of(destination, page)))
        return found

    def _top_of(self, destination: Any, page: int) -> float | None:
        """A hint only: it takes the page to begin at 0 and to stand upright, for loading it costs 1 ms."""
        mode, view = destination.get_view()
        at = {_raw.PDFDEST_VIEW_XYZ: 1, _raw.PDFDEST_VIEW_FITH: 0, _raw.PDFDEST_VIEW_FITBH: 0}.get(mode)
        height = self.size(page)[1]
        if at is None or at >= len(view) or not height:
            return None
        return fraction(1 - float(view[at]) / height)

    def lines(self, index: int) -> list[Line]:
        """The page's lines in the order PDFium reads them; [] when PDFium cannot load the page."""
        try:
            page = self._document[index]
            frame = frame_of(page)
            text_page = page.get_textpage()
            upright = angle_of_text(text_page)
            if upright != frame.rotation:
                # PDFium orders lines by the page as shown; sideways text comes out last line first.
                text_page.close()
                page.set_rotation(upright)
                text_page = page.get_textpage()
        except _lib.PdfiumError:
            return []
        found = lines_of(text_page, frame)
        text_page.close()
        page.close()
        return found

    def is_blank(self, index: int) -> bool:
        """Whether nothing can be seen on the page; drawn small (36 dpi) and in grey, some 5 ms."""
        try:
            page = self._document[index]
            pixels = bytes(page.render(scale=0.5, grayscale=True).buffer)
        except _lib.PdfiumError:
            return True
        paper = max(pixels, default=0)
        ink = pixels.translate(None, delete=bytes(range(max(0, paper - 60), 256)))
        # Dust and the borders of an empty scan stay under 1 pixel in 2,000.
        return len(ink) * 2000 < len(pixels)

    def draw(self, index: int, dpi: int, turn: int) -> Picture:
        """The page as shown, turned clockwise by so many degrees."""
        try:
            page = self._document[index]
            bitmap = page.render(scale=dpi / 72, rotation=turn % 360, grayscale=True)
        except _lib.PdfiumError:
            return Picture(1, 1, b"\xff")
        width, height, stride = int(bitmap.width), int(bitmap.height), int(bitmap.stride)
        grey = bytes(bitmap.buffer)
        if stride != width:
            grey = b"".join(grey[at : at + width] for at in range(0, stride * height, stride))
        bitmap.close()
        page.close()
        return Picture(width, height, grey)
