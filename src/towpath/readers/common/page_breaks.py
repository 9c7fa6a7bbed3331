"""Builds the pages of an extraction: from page marks in the file, or by word count."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

from towpath.model.content import Block, Page

# About one page of a paperback. Scripts without spaces are counted by characters instead.
WORDS_PER_PAGE = 275
_CHARACTERS_PER_WORD = 6


def pages_from_starts(
    text: str, starts: Sequence[int], labels: Sequence[str | None] = ()
) -> tuple[Page, ...]:
    """Pages that begin at these offsets and together cover the whole text."""
    page_labels: list[str | None] = [*labels, *[None] * (len(starts) - len(labels))]
    page_starts = list(starts)
    if not page_starts or text[: page_starts[0]].strip():
        page_starts.insert(0, 0)
        page_labels.insert(0, None)
    page_starts[0] = 0
    ends = [*page_starts[1:], len(text)]
    return tuple(
        Page(number, start, end, label)
        for number, (start, end, label) in enumerate(
            zip(page_starts, ends, page_labels, strict=True), start=1
        )
    )


def pages_by_word_count(
    text: str, spans: Sequence[tuple[int, int]], chapters: Sequence[tuple[int, str | None]]
) -> tuple[Page, ...]:
    """Pages of about ``WORDS_PER_PAGE`` words, cut between blocks, labelled with their chapter."""
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
        words += max(text.count(" ", start, end) + 1, (end - start) // _CHARACTERS_PER_WORD)
    return pages_from_starts(text, starts, labels)


def blocks_with_pages(pages: Sequence[Page], spans: Sequence[tuple[int, int]]) -> tuple[Block, ...]:
    """The blocks with the number of the page on which each begins; empty when there are no pages."""
    if not pages:
        return ()
    starts = [page.start for page in pages]
    return tuple(Block(start, end, pages[bisect_right(starts, start) - 1].number) for start, end in spans)
