"""Converts liteparse's pages to ``PdfPage``.

Uses liteparse's blocks, not its markdown: blocks have a position on the page, and without markdown
liteparse is faster (0.6 s of 3 s on a 619-page book). Links are omitted, because their rectangles cover
whole lines instead of the linked words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from towpath.model.content import Box
from towpath.readers.pdf.false_code_blocks import merge_false_code
from towpath.readers.pdf.page_model import (
    FormValue,
    PageBlock,
    PdfPage,
    is_right_to_left,
    normalize_text,
    page_fraction,
)
from towpath.readers.pdf.tables import classify_rows, fenced_code, render_rows
from towpath.readers.pdf.tagged_headings import read_tagged_headings

if TYPE_CHECKING:
    from liteparse.types import (
        AnnotationRect,
        FormField,
        LayoutBlock,
        LayoutCell,
        PageComplexityStats,
        ParsedPage,
        TextItem,
    )

# Pages with fewer characters may be scans. A scan has none, or a stamp: "Case 1:20-cv-1 Page 1 of 20".
_FEW_CHARACTERS = 150
_ESCAPED_OR_STARS = re.compile(r"\\([\\_*])|\*+")
_TYPES_WITHOUT_VALUE = {"pushbutton", "signature", "unknown"}


def convert_page(page: ParsedPage, page_count: int) -> PdfPage:
    """Convert one page of a file with ``total`` pages."""
    converted = PdfPage(page.page_num, page.width, page.height, page.page_label or None)
    converted.blocks = merge_false_code(_blocks(page, page_count))
    converted.character_count = sum(len(item.text) - item.text.count(".") for item in page.text_items)
    converted.text_rotation = _text_rotation(page.text_items, converted.character_count)
    converted.may_need_ocr = converted.character_count < _FEW_CHARACTERS or _is_mostly_symbols(
        page.text_items
    )
    converted.tagged_headings = read_tagged_headings(page)
    converted.form_values = [value for form in page.form_fields or () if (value := _form_value(form, page))]
    return converted


def _blocks(page: ParsedPage, page_count: int) -> Iterator[PageBlock]:
    for block in page.blocks or ():
        box = _box(block.bbox, page)
        match block.kind:
            case "heading" | "paragraph":
                text = normalize_text(block.text or "").strip()
                if text and block.kind == "heading":
                    yield PageBlock("heading", text, box, level=min(6, max(1, block.level or 1)))
                elif text:
                    yield PageBlock("paragraph", _unescape(text), box, bold=block.bold)
            case "list_item":
                if text := _unescape(normalize_text(block.text or "").strip()):
                    yield PageBlock(
                        "list", text, box, level=block.level or 0, marker=normalize_text(block.marker or "")
                    )
            case "code" | "grid_fallback":
                lines = [normalize_text(line).rstrip() for line in block.lines or ()]
                if any(lines):
                    yield PageBlock("code", fenced_code(lines, block.lang or ""), box)
            case "table":
                yield from _table_block(block, box, page.page_num, page_count)
            case _:
                pass  # rules and figures have no text


def _unescape(text: str) -> str:
    """Remove liteparse's escapes of ``_`` and ``*``, and its italics, which span too many words."""
    if "*" not in text and "\\" not in text:
        return text
    return _ESCAPED_OR_STARS.sub(lambda match: match[1] or ("**" if 2 <= len(match[0]) <= 3 else ""), text)


def _table_block(block: LayoutBlock, box: Box | None, page: int, page_count: int) -> Iterator[PageBlock]:
    source = [block.header, *(block.rows or [])] if block.header else block.rows or []
    rows = [[normalize_text(cell.text).strip() for cell in row] for row in source]
    rows = [row for row in rows if any(row)]
    if not rows:
        return
    shape = classify_rows(rows, page, page_count, torn_rows=sum(map(_is_torn, source)))
    kind = shape if shape in ("table", "code") else "paragraph"
    yield PageBlock(kind, render_rows(rows, shape), box)


def _is_torn(row: Sequence[LayoutCell]) -> bool:
    """True if cells were cut out of one text run: their boxes have no width, and the cut is a guess."""
    cell_lengths = [
        len(cell.text) for cell in row if cell.text and cell.bbox is not None and cell.bbox.width < 1
    ]
    return len(cell_lengths) > 1 and sum(cell_lengths) >= 40


def _box(rect: AnnotationRect | None, page: ParsedPage) -> Box | None:
    if rect is None or page.width <= 0 or page.height <= 0:
        return None
    return Box(
        page_fraction(rect.x / page.width),
        page_fraction(rect.y / page.height),
        page_fraction((rect.x + rect.width) / page.width),
        page_fraction((rect.y + rect.height) / page.height),
    )


def _text_rotation(items: Sequence[TextItem], character_count: int) -> int:
    if all(-2 < item.rotation < 2 for item in items):
        return 0
    weights = {0: 0, 90: 0, 180: 0, 270: 0}
    for item in items:
        weights[round(item.rotation / 90) * 90 % 360] += len(item.text)
    rotation = max(weights, key=lambda degrees: weights[degrees])
    return rotation if weights[rotation] * 2 > character_count else 0


def _is_mostly_symbols(items: Sequence[TextItem]) -> bool:
    """True if the page begins with more symbols than letters."""
    sample = "".join(item.text for item in items[:20])
    return sum(map(str.isalnum, sample)) * 2 < len(sample) - sample.count(" ")


def ocr_reason(stats: PageComplexityStats, page: PdfPage) -> str | None:
    """Why a page needs OCR, or None. Short pages and drawings that liteparse flags have usable text."""
    reasons = stats.reasons
    is_image = stats.full_page_image or stats.image_coverage > 0.5
    # Text in a font without a Unicode map may be extracted as symbols only.
    has_words = any(map(str.isalnum, page.text))
    if "scanned" in reasons or ("sparse-text" in reasons and stats.text_length < 100 and is_image):
        return "scanned"
    if not has_words or ("no-text" in reasons and is_image):
        return "no-text"
    if "vector-text" in reasons and stats.text_length < 100:
        return "vector-text"
    # liteparse flags Arabic as garbled by mistake.
    return "garbled" if "garbled" in reasons and not is_right_to_left(page.text) else None


def _form_value(form: FormField, page: ParsedPage) -> FormValue | None:
    if form.type in _TYPES_WITHOUT_VALUE or not form.name or form.checked is False:
        return None
    value = normalize_text(", ".join(form.selected_options) or form.value or "").strip()
    if not value:
        return None
    return FormValue(normalize_text(form.alternate_name or form.name), value, _box(form.rect, page))
