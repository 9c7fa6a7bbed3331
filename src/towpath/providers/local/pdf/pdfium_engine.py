"""The second engine: lines of text straight from PDFium, gathered into paragraphs.

It knows no tables, but it is our own, fast, and reads right-to-left text in the right order. It
takes over for a page or a file on which the first engine fails.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from towpath.model.content import Box
from towpath.providers.local.pdf.pages import PageRead, Piece, clean
from towpath.providers.local.pdf.pdfium import Line, PdfiumFile

_HYPHEN = "\ufffe"
_BULLET = re.compile(r"([•▪◦‣●○■□–\uf0b7\uf0a7]|[-*](?=\s)|\(?(?:\d{1,3}|[a-z])[.)](?=\s))\s*")
_ENDS_SENTENCE = (".", "!", "?", ":", "؟", "。", "！", "？")
_LONGEST_HEADING = 120


class PdfiumEngine:
    """Reads an open file by itself."""

    name = "pdfium"

    def __init__(self, file: PdfiumFile) -> None:
        self._file = file

    def pages(self) -> Iterator[PageRead]:
        for number in range(1, self._file.page_count + 1):
            yield self.page(number)

    def page(self, number: int) -> PageRead:
        width, height = self._file.size(number - 1)
        lines = self._file.lines(number - 1)
        page = PageRead(number, width, height, self._file.label(number - 1))
        page.pieces = [_piece(group) for group in _groups(lines, height)]
        page.letters = sum(len(line.text) for line in lines)
        page.ocr = None if page.letters or self._file.is_blank(number - 1) else "no-text"
        return page


def with_headings(pages: Iterable[PageRead]) -> None:
    """Make headings of what is set larger than the running text of these pages."""
    sizes: Counter[float] = Counter()
    pages = list(pages)
    for page in pages:
        for piece in page.pieces:
            sizes[piece.size] += len(piece.text)
    if not sizes:
        return
    body = sizes.most_common(1)[0][0]
    larger = sorted((size for size in sizes if size >= body * 1.08), reverse=True)
    # Four levels are as many as sizes can tell apart; the rest share the last.
    levels = {size: min(4, rank) for rank, size in enumerate(larger, start=1)}
    for page in pages:
        page.pieces = [_heading(piece, levels.get(piece.size), body) for piece in page.pieces]


def _heading(piece: Piece, level: int | None, body: float) -> Piece:
    short = len(piece.text) <= _LONGEST_HEADING and not piece.text.endswith((".", ",", ";"))
    if level is None or piece.kind != "paragraph" or not short:
        return piece
    if piece.size < body * 1.15 and not piece.bold:
        return piece
    return replace(piece, kind="heading", level=level)


def _groups(lines: Sequence[Line], height: float) -> Iterator[list[Line]]:
    group: list[Line] = []
    for line in lines:
        if group and not _goes_on(group, line, height or 1.0):
            yield group
            group = []
        group.append(line)
    if group:
        yield group


def _goes_on(group: Sequence[Line], line: Line, height: float) -> bool:
    """Whether the line belongs to the paragraph: same letters, next below, and no bullet of its own."""
    last = group[-1]
    if abs(last.size - line.size) > 0.5 or last.bold != line.bold or _BULLET.match(line.text):
        return False
    # Space between lines, in letters; text is set with 0.1 to 0.8 of them between its lines.
    leading = (line.box.y0 - last.box.y1) * height / (line.size or 10.0)
    below = -0.5 < leading < 0.9 and line.box.x0 < last.box.x1 and last.box.x0 < line.box.x1
    if not below:
        return False
    widest = max(item.box.x1 - item.box.x0 for item in group)
    ended_early = (last.box.x1 - last.box.x0) < 0.75 * widest and last.text.endswith(_ENDS_SENTENCE)
    return not ended_early


def _piece(lines: Sequence[Line]) -> Piece:
    text = _joined(line.text for line in lines)
    box = Box(
        min(line.box.x0 for line in lines),
        min(line.box.y0 for line in lines),
        max(line.box.x1 for line in lines),
        max(line.box.y1 for line in lines),
    )
    size, bold = lines[0].size, lines[0].bold
    bullet = _BULLET.match(text)
    if bullet and bullet.end() < len(text):
        return Piece("list", text[bullet.end() :], box, marker=bullet[1], size=size)
    return Piece("paragraph", text, box, bold=bold, size=size)


def _joined(lines: Iterable[str]) -> str:
    """One paragraph of its lines; a word broken at the end of a line becomes whole again."""
    text = ""
    for line in lines:
        if text.endswith(_HYPHEN):
            whole = text[-2:-1].islower() and line[:1].islower()
            text = (text[:-1] if whole else text[:-1] + "-") + line
        else:
            text = f"{text} {line}" if text else line
    return clean(text)
