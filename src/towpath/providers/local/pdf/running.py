"""Takes running headers, footers and page numbers out of the text.

They would stand in the middle of sentences that go over a page. What says something (a company's
name at the head of every page) is kept where it stands first.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from towpath.providers.local.pdf.pages import PageRead, Piece

_EDGE = 0.13
_LONGEST = 160
_DIGITS = re.compile(r"\d+")
_ROMAN = re.compile(r"[ivxlcdm]{1,7}", re.IGNORECASE)
_PAGE_OF = re.compile(r"\W*(?:page|seite|página|pagina|side|стр\.?)?\s*#\s*(?:of|/|von|de|di|из)\s*#\W*")
_LONE_NUMBER = re.compile(r"\W*(?:(?:page|seite|página|pagina|p|стр)\.?\s*)?#\W*")

Side = Literal["top", "bottom"]


@dataclass(frozen=True, slots=True)
class _Candidate:
    page: int
    at: int
    side: Side
    line: int
    """Height on the page in steps of half a percent."""
    text: str
    signature: str
    """The text with # for every number."""
    number: int | None
    """A number at one of its ends, less the page's own: the same on every page if it is a page number."""


def without_running_lines(pages: Sequence[PageRead]) -> int:
    """Remove them from the pages; says how many pieces went."""
    candidates = [candidate for index, page in enumerate(pages) for candidate in _candidates(index, page)]
    doomed = (
        _repeated(candidates, len(pages))
        | _numbered(candidates, len(pages))
        | _adjacent(candidates, len(pages))
    )
    doomed |= {candidate for candidate in candidates if _PAGE_OF.fullmatch(candidate.signature)}
    if not doomed or _too_much(doomed, pages):
        return 0
    first = _first_that_speaks(doomed)
    by_page: dict[int, dict[int, _Candidate]] = defaultdict(dict)
    for candidate in doomed:
        by_page[candidate.page][candidate.at] = candidate
    for index, gone in by_page.items():
        pages[index].pieces = [
            _calm(piece) if at in gone else piece
            for at, piece in enumerate(pages[index].pieces)
            if at not in gone or gone[at] in first
        ]
    return len(doomed) - len(first)


def _calm(piece: Piece) -> Piece:
    return replace(piece, kind="paragraph", level=0) if piece.kind == "heading" else piece


def _candidates(index: int, page: PageRead) -> Iterator[_Candidate]:
    """The two outermost pieces at either end, when they lie in the margin and are short."""
    count = len(page.pieces)
    for at in sorted({0, 1, count - 2, count - 1}):
        piece = page.pieces[at] if 0 <= at < count else None
        if (
            piece is None
            or piece.box is None
            or piece.kind in ("code", "table")
            or len(piece.text) > _LONGEST
        ):
            continue
        if piece.box.y1 <= _EDGE:
            side: Side = "top"
        elif piece.box.y0 >= 1 - _EDGE:
            side = "bottom"
        else:
            continue
        text = piece.text.strip("*").strip()
        signature = "#" if _ROMAN.fullmatch(text) else _DIGITS.sub("#", " ".join(text.split()).casefold())
        yield _Candidate(
            index, at, side, round(piece.box.y0 * 200), text, signature, _page_number(text, page)
        )


def _page_number(text: str, page: PageRead) -> int | None:
    words = text.split()
    for word in (words[0], words[-1]) if words else ():
        if page.label is not None and word == page.label:
            return 0
        if word.isdecimal() and len(word) <= 5:
            return int(word) - page.number
    return None


def _repeated(candidates: Sequence[_Candidate], pages: int) -> set[_Candidate]:
    """The same words, numbers aside, on at least 3 pages and 3 % of all."""
    seen = Counter((candidate.side, candidate.signature) for candidate in candidates)
    least = max(3, 0.03 * pages)
    return {item for item in candidates if seen[item.side, item.signature] >= least}


def _numbered(candidates: Sequence[_Candidate], pages: int) -> set[_Candidate]:
    """At the same height, with the page's number at one end: "30   Chapter 4. Source packages"."""
    seen = Counter((item.side, item.line, item.number) for item in candidates if item.number is not None)
    least = max(3, 0.1 * pages)
    return {
        item
        for item in candidates
        if item.number is not None and seen[item.side, item.line, item.number] >= least
    }


def _adjacent(candidates: Sequence[_Candidate], pages: int) -> set[_Candidate]:
    """On a line where a third of the pages have something: the same words as one or two pages before."""
    lines = Counter((item.side, item.line) for item in candidates)
    least = max(5, 0.3 * pages)
    last: dict[tuple[Side, int, str], _Candidate] = {}
    found: set[_Candidate] = set()
    for item in candidates:
        key = (item.side, item.line, item.signature)
        before = last.get(key)
        if lines[item.side, item.line] >= least and before is not None and item.page - before.page <= 2:
            found |= {item, before}
        last[key] = item
    return found


def _first_that_speaks(doomed: set[_Candidate]) -> set[_Candidate]:
    """Of words that come again letter by letter, the first stays. With a page number they never do."""
    words = Counter((item.side, item.text) for item in doomed)
    first: dict[tuple[Side, str], _Candidate] = {}
    for item in sorted(doomed, key=lambda item: (item.page, item.at)):
        key = (item.side, item.text)
        if words[key] > 1 and sum(map(str.isalpha, item.text)) > 3:
            first.setdefault(key, item)
    return set(first.values())


def _too_much(doomed: set[_Candidate], pages: Sequence[PageRead]) -> bool:
    """Slides may consist of little else: then nothing is taken away."""
    gone = sum(
        len(pages[item.page].pieces[item.at].text)
        for item in doomed
        if not _LONE_NUMBER.fullmatch(item.signature)
    )
    return gone * 4 > sum(page.kept for page in pages)
