"""Removes running headers, footers and page numbers from the pages.

They would interrupt sentences that continue on the next page. The first occurrence of a header with
words, such as a company's name, is kept.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from towpath.readers.pdf.outline import running_title_key, title_keys
from towpath.readers.pdf.page_model import Bookmark, PageBlock, PdfPage

_MARGIN = 0.13
_MAX_LENGTH = 160
# Running headers are missing on the first pages of chapters and on pages of figures.
_TITLE_LINE_SHARE = 0.25
_DIGITS = re.compile(r"\d+")
_ROMAN = re.compile(r"[ivxlcdm]{1,7}", re.IGNORECASE)
_PAGE_OF = re.compile(
    r"(?s:(?=.{0,200}\Z))\W*(?:page|seite|página|pagina|side|стр\.?)?\s*#\s*(?:of|/|von|de|di|из)\s*#\W*"
)
_LONE_NUMBER = re.compile(r"(?s:(?=.{0,200}\Z))\W*(?:(?:page|seite|página|pagina|p|стр)\.?\s*)?#\W*")

Side = Literal["top", "bottom"]


@dataclass(frozen=True, slots=True)
class _Candidate:
    page: int
    index: int
    side: Side
    line: int
    """Vertical position in steps of 0.5 % of the page height."""
    text: str
    signature: str
    """The text with # for every number."""
    number_offset: int | None
    """A number at one end of the text minus the page's index: constant for page numbers."""


def remove_running_headers(pages: Sequence[PdfPage], outline: Sequence[Bookmark] = ()) -> int:
    """Remove running headers and footers; returns the number of removed blocks.

    The outline tells which headers repeat the title of the chapter or section, which changes from page to page.
    """
    candidates = [
        candidate for page_index, page in enumerate(pages) for candidate in _candidates(page_index, page)
    ]
    running = (
        _repeated(candidates, len(pages))
        | _numbered(candidates, len(pages))
        | _repeated_nearby(candidates, len(pages))
        | _repeated_titles(candidates, len(pages), outline)
    )
    running |= {candidate for candidate in candidates if _PAGE_OF.fullmatch(candidate.signature)}
    if not running or _removes_too_much(running, pages):
        return 0
    retained = _first_informative(running)
    by_page: dict[int, dict[int, _Candidate]] = defaultdict(dict)
    for candidate in running:
        by_page[candidate.page][candidate.index] = candidate
    for index, page_candidates in by_page.items():
        pages[index].blocks = [
            _as_paragraph(block) if index in page_candidates else block
            for index, block in enumerate(pages[index].blocks)
            if index not in page_candidates or page_candidates[index] in retained
        ]
    return len(running) - len(retained)


def _as_paragraph(block: PageBlock) -> PageBlock:
    return replace(block, kind="paragraph", level=0) if block.kind == "heading" else block


def _candidates(index: int, page: PdfPage) -> Iterator[_Candidate]:
    """The first two and last two blocks of a page, if they are short and in the margin."""
    count = len(page.blocks)
    for block_index in sorted({0, 1, count - 2, count - 1}):
        block = page.blocks[block_index] if 0 <= block_index < count else None
        if (
            block is None
            or block.box is None
            or block.kind in ("code", "table")
            or len(block.text) > _MAX_LENGTH
        ):
            continue
        if block.box.y1 <= _MARGIN:
            side: Side = "top"
        elif block.box.y0 >= 1 - _MARGIN:
            side = "bottom"
        else:
            continue
        text = " ".join(block.text.strip("*").split())
        signature = "#" if _ROMAN.fullmatch(text) else _DIGITS.sub("#", text.casefold())
        yield _Candidate(
            index,
            block_index,
            side,
            round(block.box.y0 * 200),
            text,
            signature,
            _page_number_offset(text, page),
        )


def _page_number_offset(text: str, page: PdfPage) -> int | None:
    words = text.split()
    for word in (words[0], words[-1]) if words else ():
        if page.label is not None and word == page.label:
            return 0
        if word.isdecimal() and len(word) <= 5:
            return int(word) - page.number
    return None


def _repeated(candidates: Sequence[_Candidate], page_count: int) -> set[_Candidate]:
    """The same text, except for numbers, on at least 3 pages and 3 % of all."""
    counts = Counter((candidate.side, candidate.signature) for candidate in candidates)
    minimum = max(3, 0.03 * page_count)
    return {item for item in candidates if counts[item.side, item.signature] >= minimum}


def _numbered(candidates: Sequence[_Candidate], page_count: int) -> set[_Candidate]:
    """At the same height, with the page number at one end: "30   Chapter 4. Source packages"."""
    counts = Counter(
        (item.side, item.line, item.number_offset) for item in candidates if item.number_offset is not None
    )
    minimum = max(3, 0.1 * page_count)
    return {
        item
        for item in candidates
        if item.number_offset is not None and counts[item.side, item.line, item.number_offset] >= minimum
    }


def _repeated_nearby(candidates: Sequence[_Candidate], page_count: int) -> set[_Candidate]:
    """At a height where 30 % of the pages have text: the same text as one or two pages before."""
    counts = Counter((item.side, item.line) for item in candidates)
    minimum = max(5, 0.3 * page_count)
    last: dict[tuple[Side, int, str], _Candidate] = {}
    running: set[_Candidate] = set()
    for item in candidates:
        key = (item.side, item.line, item.signature)
        previous = last.get(key)
        if (
            counts[item.side, item.line] >= minimum
            and previous is not None
            and item.page - previous.page <= 2
        ):
            running |= {item, previous}
        last[key] = item
    return running


def _repeated_titles(
    candidates: Sequence[_Candidate], page_count: int, outline: Sequence[Bookmark]
) -> set[_Candidate]:
    """At a height where most pages have text: the title of a chapter or section that began on an earlier page."""
    titles = title_keys(outline)
    if not titles:
        return set()
    counts = Counter((item.side, item.line) for item in candidates)
    minimum = max(4, _TITLE_LINE_SHARE * page_count)
    running: set[_Candidate] = set()
    for item in candidates:
        nearby = sum(counts[item.side, item.line + offset] for offset in (-1, 0, 1))
        first_page = titles.get(running_title_key(item.text))
        if nearby >= minimum and first_page is not None and first_page < item.page:
            running.add(item)
    return running


def _first_informative(running: set[_Candidate]) -> set[_Candidate]:
    """The first occurrence of each text that repeats exactly; texts with a page number never do."""
    counts = Counter((item.side, item.text) for item in running)
    first: dict[tuple[Side, str], _Candidate] = {}
    for item in sorted(running, key=lambda item: (item.page, item.index)):
        key = (item.side, item.text)
        if counts[key] > 1 and sum(map(str.isalpha, item.text)) > 3:
            first.setdefault(key, item)
    return set(first.values())


def _removes_too_much(running: set[_Candidate], pages: Sequence[PdfPage]) -> bool:
    """True if over a quarter of the text would be removed, as on slides: then nothing is removed."""
    removed_length = sum(
        len(pages[item.page].blocks[item.index].text)
        for item in running
        if not _LONE_NUMBER.fullmatch(item.signature)
    )
    return removed_length * 4 > sum(page.block_characters for page in pages)
