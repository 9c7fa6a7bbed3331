"""The fallback PDF engine: joins PDFium's text lines into paragraphs and lists.

It detects no tables, but is fast and reads right-to-left text in the right order. It is used for pages
and files on which liteparse fails.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from towpath.model.content import Box
from towpath.readers.pdf.page_model import PageBlock, PdfPage, normalize_text
from towpath.readers.pdf.pdfium import PdfiumFile, TextLine

_HYPHEN = "\ufffe"
_BULLET = re.compile(r"([•▪◦‣●○■□–\uf0b7\uf0a7]|[-*](?=\s)|\(?(?:\d{1,3}|[a-z])[.)](?=\s))\s*")
_ENDS_SENTENCE = (".", "!", "?", ":", "؟", "。", "！", "？")
_MAX_HEADING_LENGTH = 120


class PdfiumEngine:
    """Reads the pages of an open file with PDFium."""

    name = "pdfium"

    def __init__(self, file: PdfiumFile) -> None:
        self._file = file

    def pages(self) -> Iterator[PdfPage]:
        for number in range(1, self._file.page_count + 1):
            yield self.read_page(number)

    def read_page(self, number: int) -> PdfPage:
        """Read one page, by number from 1."""
        width, height = self._file.page_size(number - 1)
        lines = self._file.lines(number - 1)
        page = PdfPage(number, width, height, self._file.page_label(number - 1))
        page.blocks = [_to_block(group) for group in _paragraph_lines(lines, height)]
        page.character_count = sum(len(line.text) for line in lines)
        page.ocr_reason = None if page.character_count or self._file.is_blank(number - 1) else "no-text"
        return page


def set_headings_by_size(pages: Iterable[PdfPage]) -> None:
    """Turn paragraphs in a larger font than the body text of these pages into headings."""
    sizes: Counter[float] = Counter()
    pages = list(pages)
    for page in pages:
        for block in page.blocks:
            sizes[block.size] += len(block.text)
    if not sizes:
        return
    body_size = sizes.most_common(1)[0][0]
    heading_sizes = sorted((size for size in sizes if size >= body_size * 1.08), reverse=True)
    # Sizes distinguish at most four levels reliably; smaller headings share the fourth.
    levels = {size: min(4, rank) for rank, size in enumerate(heading_sizes, start=1)}
    for page in pages:
        page.blocks = [_as_heading(block, levels.get(block.size), body_size) for block in page.blocks]


def _as_heading(block: PageBlock, level: int | None, body_size: float) -> PageBlock:
    is_short = len(block.text) <= _MAX_HEADING_LENGTH and not block.text.endswith((".", ",", ";"))
    if level is None or block.kind != "paragraph" or not is_short:
        return block
    if block.size < body_size * 1.15 and not block.bold:
        return block
    return replace(block, kind="heading", level=level)


def _paragraph_lines(lines: Sequence[TextLine], height: float) -> Iterator[list[TextLine]]:
    group: list[TextLine] = []
    for line in lines:
        if group and not _continues_paragraph(group, line, height or 1.0):
            yield group
            group = []
        group.append(line)
    if group:
        yield group


def _continues_paragraph(group: Sequence[TextLine], line: TextLine, height: float) -> bool:
    """True if the line belongs to the paragraph: same font, directly below, no bullet."""
    last = group[-1]
    if abs(last.size - line.size) > 0.5 or last.bold != line.bold or _BULLET.match(line.text):
        return False
    # Space between lines in font sizes; within paragraphs it is 0.1 to 0.8.
    leading = (line.box.y0 - last.box.y1) * height / (line.size or 10.0)
    is_below = -0.5 < leading < 0.9 and line.box.x0 < last.box.x1 and last.box.x0 < line.box.x1
    if not is_below:
        return False
    max_width = max(item.box.x1 - item.box.x0 for item in group)
    ended_early = (last.box.x1 - last.box.x0) < 0.75 * max_width and last.text.endswith(_ENDS_SENTENCE)
    return not ended_early


def _to_block(lines: Sequence[TextLine]) -> PageBlock:
    text = _join_lines(line.text for line in lines)
    box = Box(
        min(line.box.x0 for line in lines),
        min(line.box.y0 for line in lines),
        max(line.box.x1 for line in lines),
        max(line.box.y1 for line in lines),
    )
    size, bold = lines[0].size, lines[0].bold
    bullet = _BULLET.match(text)
    if bullet and bullet.end() < len(text):
        return PageBlock("list", text[bullet.end() :], box, marker=bullet[1], size=size)
    return PageBlock("paragraph", text, box, bold=bold, size=size)


def _join_lines(lines: Iterable[str]) -> str:
    """Join lines to one paragraph; words hyphenated at a line end are rejoined."""
    text = ""
    for line in lines:
        if text.endswith(_HYPHEN):
            is_one_word = text[-2:-1].islower() and line[:1].islower()
            text = (text[:-1] if is_one_word else text[:-1] + "-") + line
        else:
            text = f"{text} {line}" if text else line
    return normalize_text(text)
