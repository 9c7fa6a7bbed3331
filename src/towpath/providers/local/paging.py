"""Pages out of what a reader noted: marks that the file carried, or pages of an ordinary book's length."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

from towpath.model.content import Block, Page

# A paperback's page. Scripts without spaces are measured by their letters instead.
WORDS_PER_PAGE = 275
_LETTERS_PER_WORD = 6


def pages_at(text: str, starts: Sequence[int], labels: Sequence[str | None] = ()) -> tuple[Page, ...]:
    """Pages that begin at these offsets and together hold the whole text."""
    names: list[str | None] = [*labels, *[None] * (len(starts) - len(labels))]
    begins = list(starts)
    if not begins or text[: begins[0]].strip():
        begins.insert(0, 0)
        names.insert(0, None)
    begins[0] = 0
    ends = [*begins[1:], len(text)]
    return tuple(
        Page(number, start, end, label)
        for number, (start, end, label) in enumerate(zip(begins, ends, names, strict=True), start=1)
    )


def book_pages(
    text: str, spans: Sequence[tuple[int, int]], chapters: Sequence[tuple[int, str | None]]
) -> tuple[Page, ...]:
    """Pages of about ``WORDS_PER_PAGE`` words, cut between blocks, each of one chapter and called by it."""
    starts: list[int] = []
    labels: list[str | None] = []
    chapter_starts = [start for start, _ in chapters]
    chapter, words = -1, 0
    for start, end in spans:
        current = bisect_right(chapter_starts, start) - 1
        if current != chapter or words >= WORDS_PER_PAGE:
            starts.append(start)
            labels.append(chapters[current][1] if current >= 0 else None)
            chapter, words = current, 0
        words += max(text.count(" ", start, end) + 1, (end - start) // _LETTERS_PER_WORD)
    return pages_at(text, starts, labels)


def blocks_on(pages: Sequence[Page], spans: Sequence[tuple[int, int]]) -> tuple[Block, ...]:
    """Each block with the page on which it begins; none where there are no pages."""
    if not pages:
        return ()
    starts = [page.start for page in pages]
    return tuple(Block(start, end, pages[bisect_right(starts, start) - 1].number) for start, end in spans)
