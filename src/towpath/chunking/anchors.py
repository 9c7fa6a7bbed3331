"""Finds the page and the box of a character span of a document's markdown."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from itertools import accumulate

from towpath.model.content import Block, Box, Extraction


class AnchorIndex:
    """Pages and blocks of one document, sorted for binary search."""

    def __init__(self, extraction: Extraction) -> None:
        pages = sorted(extraction.pages, key=lambda page: page.start)
        self._page_starts = [page.start for page in pages]
        self._page_numbers = [page.number for page in pages]
        self._blocks = _by_page(extraction.blocks)

    def page_at(self, position: int) -> int | None:
        """The page of a character; a character between two pages belongs to the earlier one."""
        if not self._page_starts:
            return None
        return self._page_numbers[max(0, bisect_right(self._page_starts, position) - 1)]

    def box_around(self, start: int, end: int, page: int | None) -> Box | None:
        """The smallest box around all blocks of the page that overlap the span."""
        boxes = [block.box for block in self._overlapping(start, end, page) if block.box]
        return _union(boxes) if boxes else None

    def box_covering(self, start: int, end: int, page: int | None) -> Box | None:
        """The box of the shortest block that contains the whole span."""
        covering = [
            block
            for block in self._overlapping(start, end, page)
            if block.box and block.start <= start and end <= block.end
        ]
        return min(covering, key=lambda block: block.end - block.start).box if covering else None

    def _overlapping(self, start: int, end: int, page: int | None) -> list[Block]:
        if page not in self._blocks:
            return []
        blocks, starts, max_ends = self._blocks[page]
        candidates = blocks[bisect_right(max_ends, start) : bisect_left(starts, end)]
        return [block for block in candidates if block.end > start]


#: The blocks of a page sorted by start, their starts, and the running maximum of their ends.
_PageBlocks = tuple[list[Block], list[int], list[int]]


def _by_page(blocks: tuple[Block, ...]) -> dict[int | None, _PageBlocks]:
    pages: defaultdict[int, list[Block]] = defaultdict(list)
    for block in blocks:
        pages[block.page].append(block)
    sorted_pages: dict[int | None, _PageBlocks] = {}
    for number, page_blocks in pages.items():
        page_blocks.sort(key=lambda block: (block.start, block.end))
        starts = [block.start for block in page_blocks]
        sorted_pages[number] = (
            page_blocks,
            starts,
            list(accumulate((block.end for block in page_blocks), max)),
        )
    return sorted_pages


def _union(boxes: list[Box]) -> Box:
    return Box(
        min(box.x0 for box in boxes),
        min(box.y0 for box in boxes),
        max(box.x1 for box in boxes),
        max(box.y1 for box in boxes),
    )
