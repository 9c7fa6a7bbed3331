"""What every PDF engine hands over: pages made of pieces, each with its place on the page.

An engine is anything that yields one ``PageRead`` for each page it could read, in order. Which
engine it was is of no concern to what follows: filters, headings, markdown.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Literal, Protocol

from towpath.model.content import Box

Kind = Literal["heading", "paragraph", "list", "code", "table"]

_RTL = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]")
_ODD = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xa0\xad\u2028\u2029\ue000-\uf8ff\ufb00-\ufb06\ufeff\ufffe\uffff]"
)
# The dots that lead from a title to its page number: 50 signs that say nothing.
_LEADERS = re.compile(r"\s?(?:\.\s?){4,}")
_ODD_SIGNS = {
    "\xa0": " ",
    "\u2028": " ",
    "\u2029": " ",
    "\xad": "",  # soft hyphen: it would hide the word from search
    "\ufffe": "-",  # PDFium's sign for a hyphen at the end of a line
    "\uf0b7": "•",  # the bullet of the Symbol font, which has no Unicode name
    "\uf0a7": "▪",
    "\ufb00": "ff",
    "\ufb01": "fi",
    "\ufb02": "fl",
    "\ufb03": "ffi",
    "\ufb04": "ffl",
    "\ufb05": "st",
    "\ufb06": "st",
}


@dataclass(frozen=True, slots=True)
class Piece:
    """A passage on a page. ``text`` is inline markdown; for code and tables, the finished block."""

    kind: Kind
    text: str
    box: Box | None = None
    level: int = 0
    """Of a heading 1 to 6; of a list item its depth, from 0."""
    marker: str = ""
    """What stands before a list item on the page."""
    bold: bool = False
    size: float = 0.0
    """Font size in points, where the engine knows it."""


@dataclass(frozen=True, slots=True)
class FormValue:
    """A form field that somebody filled in."""

    name: str
    value: str
    box: Box | None = None


@dataclass(frozen=True, slots=True)
class Bookmark:
    """A title the file itself names: on which page (from 0), and how far down (None: unknown)."""

    title: str
    level: int
    page: int
    top: float | None


@dataclass(slots=True)
class PageRead:
    """One page as an engine read it. Later steps replace its pieces by better ones."""

    number: int
    width: float
    height: float
    label: str | None = None
    pieces: list[Piece] = field(default_factory=list[Piece])
    values: list[FormValue] = field(default_factory=list[FormValue])
    titles: list[Bookmark] = field(default_factory=list[Bookmark])
    """Headings that the file is tagged with."""
    suspect: bool = False
    """So little text, or so odd, that the page may be a picture."""
    ocr: str | None = None
    """Why the text layer cannot be used, when it cannot: scanned, no-text, garbled, ..."""
    turned: int = 0
    """Degrees clockwise by which most of the text is turned on the page as shown."""
    letters: int = 0
    """Characters the engine saw, dots aside, whether or not they became pieces."""

    @property
    def text(self) -> str:
        return " ".join(piece.text for piece in self.pieces)

    @property
    def kept(self) -> int:
        """Characters that became pieces."""
        return sum(len(piece.text) for piece in self.pieces)


class EngineFailed(Exception):
    """The engine cannot go on with this file; the pages it gave before are good."""


class Engine(Protocol):
    """Reads the pages of one open file, in order. A page it cannot read is simply missing."""

    name: str

    def pages(self) -> Iterator[PageRead]: ...


def clean(text: str) -> str:
    """Without ligatures, control characters, leaders and signs that only a PDF knows."""
    if _ODD.search(text) is not None:
        text = _ODD.sub(lambda found: _ODD_SIGNS.get(found[0], ""), text)
    if "...." in text or ". . ." in text:
        text = _LEADERS.sub(" … ", text)
    return text


def right_to_left(text: str) -> bool:
    """Whether more than 30 % of the letters are Arabic, Hebrew or the like."""
    if _RTL.search(text) is None:
        return False
    return len(_RTL.findall(text)) > 0.3 * sum(map(str.isalpha, text))


def fraction(value: float) -> float:
    """Kept on the page, and short enough to be stored by the hundred thousand."""
    return round(min(1.0, max(0.0, value)), 4)


def turned_back(box: Box, degrees: int) -> Box:
    """Where a box stands on the page as shown, when the page was turned back by that much to read it."""
    match degrees % 360:
        case 90:
            return Box(fraction(1 - box.y1), box.x0, fraction(1 - box.y0), box.x1)
        case 180:
            return Box(fraction(1 - box.x1), fraction(1 - box.y1), fraction(1 - box.x0), fraction(1 - box.y0))
        case 270:
            return Box(box.y0, fraction(1 - box.x1), box.y1, fraction(1 - box.x0))
        case _:
            return box


def as_shown(page: PageRead, degrees: int) -> PageRead:
    """A page that was turned back by so many degrees to be read, with its boxes on the page as shown."""
    if degrees % 360 == 0:
        return page
    if degrees % 180:
        page.width, page.height = page.height, page.width
    page.turned = 0
    page.pieces = [replace(piece, box=piece.box and turned_back(piece.box, degrees)) for piece in page.pieces]
    page.values = [replace(value, box=value.box and turned_back(value.box, degrees)) for value in page.values]
    return page
