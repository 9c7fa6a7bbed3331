"""The content of a document: its extraction with pages, blocks and fields, and its chunks with anchors.

Spans count characters (Python code points) in the document's markdown. Boxes are fractions of the page, measured
from its top left corner, so that they fit a page drawn at any size.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle on a page, each edge a fraction (0 to 1) of the page's width or height."""

    x0: float
    y0: float
    x1: float
    y1: float


@dataclass(frozen=True, slots=True)
class Page:
    """One page (slide, sheet, chapter where there are no pages) and its span in the markdown."""

    number: int
    start: int
    end: int
    label: str | None = None
    width: float | None = None
    height: float | None = None


@dataclass(frozen=True, slots=True)
class Block:
    """A paragraph, heading, table or list with its position on the page."""

    start: int
    end: int
    page: int
    box: Box | None = None


@dataclass(frozen=True, slots=True)
class Word:
    """A word on a page with its box, and the confidence of OCR (0 to 1; None for a text layer)."""

    text: str
    page: int
    box: Box
    confidence: float | None = None


@dataclass(frozen=True, slots=True)
class Field:
    """A named value found in a document, with its position."""

    name: str
    value: str
    kind: str = "text"
    confidence: float = 1.0
    page: int | None = None
    start: int | None = None
    end: int | None = None
    box: Box | None = None


@dataclass(frozen=True, slots=True)
class Extraction:
    """The result of reading a file: markdown, pages, blocks with boxes, fields, warnings."""

    markdown: str
    engine: str
    pages: tuple[Page, ...] = ()
    blocks: tuple[Block, ...] = ()
    fields: tuple[Field, ...] = ()
    metadata: Mapping[str, str] = field(default_factory=dict[str, str])
    warnings: tuple[str, ...] = ()
    #: Words with boxes: of all pages read by OCR, and of the first and last pages of a PDF with a text layer.
    words: tuple[Word, ...] = ()


@dataclass(frozen=True, slots=True)
class Anchor:
    """The position of a chunk: span, page and box in a document; speaker and seconds in a call."""

    start: int
    end: int
    heading_path: tuple[str, ...] = ()
    page: int | None = None
    page_end: int | None = None
    box: Box | None = None
    speaker: str | None = None
    seconds_start: float | None = None
    seconds_end: float | None = None
    #: Known times in a call's chunk: (character of its text, second of the recording).
    moments: tuple[tuple[int, float], ...] = ()


@dataclass(frozen=True, slots=True)
class Chunk:
    """A searchable part of a document. Its id depends only on the document and the chunk's text."""

    id: str
    ordinal: int
    text: str
    tokens: int
    anchor: Anchor
