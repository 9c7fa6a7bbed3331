"""Makes our pages of liteparse's.

Its blocks are taken, not its markdown: a block knows its place on the page, and leaving the
markdown out makes up (0.6 s in 3 s on a 619-page book) for what is added here. Links are left out,
for they are drawn over whole lines of text around the words that carry them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from towpath.model.content import Box
from towpath.providers.local.pdf.flow import without_false_code
from towpath.providers.local.pdf.pages import FormValue, PageRead, Piece, clean, fraction, right_to_left
from towpath.providers.local.pdf.tables import fenced, render, shape_of
from towpath.providers.local.pdf.tags import tagged_titles

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

# Pages with less text are looked at twice. A scan has none, or a stamp: "Case 1:20-cv-1 Page 1 of 20".
_LITTLE = 150
_ESCAPED_OR_STARS = re.compile(r"\\([\\_*])|\*+")
_MAY_CARRY_NO_VALUE = {"pushbutton", "signature", "unknown"}


def page_read(page: ParsedPage, total: int) -> PageRead:
    """Our page from liteparse's."""
    read = PageRead(page.page_num, page.width, page.height, page.page_label or None)
    read.pieces = without_false_code(_pieces(page, total))
    read.letters = sum(len(item.text) - item.text.count(".") for item in page.text_items)
    read.turned = _turn(page.text_items, read.letters)
    read.suspect = read.letters < _LITTLE or _is_odd(page.text_items)
    read.titles = tagged_titles(page)
    read.values = [value for form in page.form_fields or () if (value := _form_value(form, page))]
    return read


def _pieces(page: ParsedPage, total: int) -> Iterator[Piece]:
    for block in page.blocks or ():
        box = _box(block.bbox, page)
        match block.kind:
            case "heading" | "paragraph":
                text = clean(block.text or "").strip()
                if text and block.kind == "heading":
                    yield Piece("heading", text, box, level=min(6, max(1, block.level or 1)))
                elif text:
                    yield Piece("paragraph", _plain(text), box, bold=block.bold)
            case "list_item":
                if text := _plain(clean(block.text or "").strip()):
                    yield Piece("list", text, box, level=block.level or 0, marker=clean(block.marker or ""))
            case "code" | "grid_fallback":
                lines = [clean(line).rstrip() for line in block.lines or ()]
                if any(lines):
                    yield Piece("code", fenced(lines, block.lang or ""), box)
            case "table":
                yield from _table(block, box, page.page_num, total)
            case _:
                pass  # rules and figures hold no text


def _plain(text: str) -> str:
    """Words as they stand on the page: liteparse escapes ``_`` and ``*``, and its italics run too far."""
    if "*" not in text and "\\" not in text:
        return text
    return _ESCAPED_OR_STARS.sub(lambda found: found[1] or ("**" if 2 <= len(found[0]) <= 3 else ""), text)


def _table(block: LayoutBlock, box: Box | None, page: int, total: int) -> Iterator[Piece]:
    source = [block.header, *(block.rows or [])] if block.header else block.rows or []
    rows = [[clean(cell.text).strip() for cell in row] for row in source]
    rows = [row for row in rows if any(row)]
    if not rows:
        return
    shape = shape_of(rows, page, total, torn=sum(map(_is_torn, source)))
    kind = shape if shape in ("table", "code") else "paragraph"
    yield Piece(kind, render(rows, shape), box)


def _is_torn(row: Sequence[LayoutCell]) -> bool:
    """Cells cut out of one run of text at a guessed place have boxes without width."""
    cut = [len(cell.text) for cell in row if cell.text and cell.bbox is not None and cell.bbox.width < 1]
    return len(cut) > 1 and sum(cut) >= 40


def _box(rect: AnnotationRect | None, page: ParsedPage) -> Box | None:
    if rect is None or page.width <= 0 or page.height <= 0:
        return None
    return Box(
        fraction(rect.x / page.width),
        fraction(rect.y / page.height),
        fraction((rect.x + rect.width) / page.width),
        fraction((rect.y + rect.height) / page.height),
    )


def _turn(items: Sequence[TextItem], letters: int) -> int:
    if all(-2 < item.rotation < 2 for item in items):
        return 0
    weights = {0: 0, 90: 0, 180: 0, 270: 0}
    for item in items:
        weights[round(item.rotation / 90) * 90 % 360] += len(item.text)
    turn = max(weights, key=lambda degrees: weights[degrees])
    return turn if weights[turn] * 2 > letters else 0


def _is_odd(items: Sequence[TextItem]) -> bool:
    """Whether the page begins with more signs than letters."""
    sample = "".join(item.text for item in items[:20])
    return sum(map(str.isalnum, sample)) * 2 < len(sample) - sample.count(" ")


def reason_for_ocr(stats: PageComplexityStats, page: PageRead) -> str | None:
    """liteparse also flags short pages and pages with drawings; those have a text layer that serves."""
    reasons = stats.reasons
    pictured = stats.full_page_image or stats.image_coverage > 0.5
    # Letters of a font that does not say what they are may come out as mere signs.
    words = any(map(str.isalnum, page.text))
    if "scanned" in reasons or ("sparse-text" in reasons and stats.text_length < 100 and pictured):
        return "scanned"
    if not words or ("no-text" in reasons and pictured):
        return "no-text"
    if "vector-text" in reasons and stats.text_length < 100:
        return "vector-text"
    # Arabic is taken for garbled by mistake.
    return "garbled" if "garbled" in reasons and not right_to_left(page.text) else None


def _form_value(form: FormField, page: ParsedPage) -> FormValue | None:
    if form.type in _MAY_CARRY_NO_VALUE or not form.name or form.checked is False:
        return None
    value = clean(", ".join(form.selected_options) or form.value or "").strip()
    if not value:
        return None
    return FormValue(clean(form.alternate_name or form.name), value, _box(form.rect, page))
