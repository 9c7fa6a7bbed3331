"""Converts liteparse's pages to ``PdfPage``.

Uses liteparse's blocks, not its markdown: blocks have a position on the page, and without markdown
liteparse is faster (0.6 s of 3 s on a 619-page book). Links are omitted, because their rectangles cover
whole lines instead of the linked words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from towpath.readers.pdf.block_boxes import rect_box, rectangle, rectangle_box
from towpath.readers.pdf.bullet_lines import divide_at_bullets, item_text, may_have_bullets
from towpath.readers.pdf.choose_tables import choose_ruled_tables
from towpath.readers.pdf.classify_tables import fenced_code
from towpath.readers.pdf.code_blocks import CodeFinder
from towpath.readers.pdf.false_code_blocks import merge_false_code
from towpath.readers.pdf.inline_bold import limit_bold
from towpath.readers.pdf.join_code import join_code
from towpath.readers.pdf.join_lines import join_lines
from towpath.readers.pdf.line_end_hyphens import line_end_hyphens
from towpath.readers.pdf.margin_lines import split_margin_line
from towpath.readers.pdf.mend_blocks import lines_text, mend_blocks, split_list_item
from towpath.readers.pdf.page_layout import (
    PageLayout,
    line_text,
    runs_rectangle,
    text_lines,
)
from towpath.readers.pdf.page_model import (
    FormValue,
    PageBlock,
    PdfPage,
    is_right_to_left,
    normalize_text,
)
from towpath.readers.pdf.printed_lines import divide_lines, divide_text
from towpath.readers.pdf.printed_title import find_printed_title
from towpath.readers.pdf.ruled_tables import RuledTable
from towpath.readers.pdf.separate_accents import has_separate_accents, join_accents
from towpath.readers.pdf.table_blocks import convert_table, divided_blocks, has_columns, table_blocks
from towpath.readers.pdf.tagged_headings import read_tagged_headings
from towpath.readers.pdf.text_layer_words import text_layer_words

if TYPE_CHECKING:
    from liteparse.types import (
        FormField,
        LayoutBlock,
        PageComplexityStats,
        ParsedPage,
        TextItem,
    )

# Pages with fewer characters may be scans. A scan has none, or a stamp: "Case 1:20-cv-1 Page 1 of 20".
_FEW_CHARACTERS = 150
# A cover may be an image; the title is then on one of the next pages.
_TITLE_PAGES = 3
# The height in points of a list item with more than one line.
_TWO_LINES = 16.0
_SHORT_TEXT = 12
_ESCAPED_OR_STARS = re.compile(r"\\([\\_*])|\*+")
_TEXT_KINDS = ("heading", "paragraph", "list_item", "code", "grid_fallback", "table")
_CODE_KINDS = ("paragraph", "list_item", "code", "grid_fallback", "table")
_TYPES_WITHOUT_VALUE = {"pushbutton", "signature", "unknown"}


def convert_page(page: ParsedPage, page_count: int) -> PdfPage:
    """Convert one page of a file with ``page_count`` pages."""
    converted = PdfPage(page.page_num, page.width, page.height, page.page_label or None)
    layout = PageLayout(page)
    converted.blocks = join_code(mend_blocks(merge_false_code(_blocks(page, layout, page_count))))
    converted.line_end_hyphens = line_end_hyphens([item.text for item in page.text_items])
    converted.character_count = sum(len(item.text) - item.text.count(".") for item in page.text_items)
    for item in page.text_items:
        size = round(item.font_size or 0.0, 1)
        converted.font_sizes[size] = converted.font_sizes.get(size, 0) + len(item.text)
    converted.text_rotation = _text_rotation(page.text_items, converted.character_count)
    converted.may_need_ocr = converted.character_count < _FEW_CHARACTERS or _is_mostly_symbols(
        page.text_items
    )
    if page.page_num <= _TITLE_PAGES:
        converted.printed_title = find_printed_title(layout)
    converted.tagged_headings = read_tagged_headings(page)
    converted.words = text_layer_words(page, page_count)
    if has_separate_accents(layout.fonts, (item.text for item in page.text_items)):
        _join_accents(converted)
    converted.form_values = [value for form in page.form_fields or () if (value := _form_value(form, page))]
    return converted


def _join_accents(page: PdfPage) -> None:
    page.blocks = [
        block if block.kind == "code" else replace(block, text=join_accents(block.text))
        for block in page.blocks
    ]
    page.words = [replace(word, text=join_accents(word.text)) for word in page.words]
    page.printed_title = page.printed_title and join_accents(page.printed_title)


def _blocks(page: ParsedPage, layout: PageLayout, page_count: int) -> Iterator[PageBlock]:
    tables = choose_ruled_tables(page.blocks or (), layout)
    code = CodeFinder(layout)
    text_blocks = [index for index, block in enumerate(page.blocks or ()) if block.kind in _TEXT_KINDS]
    for index, block in enumerate(page.blocks or ()):
        if index not in tables.contents:
            if index in (*text_blocks[:1], *text_blocks[-1:]):
                parts = _split_margin(block, page, layout, code, at_top=index == text_blocks[0])
                if parts:
                    yield from parts
                    continue
            yield from _code_and_text(block, page, layout, code) or _convert_block(
                block, page, layout, page_count
            )
            continue
        for content in tables.contents[index]:
            if isinstance(content, RuledTable):
                box = rectangle_box(content.box, page)
                yield from table_blocks(content.rows, box, page.page_num, page_count, is_ruled=True)
            elif text := line_text(content):
                yield PageBlock("paragraph", text, rectangle_box(runs_rectangle(content), page))


def _split_margin(
    block: LayoutBlock, page: ParsedPage, layout: PageLayout, code: CodeFinder, *, at_top: bool
) -> list[PageBlock]:
    """The block divided into a running header or footer and its text; empty if it has none."""
    box = block.bbox
    if box is None or block.kind not in ("paragraph", "list_item"):
        return []
    parts = split_margin_line(layout, box.x, box.y, box.width, box.height, at_top=at_top)
    if parts is None:
        return []
    blocks: list[PageBlock] = []
    for lines in parts:
        runs = [run for line in lines for run in line]
        x0, y0, x1, y1 = runs_rectangle(runs)
        divided = code.divide(x0, y0, x1 - x0, y1 - y0) or [(False, lines)]
        blocks += divided_blocks(divided, page, layout)
    return blocks


def _code_and_text(
    block: LayoutBlock, page: ParsedPage, layout: PageLayout, code: CodeFinder
) -> list[PageBlock]:
    """The block divided into code and text; empty if it has no code lines."""
    box = block.bbox
    if box is None or block.kind not in _CODE_KINDS:
        return []
    parts = code.divide(box.x, box.y, box.width, box.height)
    if parts is None:
        return []
    if has_columns(block) and (not all(is_code for is_code, _ in parts) or code.is_table(parts[0][1])):
        return []
    blocks = divided_blocks(parts, page, layout)
    if block.kind == "list_item" and blocks[0].kind == "paragraph":
        marker = normalize_text(block.marker or "")
        text = blocks[0].text.removeprefix(marker).strip()
        blocks[0] = replace(blocks[0], kind="list", text=text, level=block.level or 0, marker=marker)
    return blocks


def _convert_block(
    block: LayoutBlock, page: ParsedPage, layout: PageLayout, page_count: int
) -> Iterator[PageBlock]:
    box = rect_box(block.bbox, page)
    match block.kind:
        case "heading" | "paragraph":
            text = normalize_text(block.text or "").strip()
            if text and block.kind == "heading":
                yield _with_font(
                    PageBlock("heading", text, box, level=min(6, max(1, block.level or 1))), block, layout
                )
            elif text:
                bold = block.bold and _is_bold(block, layout)
                yield from _bullet_blocks(block, page, layout) or _paragraphs(
                    block, text, page, layout, bold=bold
                )
        case "list_item":
            yield from _list_item(block, page, layout)
        case "code" | "grid_fallback":
            lines = [normalize_text(line).rstrip() for line in block.lines or ()]
            if any(lines) and _is_in_text_font(block, layout):
                yield PageBlock("paragraph", join_lines([line.strip() for line in lines]), box)
            elif any(lines):
                yield PageBlock("code", fenced_code(lines, block.lang or ""), box)
        case "table":
            yield from convert_table(block, page, layout, page_count)
        case _:
            pass  # rules and figures have no text


def _paragraphs(
    block: LayoutBlock, text: str, page: ParsedPage, layout: PageLayout, *, bold: bool
) -> list[PageBlock]:
    """The paragraphs of the block; it has several if their first lines are not indented."""
    text = _unescape(text)
    if block.bbox is None:
        return [PageBlock("paragraph", limit_bold(text), None, bold=bold)]
    return [
        PageBlock("paragraph", limit_bold(part), rectangle_box(area, page), bold=bold)
        for part, area in divide_text(text, rectangle(block.bbox), layout)
    ]


def _bullet_blocks(block: LayoutBlock, page: ParsedPage, layout: PageLayout) -> list[PageBlock]:
    """The items of a list that liteparse took for a paragraph or for one item; empty if there are none."""
    box = block.bbox
    if box is None or not may_have_bullets(normalize_text(block.text or "")):
        return []
    is_item = block.kind == "list_item"
    lines = text_lines(layout.runs_inside(box.x, box.y, box.width, box.height))
    blocks: list[PageBlock] = []
    for part in divide_at_bullets(lines, is_item=is_item) or ():
        text, area = lines_text(part.lines)
        if is_item and not blocks:
            marker = normalize_text(block.marker or "")
            text = text.removeprefix(marker).strip()
            blocks.append(PageBlock("list", text, rectangle_box(area, page), block.level or 0, marker))
        elif part.bullet:
            level = part.level + (block.level or 0 if is_item else 0)
            blocks.append(PageBlock("list", item_text(text), rectangle_box(area, page), level, part.bullet))
        else:
            blocks += (
                PageBlock("paragraph", paragraph, rectangle_box(place, page))
                for paragraph, place in divide_lines(part.lines, layout)
            )
    return blocks


def _with_font(heading: PageBlock, block: LayoutBlock, layout: PageLayout) -> PageBlock:
    """The heading with the font of its first run."""
    box = block.bbox
    runs = layout.runs_inside(box.x, box.y, box.width, box.height) if box is not None else []
    return replace(heading, size=runs[0].font_size, font=runs[0].font) if runs else heading


def _is_in_text_font(block: LayoutBlock, layout: PageLayout) -> bool:
    """True if the page has fixed-width fonts, but most of this block is in another one."""
    box = block.bbox
    if box is None or not layout.has_monospace_font:
        return False
    runs = layout.runs_inside(box.x, box.y, box.width, box.height)
    monospace = sum(len(run.text) for run in runs if run.is_monospace)
    return monospace * 2 < sum(len(run.text) for run in runs)


def _is_bold(block: LayoutBlock, layout: PageLayout) -> bool:
    """True if the names of the fonts say so; without bold fonts on the page, for a short text, if liteparse does.

    liteparse estimates the weight of a font and takes whole books for bold.
    """
    box = block.bbox
    if box is None or not layout.has_bold_font:
        return len((block.text or "").split()) <= _SHORT_TEXT
    runs = layout.runs_inside(box.x, box.y, box.width, box.height)
    return sum(len(run.text) for run in runs if run.is_bold) * 2 >= sum(len(run.text) for run in runs)


def _list_item(block: LayoutBlock, page: ParsedPage, layout: PageLayout) -> Iterator[PageBlock]:
    """The item, and the paragraph behind it if liteparse has joined them."""
    text = limit_bold(_unescape(normalize_text(block.text or "").strip()))
    if not text:
        return
    item = PageBlock(
        "list", text, rect_box(block.bbox, page), block.level or 0, normalize_text(block.marker or "")
    )
    if nested := _bullet_blocks(block, page, layout):
        yield from nested
        return
    rect = block.bbox
    is_tall = rect is not None and rect.height > _TWO_LINES
    parts = split_list_item(layout, rectangle(rect)) if rect is not None and is_tall else None
    if parts is None:
        yield item
        return
    text, area = lines_text(parts[0])
    yield replace(item, text=text.removeprefix(item.marker).strip(), box=rectangle_box(area, page))
    for text, area in divide_lines(parts[1], layout):
        yield PageBlock("paragraph", text, rectangle_box(area, page))


def _unescape(text: str) -> str:
    """Remove liteparse's escapes of ``_`` and ``*``, and its italics, which span too many words."""
    if "*" not in text and "\\" not in text:
        return text
    return _ESCAPED_OR_STARS.sub(lambda match: match[1] or ("**" if 2 <= len(match[0]) <= 3 else ""), text)


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
    return FormValue(normalize_text(form.alternate_name or form.name), value, rect_box(form.rect, page))
