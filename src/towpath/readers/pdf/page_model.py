"""The page model that all PDF engines produce: pages of blocks with their positions.

An engine yields one ``PdfPage`` for each page it can read, in order. The later passes (running headers,
outline, markdown) do not depend on the engine.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Literal, Protocol

from towpath.model.content import Box, Word

BlockKind = Literal["heading", "paragraph", "list", "code", "table"]

_RIGHT_TO_LEFT = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]")
_SPECIAL_CHARACTERS = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xa0\xad\u2028\u2029\ue000-\uf8ff\ufb00-\ufb06\ufeff\ufffe\uffff]"
)
# Dot leaders between a title and its page number: up to 50 characters without meaning.
_DOT_LEADERS = re.compile(r"\s?(?:\.\s?){4,}")
_REPLACEMENTS = {
    "\xa0": " ",
    "\u2028": " ",
    "\u2029": " ",
    "\xad": "",  # soft hyphen: would hide the word from search
    "\ufffe": "-",  # PDFium's character for a hyphen at the end of a line
    "\uf0b7": "•",  # the bullet of the Symbol font, in the private use area
    "\uf0a7": "▪",
    # Bullets of the font Wingdings.
    "\uf06e": "■",
    "\uf071": "❑",
    "\uf076": "❖",
    "\uf0a8": "◻",
    "\uf0d8": "➢",
    "\uf0e8": "➔",
    "\uf0fc": "✓",
    "\ufb00": "ff",
    "\ufb01": "fi",
    "\ufb02": "fl",
    "\ufb03": "ffi",
    "\ufb04": "ffl",
    "\ufb05": "st",
    "\ufb06": "st",
}


@dataclass(frozen=True, slots=True)
class PageBlock:
    """A text block on a page. ``text`` is inline markdown; for code and tables the complete markdown."""

    kind: BlockKind
    text: str
    box: Box | None = None
    level: int = 0
    """Headings: 1 to 6. List items: depth from 0."""
    marker: str = ""
    """The bullet or number of a list item as printed."""
    bold: bool = False
    size: float = 0.0
    """Font size in points; 0 if unknown."""
    font: str = ""
    """The name of the font of a heading; empty if unknown."""
    is_monospace: bool = False
    """True if all text is in a fixed-width font: a code block is certain."""


@dataclass(frozen=True, slots=True)
class FormValue:
    """A filled-in form field."""

    name: str
    value: str
    box: Box | None = None


@dataclass(frozen=True, slots=True)
class Bookmark:
    """A title from the outline or the tags: its page (from 0) and vertical position (0 to 1, None: unknown)."""

    title: str
    level: int
    page: int
    top: float | None


@dataclass(slots=True)
class PdfPage:
    """One page as an engine read it. Later passes replace its blocks."""

    number: int
    width: float
    height: float
    label: str | None = None
    blocks: list[PageBlock] = field(default_factory=list[PageBlock])
    form_values: list[FormValue] = field(default_factory=list[FormValue])
    tagged_headings: list[Bookmark] = field(default_factory=list[Bookmark])
    """Headings from the file's structure tags."""
    line_end_hyphens: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    """Words divided by a hyphen at the end of a line: their first and second part."""
    font_sizes: dict[float, int] = field(default_factory=dict[float, int])
    """The number of characters in each font size, in points."""
    printed_title: str | None = None
    """The largest text that reads as a title; only on the first pages."""
    may_need_ocr: bool = False
    """True if the page has so little or so odd text that it may be an image."""
    ocr_reason: str | None = None
    """Why the text layer is unusable: scanned, no-text, garbled, vector-text; None if usable."""
    text_rotation: int = 0
    """Clockwise rotation in degrees of most of the text on the page as shown."""
    character_count: int = 0
    """Number of characters that the engine found, except dots, in blocks or not."""
    words: list[Word] = field(default_factory=list[Word])
    """Words with boxes: of a page read by OCR, or of the first and last pages with a text layer."""
    ocr_confidence: float | None = None
    """The mean confidence of OCR per letter, 0 to 1; None if the page was not read by OCR."""
    poorly_legible: bool = False
    """True if the confidence of OCR is so low that words are probably wrong."""

    @property
    def text(self) -> str:
        """The text of all blocks."""
        return " ".join(block.text for block in self.blocks)

    @property
    def block_characters(self) -> int:
        """Number of characters in blocks."""
        return sum(len(block.text) for block in self.blocks)


class EngineError(Exception):
    """The engine cannot continue with this file; the pages it yielded before are valid."""


class Engine(Protocol):
    """Reads the pages of one open file in order. Pages that it cannot read are missing."""

    name: str

    def pages(self) -> Iterator[PdfPage]: ...


def normalize_text(text: str) -> str:
    """Replace ligatures, control characters, dot leaders and private-use characters."""
    if _SPECIAL_CHARACTERS.search(text) is not None:
        text = _SPECIAL_CHARACTERS.sub(lambda match: _REPLACEMENTS.get(match[0], ""), text)
    if "...." in text or ". . ." in text:
        text = _DOT_LEADERS.sub(" … ", text)
    return text


def is_right_to_left(text: str) -> bool:
    """True if more than 30 % of the letters are of a right-to-left script."""
    if _RIGHT_TO_LEFT.search(text) is None:
        return False
    return len(_RIGHT_TO_LEFT.findall(text)) > 0.3 * sum(map(str.isalpha, text))


def page_fraction(value: float) -> float:
    """Clamp to 0..1 and round to 4 digits, to keep stored boxes short."""
    return 0.0 if value <= 0.0 else 1.0 if value >= 1.0 else round(value, 4)


def box_as_shown(box: Box, degrees: int) -> Box:
    """Map a box from a page rotated back by ``degrees`` to the page as shown."""
    match degrees % 360:
        case 90:
            return Box(page_fraction(1 - box.y1), box.x0, page_fraction(1 - box.y0), box.x1)
        case 180:
            return Box(
                page_fraction(1 - box.x1),
                page_fraction(1 - box.y1),
                page_fraction(1 - box.x0),
                page_fraction(1 - box.y0),
            )
        case 270:
            return Box(box.y0, page_fraction(1 - box.x1), box.y1, page_fraction(1 - box.x0))
        case _:
            return box


def boxes_as_shown(page: PdfPage, degrees: int) -> PdfPage:
    """Map all boxes of a page that was read rotated back by ``degrees`` to the page as shown."""
    if degrees % 360 == 0:
        return page
    if degrees % 180:
        page.width, page.height = page.height, page.width
    page.text_rotation = 0
    page.blocks = [
        replace(block, box=block.box and box_as_shown(block.box, degrees)) for block in page.blocks
    ]
    page.words = [replace(word, box=box_as_shown(word.box, degrees)) for word in page.words]
    page.form_values = [
        replace(value, box=value.box and box_as_shown(value.box, degrees)) for value in page.form_values
    ]
    return page
