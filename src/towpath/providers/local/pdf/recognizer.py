"""Reads pages by their looks: scans, photographs, text without a usable text layer.

Pages are drawn in small groups into a file of pictures alone: what text layer they have is left
behind, memory stays flat, progress can be told, and a page that lies on its side can be turned.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from towpath.providers.local.ocr import LanguageData
from towpath.providers.local.pdf.liteparse_engine import Recognition, failures_told, liteparse
from towpath.providers.local.pdf.liteparse_pages import page_read
from towpath.providers.local.pdf.pages import EngineFailed, PageRead, Piece, as_shown
from towpath.providers.local.pdf.pdfium import PdfiumFile
from towpath.providers.local.pdf.pictures import write_pictures

if TYPE_CHECKING:
    from liteparse.parser import LiteParse
    from liteparse.types import ParsedPage

# Tesseract wants letters of some 20 pixels; 3.7 million pixels give that on an ordinary page (200 dpi).
_PIXELS = 3_740_000
# The letters of a poster may be small; but a page may be 5 metres wide.
_MOST_PIXELS = 40_000_000
_RESOLUTIONS = (100, 150, 200, 250, 300, 400)
_GROUP = 4
_PATIENCE = 4


@dataclass(frozen=True, slots=True)
class _Reading:
    """One attempt at a page."""

    page: ParsedPage
    turn: int

    @property
    def confidence(self) -> float:
        """How sure Tesseract is of its letters, 0 to 1; 1 when there are none."""
        marks = [
            (item.confidence, len(item.text)) for item in self.page.text_items if item.confidence is not None
        ]
        letters = sum(length for _, length in marks)
        return sum(mark * length for mark, length in marks) / letters if letters else 1.0

    def letters(self, *, upright: bool) -> float:
        """Letters, each counted by its confidence, in words that stand upright (or sideways)."""
        return sum(
            item.confidence * len(item.text)
            for item in self.page.text_items
            if item.confidence is not None and len(item.text) > 2 and (item.width >= item.height) is upright
        )

    @property
    def weak(self) -> bool:
        return self.confidence < 0.7 or self.letters(upright=False) > self.letters(upright=True)

    @property
    def readable(self) -> bool:
        """Whether there is a word among it that is more than a speck on the paper."""
        return any(
            item.confidence is None or (item.confidence >= 0.5 and sum(map(str.isalnum, item.text)) > 1)
            for item in self.page.text_items
        )


class Recognizer:
    """Reads pages of an open PDF with Tesseract."""

    def __init__(self, data: LanguageData) -> None:
        self._data = data
        # Half the cores, for there are other documents; each takes some 60 MB.
        self._workers = min(4, max(1, (os.cpu_count() or 2) // 2))
        self._parsers: dict[int, LiteParse] = {}
        self._turn = 0
        self._vain = 0
        self._worked = False
        self._failure = ""

    @property
    def failure(self) -> str | None:
        """Why nothing at all could be recognized: as a rule, language data that is none."""
        return self._failure if self._failure and not self._worked else None

    def pages(self, file: PdfiumFile, numbers: Sequence[int]) -> Iterator[PageRead]:
        """These pages, one by one. A page without readable text has no pieces."""
        with TemporaryDirectory(prefix="towpath-ocr-") as folder:
            copy = Path(folder, "pages.pdf")
            for dpi, group in _groups(file, numbers):
                readings = self._read(file, group, copy, dpi, self._turn)
                for at, number in enumerate(group, start=1):
                    reading = readings.get(at)
                    best = reading and self._upright(file, number, copy, dpi, reading)
                    yield _page(best, number, file) if best else PageRead(number, *file.size(number - 1))

    def _read(
        self, file: PdfiumFile, numbers: Sequence[int], copy: Path, dpi: int, turn: int
    ) -> dict[int, _Reading]:
        """By place in the group; a page that cannot be read is missing."""
        write_pictures(copy, [file.draw(number - 1, dpi, -turn) for number in numbers], dpi)
        if dpi not in self._parsers:
            languages = "+".join(self._data.languages)
            recognition = Recognition(self._data.folder, languages, dpi, self._workers)
            self._parsers[dpi] = liteparse(_GROUP, recognition=recognition)
        try:
            with failures_told():
                pages = self._parsers[dpi].parse(copy).pages
        except EngineFailed as failed:
            self._failure = f"Text recognition with the language data in {self._data.folder} failed: {failed}"
            return {}
        self._worked = True
        return {page.page_num: _Reading(page, turn) for page in pages}

    def _upright(self, file: PdfiumFile, number: int, copy: Path, dpi: int, first: _Reading) -> _Reading:
        """The same page turned other ways, when the first look gave little sense; the best of them."""
        if not first.weak or self._vain >= _PATIENCE:
            return first
        others = [turn for turn in (0, 90, 180, 270) if turn != first.turn]
        tries = [
            reading for turn in others for reading in self._read(file, [number], copy, dpi, turn).values()
        ]
        best = max([first, *tries], key=lambda reading: reading.letters(upright=True))
        if best.letters(upright=True) < 1.25 * first.letters(upright=True) + 5:
            self._vain += 1
            return first
        self._vain = 0
        # The next pages probably went through the scanner the same way.
        self._turn = best.turn
        return best


def _groups(file: PdfiumFile, numbers: Sequence[int]) -> Iterator[tuple[int, list[int]]]:
    for dpi, alike in groupby(numbers, key=lambda number: resolution(*file.size(number - 1))):
        waiting = list(alike)
        for at in range(0, len(waiting), _GROUP):
            yield dpi, waiting[at : at + _GROUP]


def resolution(width: float, height: float) -> int:
    """Dots per inch at which a page of this size (in points) has the right number of pixels."""
    inches = max(1.0, (width / 72) * (height / 72))
    wanted = math.sqrt(_PIXELS / inches)
    dpi = min(_RESOLUTIONS, key=lambda dpi: abs(dpi - wanted))
    return min(dpi, int(math.sqrt(_MOST_PIXELS / inches)))


def _page(reading: _Reading, number: int, file: PdfiumFile) -> PageRead:
    page = page_read(reading.page, file.page_count)
    page.pieces = list(_flowing(map(_sober, page.pieces))) if reading.readable else []
    page = as_shown(page, reading.turn)
    page.number, page.label = number, file.label(number - 1)
    page.width, page.height = file.size(number - 1)
    return page


def _sober(piece: Piece) -> Piece:
    """Specks and long letters make a line seem large; a heading is made of words and begins like one."""
    letters = sum(map(str.isalpha, piece.text))
    unlikely = letters < 4 or letters * 10 < len(piece.text) * 6 or piece.text[0].islower()
    if piece.kind == "heading" and (unlikely or piece.text.endswith((",", ".", ";"))):
        return replace(piece, kind="paragraph", level=0)
    return piece


def _flowing(pieces: Iterable[Piece]) -> Iterator[Piece]:
    """Lines of one paragraph put together again, which the unsteady line spacing of a scan tore apart."""
    last: Piece | None = None
    for piece in pieces:
        whole = last and _continued(last, piece)
        if last is not None and whole is None:
            yield last
        last = whole or piece
    if last is not None:
        yield last


def _continued(last: Piece, piece: Piece) -> Piece | None:
    """Both as one paragraph, or None when the second begins a new one."""
    if last.kind != "paragraph" or piece.kind != "paragraph" or last.box is None or piece.box is None:
        return None
    line = min(last.box.y1 - last.box.y0, piece.box.y1 - piece.box.y0)
    gap = piece.box.y0 - last.box.y1
    near = -0.002 <= gap < min(0.02, 0.9 * line) and abs(piece.box.x0 - last.box.x0) < 0.02
    # A short line ends its paragraph.
    full = last.box.x1 >= piece.box.x1 - 0.1
    if not near or not full or last.text.endswith((".", "!", "?", ":")):
        return None
    box = replace(last.box, x1=max(last.box.x1, piece.box.x1), y1=piece.box.y1)
    return replace(last, text=f"{last.text} {piece.text}", box=box)
