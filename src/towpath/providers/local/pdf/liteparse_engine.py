"""The first engine: liteparse, which finds headings, lists, code and tables by rules.

Its blocks are taken, not its markdown: a block knows its place on the page, and leaving the
markdown out makes up (0.6 s in 3 s on a 619-page book) for what is added here. Links are left out,
for they are drawn over whole lines of text around the words that carry them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from towpath.model.content import Box
from towpath.providers.local.pdf.flow import without_false_code
from towpath.providers.local.pdf.pages import (
    EngineFailed,
    FormValue,
    PageRead,
    Piece,
    clean,
    fraction,
    right_to_left,
    turned_back,
)
from towpath.providers.local.pdf.tables import fenced, render, shape_of
from towpath.providers.local.pdf.tags import tagged_titles

if TYPE_CHECKING:
    from liteparse.parser import LiteParse
    from liteparse.types import (
        AnnotationRect,
        FormField,
        LayoutBlock,
        LayoutCell,
        PageComplexityStats,
        ParsedPage,
        TextItem,
    )

# 25 pages keep a 2,400-page book under 100 MB; 100 pages take twice that and gain nothing.
_BATCH = 25
_ESCAPED_OR_STARS = re.compile(r"\\([\\_*])|\*+")
# Pages with less text are looked at twice; those of books have 1,500 to 4,000 characters.
_LITTLE = 300
_MAY_CARRY_NO_VALUE = {"pushbutton", "signature", "unknown"}


@dataclass(frozen=True, slots=True)
class Recognition:
    """How pages without a text layer are read: where the language data lies, and how fine to draw."""

    tessdata: Path
    language: str
    dpi: int
    workers: int


def liteparse(
    total: int,
    *,
    form: bool = False,
    tags: bool = False,
    complexity: bool = False,
    recognition: Recognition | None = None,
    turns: Sequence[tuple[int, int]] = (),
    pages: Sequence[int] = (),
) -> LiteParse:
    """liteparse with its traps disarmed."""
    from liteparse.parser import LiteParse

    return LiteParse(
        quiet=True,
        output_format="json",
        max_pages=max(total, 1),  # the default of 1,000 cuts longer files without a word
        extract_blocks=True,
        extract_links=False,
        extract_form_fields=form,
        extract_structure_tree=tags,
        extract_text_metadata=tags,
        include_complexity=complexity,
        continue_on_page_error=True,
        # Its own rule sees one batch only; the one in running.py sees the whole document.
        keep_headers_footers=True,
        # On without a folder, it would fetch language data from the network.
        ocr_enabled=recognition is not None,
        tessdata_path=str(recognition.tessdata) if recognition else None,
        ocr_language=recognition.language if recognition else None,
        dpi=float(recognition.dpi) if recognition else None,
        num_workers=recognition.workers if recognition else None,
        page_orientation_corrections=list(turns) or None,
        target_pages=",".join(map(str, pages)) or None,
    )


class LiteparseEngine:
    """Reads a file page by page in batches, so that memory does not grow with its length."""

    name = "liteparse"

    def __init__(self, path: Path, total: int, *, form: bool = False, tags: bool = False) -> None:
        self._path = path
        self._total = total
        self._form = form
        self._tags = tags

    def pages(self) -> Iterator[PageRead]:
        from liteparse.types import ParseError

        try:
            parser = liteparse(self._total, form=self._form, tags=self._tags)
            for batch in parser.parse_batches(self._path, _BATCH):
                for page in batch.result.pages:
                    yield page_read(page, self._total)
        except ParseError as error:
            raise EngineFailed(str(error)) from error

    def turned_pages(self, turns: Mapping[int, int]) -> Iterator[PageRead]:
        """Read these pages again, each turned back by so many degrees; boxes are as shown."""
        for group in _groups(sorted(turns)):
            turn = [(number, turns[number]) for number in group]
            for page in self._parsed(liteparse(self._total, form=self._form, turns=turn, pages=group)):
                yield as_shown(page_read(page, self._total), turns.get(page.page_num, 0))

    def reasons_for_ocr(self, numbers: Sequence[int]) -> Iterator[tuple[int, str | None]]:
        """Why the text of these pages cannot be used; None where it can. Takes 1 ms for each page."""
        for group in _groups(numbers):
            for page in self._parsed(liteparse(self._total, complexity=True, pages=group)):
                if page.complexity is not None:
                    yield page.page_num, _reason_for_ocr(page.complexity, page)

    def _parsed(self, parser: LiteParse) -> list[ParsedPage]:
        from liteparse.types import ParseError

        try:
            return parser.parse(self._path).pages
        except ParseError as error:
            raise EngineFailed(str(error)) from error


def _groups(numbers: Sequence[int]) -> Iterator[Sequence[int]]:
    return (numbers[at : at + _BATCH] for at in range(0, len(numbers), _BATCH))


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


def _reason_for_ocr(stats: PageComplexityStats, page: ParsedPage) -> str | None:
    """liteparse also flags short pages and pages with drawings; those have a text layer that serves."""
    reasons = stats.reasons
    pictured = stats.full_page_image or stats.image_coverage > 0.5
    if "scanned" in reasons or ("sparse-text" in reasons and stats.text_length < 100 and pictured):
        return "scanned"
    if "no-text" in reasons and (not page.text_items or pictured):
        return "no-text"
    if "vector-text" in reasons and stats.text_length < 100:
        return "vector-text"
    # Arabic is taken for garbled by mistake.
    if "garbled" in reasons and not right_to_left(page.text):
        return "garbled"
    return None


def _form_value(form: FormField, page: ParsedPage) -> FormValue | None:
    if form.type in _MAY_CARRY_NO_VALUE or not form.name or form.checked is False:
        return None
    value = clean(", ".join(form.selected_options) or form.value or "").strip()
    if not value:
        return None
    return FormValue(clean(form.alternate_name or form.name), value, _box(form.rect, page))
