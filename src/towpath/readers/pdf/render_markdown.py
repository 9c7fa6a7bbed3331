"""Writes PDF pages as one markdown text and records the spans of pages, blocks and form fields."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence

from towpath.model.content import Block, Box, Field, Page
from towpath.readers.pdf.bullet_lines import BULLETS
from towpath.readers.pdf.page_model import PageBlock, PdfPage
from towpath.readers.pdf.printed_lines import LINE_BREAK

# At the start of a line these would make a heading, a quotation, a fence or a rule.
_BLOCK_MARKUP = re.compile(r"^(?=#{1,6}(?:\s|$)|>|`{3}|~{3}|(?:[-=_*] *){3,}$)", re.MULTILINE)
_NUMBER = re.compile(r"\d{1,9}[.)]")
_BULLETS = frozenset(f"{BULLETS}–-*·")


def render_pages(
    pages: Sequence[PdfPage],
) -> tuple[str, tuple[Page, ...], tuple[Block, ...], tuple[Field, ...]]:
    """Markdown, pages, blocks and form fields; spans are character offsets in the markdown."""
    parts: list[str] = []
    spans: list[Page] = []
    block_spans: list[Block] = []
    offset = 0
    previous: PageBlock | None = None
    for page in pages:
        first_block = len(block_spans)
        for block in page.blocks:
            separator = _separator(previous, block, new_page=len(block_spans) == first_block)
            text = block_markdown(block)
            start = offset + len(separator)
            offset = start + len(text)
            parts += (separator, text)
            block_spans.append(Block(start, offset, page.number, block.box))
            previous = block
        page_start = block_spans[first_block].start if len(block_spans) > first_block else offset
        spans.append(
            Page(page.number, page_start, offset, page.label, page.width or None, page.height or None)
        )
    text = "".join(parts)
    return text, tuple(spans), tuple(block_spans), tuple(_form_fields(pages, spans, block_spans, text))


def _separator(previous: PageBlock | None, block: PageBlock, *, new_page: bool) -> str:
    if previous is None:
        return ""
    return "\n" if previous.kind == block.kind == "list" and not new_page else "\n\n"


def block_markdown(block: PageBlock) -> str:
    """The markdown of one block."""
    match block.kind:
        case "heading":
            return f"{'#' * block.level} {_one_line(block.text)}"
        case "list":
            return f"{'  ' * block.level}{_list_marker(block.marker)} {_one_line(block.text)}"
        case "paragraph" if block.bold and "*" not in block.text and _is_one_paragraph(block.text):
            return f"**{block.text}**"
        case "paragraph":
            return _BLOCK_MARKUP.sub(r"\\", block.text)
        case _:
            return block.text


def _is_one_paragraph(text: str) -> bool:
    """True for one line, and for lines that the author of a paragraph ended."""
    return "\n" not in text.replace(LINE_BREAK, " ")


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _list_marker(marker: str) -> str:
    """The markdown marker of a list item; markers unknown to markdown follow a bullet as text."""
    if _NUMBER.fullmatch(marker):
        return marker
    return "-" if not marker or marker in _BULLETS else f"- {marker}"


def _form_fields(
    pages: Sequence[PdfPage], spans: Sequence[Page], blocks: Sequence[Block], text: str
) -> list[Field]:
    """Form values with their spans in the text, if they appear there."""
    fields: list[Field] = []
    for page, span in zip(pages, spans, strict=True):
        if not page.form_values:
            continue
        page_blocks = blocks[
            bisect_left(blocks, page.number, key=_page_of) : bisect_right(blocks, page.number, key=_page_of)
        ]
        for value in page.form_values:
            nearby_spans = [
                (block.start, block.end) for block in page_blocks if _is_inside(value.box, block.box)
            ]
            offsets = (
                text.find(value.value, start, end) for start, end in [*nearby_spans, (span.start, span.end)]
            )
            start = next((place for place in offsets if place >= 0), None)
            end = None if start is None else start + len(value.value)
            fields.append(
                Field(value.name, value.value, "form", page=page.number, start=start, end=end, box=value.box)
            )
    return fields


def _page_of(block: Block) -> int:
    return block.page


def _is_inside(inner: Box | None, outer: Box | None) -> bool:
    """True if the center of ``inner`` is in ``outer``."""
    if inner is None or outer is None:
        return False
    x, y = (inner.x0 + inner.x1) / 2, (inner.y0 + inner.y1) / 2
    return outer.x0 <= x <= outer.x1 and outer.y0 <= y <= outer.y1
