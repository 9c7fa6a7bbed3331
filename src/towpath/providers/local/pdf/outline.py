"""Turns the bookmarks of a PDF into its headings.

Where an author left an outline, it is right about titles and levels; rules about letter sizes are
right half of the time. Each bookmark is looked for on its page and its passage becomes a heading;
what the rules took for a heading besides becomes bold text.
"""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from towpath.providers.local.pdf.pages import Bookmark, PageRead, Piece

# An outline that knows fewer than 4 titles in 10 of what stands on its pages is about something else.
_LEAST_FOUND = 0.4
# With fewer entries than one in 15 pages it names parts only, and the sections below are left to the rules.
_SPARSE = 15
_MOST_PARTS = 4
_LOOK = 300
_TITLES = ("heading", "paragraph", "list")
_NUMBERING = re.compile(
    r"(?:(?:chapter|part|section|appendix|annex|kapitel|teil|abschnitt|anhang|chapitre|partie|section|annexe"
    r"|capítulo|parte|sección|capitolo|глава|раздел|часть|приложение)\s+)?"
    r"(?:第\s*[\d一二三四五六七八九十百]+\s*[章节節部篇]|(?:\d+|[a-z]|[ivxlc]+)(?:\.\d+)*(?:[.:)]|\s|$))[\s.:–—-]*",
    re.IGNORECASE,
)


