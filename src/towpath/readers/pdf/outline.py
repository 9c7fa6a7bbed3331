"""Sets the headings of a PDF from its bookmarks.

An author's outline is right about titles and levels; rules about font sizes are right half of the time.
Each bookmark is searched on its page and the matching block becomes a heading. Other headings that the
rules detected become bold text, except subsections in a larger font.
"""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from towpath.readers.pdf.heading_styles import HeadingStyles
from towpath.readers.pdf.page_model import Bookmark, PageBlock, PdfPage

# An outline of which fewer than 4 in 10 titles are found on their pages does not belong to the text.
_MIN_FOUND_SHARE = 0.4
# With less than one entry per 15 pages it names only the main parts; detected headings are kept below them.
_PAGES_PER_SPARSE_ENTRY = 15
_MAX_BLOCKS_PER_TITLE = 4
_TITLE_PAGES = 3
# A bookmark below this share of the page may belong to the top of the next one.
_BOTTOM = 0.75
_COMPARED_LENGTH = 300
_TITLE_KINDS = ("heading", "paragraph", "list")
_NUMBERING = re.compile(
    r"(?:(?:chapter|part|section|appendix|annex|kapitel|teil|abschnitt|anhang|chapitre|partie|section|annexe"
    r"|capítulo|parte|sección|capitolo|глава|раздел|часть|приложение)\s+)?"
    r"(?:第\s*[\d一二三四五六七八九十百]+\s*[章节節部篇]|(?:\d+|[a-z]|[ivxlc]+)(?:\.\d+)*(?:[.:)]|\s|$))[\s.:–—-]*",
    re.IGNORECASE,
)


# A page number and what separates it from a running header.
_PAGE_NUMBER = re.compile(
    r"^(?:\d{1,5}|[ivxlc]{1,7})(?=\W)\W*|(?:(?<!\W)\W+|(?<=\W))(?:\d{1,5}|[ivxlc]{1,7})$", re.IGNORECASE
)

