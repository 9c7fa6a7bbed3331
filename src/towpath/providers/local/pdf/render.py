"""Writes the pages as one markdown text and remembers where each page and each piece of it stands."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence

from towpath.model.content import Block, Box, Field, Page
from towpath.providers.local.pdf.pages import PageRead, Piece

# At the start of a paragraph these would make a heading, a quotation or a fence of it.
_WOULD_BE_MARKUP = re.compile(r"^(?=#{1,6}(?:\s|$)|>|`{3}|~{3}|(?:[-=_*] *){3,}$)", re.MULTILINE)
_NUMBER = re.compile(r"\d{1,9}[.)]")
_BULLETS = frozenset("•▪◦‣●○■□–-*·")


def compose(pages: Sequence[PageRead]) -> tuple[str, tuple[Page, ...], tuple[Block, ...], tuple[Field, ...]]:
    """Markdown, pages, blocks and form fields; spans count characters of the markdown."""
    parts: list[str] = []
    spans: list[Page] = []
    blocks: list[Block] = []
    at = 0
    last: Piece | None = None
    for page in pages:
        first = len(blocks)
        for piece in page.pieces:
            gap = _gap(last, piece, new_page=len(blocks) == first)
            text = markdown(piece)
            start = at + len(gap)
            at = start + len(text)
            parts += (gap, text)
            blocks.append(Block(start, at, page.number, piece.box))
            last = piece
        begin = blocks[first].start if len(blocks) > first else at
        spans.append(Page(page.number, begin, at, page.label, page.width or None, page.height or None))
    text = "".join(parts)
    return text, tuple(spans), tuple(blocks), tuple(_fields(pages, spans, blocks, text))


def _gap(last: Piece | None, piece: Piece, *, new_page: bool) -> str:
    if last is None:
        return ""
    return "\n" if last.kind == piece.kind == "list" and not new_page else "\n\n"


def markdown(piece: Piece) -> str:
    """One piece by itself."""
    match piece.kind:
        case "heading":
            return f"{'#' * piece.level} {_one_line(piece.text)}"
        case "list":
            return f"{'  ' * piece.level}{_marker(piece.marker)} {_one_line(piece.text)}"
        case "paragraph" if piece.bold and "*" not in piece.text and "\n" not in piece.text:
            return f"**{piece.text}**"
        case "paragraph":
            return _WOULD_BE_MARKUP.sub(r"\\", piece.text)
        case _:
            return piece.text


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _marker(marker: str) -> str:
    """Numbers and bullets are markdown's own; any other sign stays visible behind a bullet."""
    if _NUMBER.fullmatch(marker):
        return marker
    return "-" if not marker or marker in _BULLETS else f"- {marker}"


def _fields(
    pages: Sequence[PageRead], spans: Sequence[Page], blocks: Sequence[Block], text: str
) -> list[Field]:
    """Form values with the place where they stand in the text, where they do."""
    found: list[Field] = []
    for page, span in zip(pages, spans, strict=True):
        if not page.values:
            continue
        own = blocks[
            bisect_left(blocks, page.number, key=_page_of) : bisect_right(blocks, page.number, key=_page_of)
        ]
        for value in page.values:
            near = [(block.start, block.end) for block in own if _is_inside(value.box, block.box)]
            places = (text.find(value.value, start, end) for start, end in [*near, (span.start, span.end)])
            start = next((place for place in places if place >= 0), None)
            end = None if start is None else start + len(value.value)
            found.append(
                Field(value.name, value.value, "form", page=page.number, start=start, end=end, box=value.box)
            )
    return found


def _page_of(block: Block) -> int:
    return block.page


def _is_inside(inner: Box | None, outer: Box | None) -> bool:
    """Whether the middle of the one lies in the other."""
    if inner is None or outer is None:
        return False
    x, y = (inner.x0 + inner.x1) / 2, (inner.y0 + inner.y1) / 2
    return outer.x0 <= x <= outer.x1 and outer.y0 <= y <= outer.y1