_Keys = Sequence[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class _Match:
    """Pieces ``first`` to ``last`` of a page carry the title; ``cut`` is where it ends in the last one."""

    first: int
    last: int
    cut: int | None = None


def with_outline(pages: Sequence[PageRead], outline: Sequence[Bookmark]) -> bool:
    """Make headings of the bookmarks; False when the outline does not fit the text and was left aside."""
    by_page: dict[int, list[Bookmark]] = defaultdict(list)
    for bookmark in outline:
        by_page[bookmark.page].append(bookmark)
    plans = {index: list(_matches(pages[index], entries)) for index, entries in by_page.items()}
    found = sum(1 for plan in plans.values() for _, match in plan if match is not None)
    if not outline or found < _LEAST_FOUND * len(outline):
        return False
    sparse = len(outline) * _SPARSE < len(pages)
    depth = 0
    for index, page in enumerate(pages):
        depth = _rewrite(page, plans.get(index, []), depth, sparse=sparse)
    return True


def _matches(page: PageRead, bookmarks: Sequence[Bookmark]) -> Iterator[tuple[Bookmark, _Match | None]]:
    texts = [piece.text if piece.kind in _TITLES else "" for piece in page.pieces]
    keys = [(_key(text[:_LOOK]), _bare_key(text[:_LOOK])) for text in texts]
    begun: dict[int, int] = {}
    for bookmark in bookmarks:
        match = _find(page.pieces, keys, begun, bookmark)
        if match is not None:
            for at in range(match.first, match.last + 1):
                begun[at] = len(page.pieces[at].text)
            if match.cut is not None:
                # The rest of the piece is free for the next title.
                begun[match.last] = match.cut
        yield bookmark, match


def _find(pieces: Sequence[Piece], keys: _Keys, begun: dict[int, int], bookmark: Bookmark) -> _Match | None:
    """The best place for the title: first how well it fits, then how near, then the order on the page."""
    wanted = {_key(bookmark.title), _bare_key(bookmark.title)} - {""}
    if not wanted:
        return None
    best: tuple[int, float, int, _Match] | None = None
    for at, piece in enumerate(pieces):
        start = begun.get(at, 0)
        if not keys[at][0] or start >= len(piece.text):
            continue
        far = _distance(piece, bookmark)
        rank, match = _compare(pieces, keys, at, start, wanted, near=far < 0.06)
        if match is not None and (best is None or (rank, far, at) < best[:3]):
            best = (rank, far, at, match)
    return best[3] if best else None


def _compare(
    pieces: Sequence[Piece], keys: _Keys, at: int, start: int, wanted: set[str], *, near: bool
) -> tuple[int, _Match | None]:
    """0: it is the title; 1: several pieces are; 2: the piece begins with it; 3: a heading ends with it."""
    rest = pieces[at].text[start : start + _LOOK]
    key, bare = (_key(rest), _bare_key(rest)) if start else keys[at]
    if (key in wanted or bare in wanted) and len(pieces[at].text) < _LOOK:
        return 0, _Match(at, at)
    joined = key
    for last in range(at + 1, min(at + _MOST_PARTS, len(pieces))):
        if not keys[last][0] or not any(title.startswith(joined) for title in wanted):
            break
        joined += keys[last][0]
        if joined in wanted:
            return 1, _Match(at, last)
    longest = max(wanted, key=len)
    if len(longest) < 3:
        return 9, None
    if (near or start) and key.startswith(longest) and (cut := _cut(pieces[at].text, start, longest)):
        return 2, _Match(at, at, cut)
    if pieces[at].kind == "heading" and key.endswith(longest) and len(key) - len(longest) <= 24:
        return 3, _Match(at, at)
    return 9, None


def _cut(text: str, begun: int, key: str) -> int | None:
    """Where in the text the title ends, when it ends with a word."""
    seen = 0
    for at in range(begun, len(text)):
        seen += len(_key(text[at]))
        if seen == len(key):
            end = at + 1
            while end < len(text) and not text[end].isalnum() and not text[end].isspace():
                end += 1
            return end if end < len(text) and text[end].isspace() else None
        if seen > len(key):
            return None
    return None


def _rewrite(
    page: PageRead, plan: Sequence[tuple[Bookmark, _Match | None]], depth: int, *, sparse: bool
) -> int:
    """Set the page's headings; returns how deep the last one stands."""
    starts: dict[int, list[tuple[Bookmark, _Match]]] = defaultdict(list)
    lost: list[Bookmark] = []
    for bookmark, match in plan:
        if match is None:
            lost.append(bookmark)
        else:
            starts[match.first].append((bookmark, match))
    pieces: list[Piece] = []
    skip = -1
    for at, piece in enumerate(page.pieces):
        while lost and _stands_before(lost[0], piece):
            bookmark = lost.pop(0)
            depth = _level(bookmark)
            pieces.append(Piece("heading", bookmark.title, level=depth))
        if at <= skip:
            continue
        if at in starts:
            begun = 0
            for bookmark, match in starts[at]:
                depth = _level(bookmark)
                parts = [page.pieces[index].text for index in range(match.first, match.last + 1)]
                end = match.cut if match.cut is not None else len(piece.text)
                title = " ".join(parts) if match.last > at else piece.text[begun:end]
                pieces.append(replace(piece, kind="heading", text=_plain(title), level=depth, bold=False))
                begun, skip = end, max(skip, match.last)
            if rest := piece.text[begun:].strip(" *"):
                pieces.append(replace(piece, kind="paragraph", text=rest, level=0, bold=False))
        elif piece.kind == "heading":
            pieces.append(_below(piece, depth) if sparse else _bold(piece))
        else:
            pieces.append(piece)
    for bookmark in lost:
        depth = _level(bookmark)
        pieces.append(Piece("heading", bookmark.title, level=depth))
    page.pieces = pieces
    return depth


def _stands_before(bookmark: Bookmark, piece: Piece) -> bool:
    return bookmark.top is None or (piece.box is not None and piece.box.y0 >= bookmark.top - 0.01)


def _level(bookmark: Bookmark) -> int:
    return min(6, bookmark.level + 1)


def _below(piece: Piece, depth: int) -> Piece:
    return replace(piece, level=min(6, depth + max(1, piece.level)))


def _bold(piece: Piece) -> Piece:
    return replace(piece, kind="paragraph", level=0, bold=True)


def _plain(text: str) -> str:
    return text.replace("**", "").strip(" *")


def _distance(piece: Piece, bookmark: Bookmark) -> float:
    if piece.box is None or bookmark.top is None:
        return 0.05
    # A bookmark leads to the line itself or to a little above it, seldom below.
    offset = piece.box.y0 - bookmark.top
    return offset if offset >= 0 else -2 * offset


def _key(text: str) -> str:
    """The letters and digits alone, in one case: what is left when the typesetting is taken away."""
    plain = unicodedata.normalize("NFKC", text).casefold()
    return "".join(filter(str.isalnum, plain))


def _bare_key(text: str) -> str:
    """Without "Chapter 4" or "4.15" in front."""
    text = text.lstrip("* ")
    numbering = _NUMBERING.match(text)
    return _key(text[numbering.end() :] if numbering else text)