_Keys = Sequence[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class _Match:
    """Blocks ``first`` to ``last`` of a page contain the title; ``cut`` is its end in the last block."""

    first: int
    last: int
    cut: int | None = None


_Found = tuple[Bookmark, _Match | None]


def apply_outline(
    pages: Sequence[PdfPage],
    outline: Sequence[Bookmark],
    title: str = "",
    styles: HeadingStyles | None = None,
) -> bool:
    """Turn bookmarks into headings; False if the outline does not match the text and was ignored.

    Detected headings that no bookmark names stay headings if ``styles`` says so.

    ``title`` is that of the document: its heading stays one, since an outline seldom has it.
    """
    by_page: dict[int, list[Bookmark]] = defaultdict(list)
    for bookmark in outline:
        by_page[bookmark.page].append(bookmark)
    matches = {index: list(_match_bookmarks(pages[index], entries)) for index, entries in by_page.items()}
    _match_on_next_page(pages, by_page, matches)
    found_count = sum(
        1 for page_matches in matches.values() for _, match in page_matches if match is not None
    )
    if not outline or found_count < _MIN_FOUND_SHARE * len(outline):
        return False
    styles = styles or HeadingStyles(pages)
    is_sparse = len(outline) * _PAGES_PER_SPARSE_ENTRY < len(pages)
    depth = 0
    for index, page in enumerate(pages):
        book_title = _comparison_key(title) if index < _TITLE_PAGES else ""
        depth = _set_headings(
            page, matches.get(index, []), depth, styles, is_sparse=is_sparse, title=book_title
        )
    return True


def _match_on_next_page(
    pages: Sequence[PdfPage], by_page: dict[int, list[Bookmark]], matches: dict[int, list[_Found]]
) -> None:
    """Move bookmarks at the bottom of a page to the next one if their titles are there.

    A program that records the place before it breaks the page points to the page before.
    """
    for index in sorted(matches):
        last = matches[index][-1]
        bookmark, match = last
        if match is not None or bookmark.top is None or bookmark.top < _BOTTOM or index + 1 >= len(pages):
            continue
        moved = replace(bookmark, page=index + 1, top=0.0)
        entries = [moved, *by_page.get(index + 1, ())]
        found = list(_match_bookmarks(pages[index + 1], entries))
        if found[0][1] is not None:
            matches[index].remove(last)
            matches[index + 1] = found


def _match_bookmarks(page: PdfPage, bookmarks: Sequence[Bookmark]) -> Iterator[_Found]:
    texts = [block.text if block.kind in _TITLE_KINDS else "" for block in page.blocks]
    keys = [
        (_comparison_key(text[:_COMPARED_LENGTH]), _key_without_numbering(text[:_COMPARED_LENGTH]))
        for text in texts
    ]
    used_until: dict[int, int] = {}
    for bookmark in bookmarks:
        match = _find_title(page.blocks, keys, used_until, bookmark)
        if match is not None:
            for index in range(match.first, match.last + 1):
                used_until[index] = len(page.blocks[index].text)
            if match.cut is not None:
                # The next title may be in the rest of the block.
                used_until[match.last] = match.cut
        yield bookmark, match


def _find_title(
    blocks: Sequence[PageBlock], keys: _Keys, used_until: dict[int, int], bookmark: Bookmark
) -> _Match | None:
    """The best match of the title, by quality, then by distance, then by order on the page."""
    titles = {_comparison_key(bookmark.title), _key_without_numbering(bookmark.title)} - {""}
    if not titles:
        return None
    best: tuple[int, float, int, _Match] | None = None
    for index, block in enumerate(blocks):
        start = used_until.get(index, 0)
        if not keys[index][0] or start >= len(block.text):
            continue
        distance = _distance(block, bookmark)
        rank, match = _compare_block(blocks, keys, index, start, titles, is_near=distance < 0.06)
        if match is not None and (best is None or (rank, distance, index) < best[:3]):
            best = (rank, distance, index, match)
    return best[3] if best else None


def _compare_block(
    blocks: Sequence[PageBlock], keys: _Keys, index: int, start: int, titles: set[str], *, is_near: bool
) -> tuple[int, _Match | None]:
    """Rank and match of one block, 0 is best.

    0: the block is the title; 1: several blocks are; 2: the block begins with it; 3: a heading ends with it;
    9: no match.
    """
    rest = blocks[index].text[start : start + _COMPARED_LENGTH]
    key, bare_key = (_comparison_key(rest), _key_without_numbering(rest)) if start else keys[index]
    if (key in titles or bare_key in titles) and len(blocks[index].text) < _COMPARED_LENGTH:
        return 0, _Match(index, index)
    for joined in (key, bare_key):
        for last in range(index + 1, min(index + _MAX_BLOCKS_PER_TITLE, len(blocks))):
            if not keys[last][0] or not any(title.startswith(joined) for title in titles):
                break
            joined += keys[last][0]
            if joined in titles:
                return 1, _Match(index, last)
    longest = max(titles, key=len)
    if len(longest) < 3:
        return 9, None
    if is_near or start:
        # The title without its number may be longer than a bare word; the block may have the number or not.
        for title in sorted(titles, key=len, reverse=True):
            for offset, text_key in ((start, key), (start + _numbering_length(rest), bare_key)):
                if len(title) > 2 and text_key.startswith(title):
                    cut = _title_end(blocks[index].text, offset, title)
                    if cut:
                        return 2, _Match(index, index, cut)
    if blocks[index].kind == "heading" and key.endswith(longest) and len(key) - len(longest) <= 24:
        return 3, _Match(index, index)
    return 9, None


def _title_end(text: str, start: int, key: str) -> int | None:
    """The offset where the title ends, or None if it does not end at the end of a word."""
    length = 0
    for offset in range(start, len(text)):
        length += len(_comparison_key(text[offset]))
        if length == len(key):
            end = offset + 1
            while end < len(text) and not text[end].isalnum() and not text[end].isspace():
                end += 1
            return end if end < len(text) and text[end].isspace() else None
        if length > len(key):
            return None
    return None


def _set_headings(
    page: PdfPage,
    matches: Sequence[tuple[Bookmark, _Match | None]],
    level: int,
    styles: HeadingStyles,
    *,
    is_sparse: bool,
    title: str,
) -> int:
    """Set the page's headings; returns the level of the last one."""
    starts: dict[int, list[tuple[Bookmark, _Match]]] = defaultdict(list)
    unmatched: list[Bookmark] = []
    for bookmark, match in matches:
        if match is None:
            unmatched.append(bookmark)
        else:
            starts[match.first].append((bookmark, match))
    blocks: list[PageBlock] = []
    last_matched = -1
    for index, block in enumerate(page.blocks):
        while unmatched and _is_before(unmatched[0], block):
            bookmark = unmatched.pop(0)
            level = _heading_level(bookmark)
            blocks.append(PageBlock("heading", bookmark.title, level=level))
        if index <= last_matched:
            continue
        if index in starts:
            title_start = 0
            for bookmark, match in starts[index]:
                level = _heading_level(bookmark)
                parts = [page.blocks[index].text for index in range(match.first, match.last + 1)]
                end = match.cut if match.cut is not None else len(block.text)
                text = " ".join(parts) if match.last > index else block.text[title_start:end]
                blocks.append(
                    replace(block, kind="heading", text=_without_asterisks(text), level=level, bold=False)
                )
                title_start, last_matched = end, max(last_matched, match.last)
            if rest := block.text[title_start:].strip(" *"):
                blocks.append(replace(block, kind="paragraph", text=rest, level=0, bold=False))
        elif block.kind == "heading" and title and _comparison_key(block.text) == title:
            blocks.append(replace(block, level=1))
            title = ""
        elif block.kind == "heading" and is_sparse:
            blocks.append(_as_subheading(block, level))
        elif block.kind == "heading" and level and styles.is_subheading(block) and _is_title(block):
            blocks.append(replace(block, level=min(6, level + 1)))
        elif block.kind == "heading":
            blocks.append(_as_bold_paragraph(block))
        else:
            blocks.append(block)
    for bookmark in unmatched:
        level = _heading_level(bookmark)
        blocks.append(PageBlock("heading", bookmark.title, level=level))
    page.blocks = blocks
    return level


def _is_title(block: PageBlock) -> bool:
    """True if a heading has more than a number: not "Chapter 4" above the title of the chapter."""
    return _key_without_numbering(block.text) != ""


def _is_before(bookmark: Bookmark, block: PageBlock) -> bool:
    return bookmark.top is None or (block.box is not None and block.box.y0 >= bookmark.top - 0.01)


def _heading_level(bookmark: Bookmark) -> int:
    return min(6, bookmark.level + 1)


def _as_subheading(block: PageBlock, level: int) -> PageBlock:
    return replace(block, level=min(6, level + max(1, block.level)))


def _as_bold_paragraph(block: PageBlock) -> PageBlock:
    return replace(block, kind="paragraph", level=0, bold=True)


def _without_asterisks(text: str) -> str:
    return text.replace("**", "").strip(" *")


def _distance(block: PageBlock, bookmark: Bookmark) -> float:
    if block.box is None or bookmark.top is None:
        return 0.05
    # A bookmark points to the line or slightly above it, seldom below.
    offset = block.box.y0 - bookmark.top
    return offset if offset >= 0 else -2 * offset


def _comparison_key(text: str) -> str:
    """Letters and digits in one case, for comparison without regard to typesetting."""
    normalized = unicodedata.normalize("NFKC", text).casefold()
    return "".join(filter(str.isalnum, normalized))


def _numbering_length(text: str) -> int:
    """The length of numbering such as "Chapter 4" or "4.15" in front of a title, with asterisks before it."""
    marks = len(text) - len(text.lstrip("* "))
    numbering = _NUMBERING.match(text, marks)
    return numbering.end() if numbering else marks


def _key_without_numbering(text: str) -> str:
    """The key without numbering in front."""
    return _comparison_key(text[_numbering_length(text) :])


def title_keys(outline: Sequence[Bookmark]) -> dict[str, int]:
    """The keys of all titles, with and without numbering, and the first page of each."""
    keys: dict[str, int] = {}
    for bookmark in outline:
        for key in (_comparison_key(bookmark.title), _key_without_numbering(bookmark.title)):
            if len(key) > 2:
                keys[key] = min(bookmark.page, keys.get(key, bookmark.page))
    return keys


def running_title_key(text: str) -> str:
    """The key of a running header: without page number at either end, and without numbering."""
    return _key_without_numbering(_PAGE_NUMBER.sub("", text.strip("* ")))
