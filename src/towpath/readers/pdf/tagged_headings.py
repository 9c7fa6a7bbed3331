"""Reads headings from the structure tags of a PDF, which word processors and browsers write.

They are used if there is no outline, and are as reliable.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from towpath.readers.pdf.page_model import Bookmark, PdfPage, is_right_to_left, normalize_text, page_fraction

if TYPE_CHECKING:
    from liteparse.types import ParsedPage, StructureTreeElement, TextItem

_LEVELS = {"Title": 0, "H": 0, "H1": 0, "H2": 1, "H3": 2, "H4": 3, "H5": 4, "H6": 5}
_MAX_LENGTH = 200
_SAME_HEIGHT = 0.004


def read_tagged_headings(page: ParsedPage) -> list[Bookmark]:
    """The headings of a page in the order of its tags."""
    roots = page.structure_tree.roots if page.structure_tree else []
    if not roots:
        return []
    items_by_mcid: dict[int, list[TextItem]] = {}
    for item in page.text_items:
        if item.mcid is not None:
            items_by_mcid.setdefault(item.mcid, []).append(item)
    titles = [title for element in _headings(roots) if (title := _to_bookmark(element, items_by_mcid, page))]
    return _without_labels(titles)


def _without_labels(titles: Sequence[Bookmark]) -> list[Bookmark]:
    """Without titles at one height: web pages tag the heads of columns and the labels of forms as headings."""
    beside = {
        title.title
        for first, second in pairwise(titles)
        if first.top is not None and second.top is not None and abs(first.top - second.top) < _SAME_HEIGHT
        for title in (first, second)
    }
    return [title for title in titles if title.title not in beside]


def _headings(elements: Sequence[StructureTreeElement]) -> Iterator[StructureTreeElement]:
    for element in elements:
        if element.type in _LEVELS:
            yield element
        else:
            yield from _headings(element.children)


def _to_bookmark(
    element: StructureTreeElement, items_by_mcid: dict[int, list[TextItem]], page: ParsedPage
) -> Bookmark | None:
    items = [item for mcid in _marked_content_ids(element) for item in items_by_mcid.get(mcid, ())]
    text = " ".join(normalize_text(" ".join(item.text for item in items)).split())
    # The words of a right-to-left line come in visual order, not in reading order.
    if not text or len(text) > _MAX_LENGTH or is_right_to_left(text):
        return None
    top = min(item.y for item in items) / (page.height or 1.0)
    return Bookmark(text, _LEVELS[element.type], page.page_num - 1, page_fraction(top))


def _marked_content_ids(element: StructureTreeElement) -> Iterator[int]:
    yield from element.marked_content_ids
    for child in element.children:
        yield from _marked_content_ids(child)


def reliable_headings(pages: Sequence[PdfPage]) -> list[Bookmark]:
    """All tagged headings; none if they are over a quarter of the text, because such tags are wrong."""
    titles = [title for page in pages for title in page.tagged_headings]
    length = sum(len(title.title) for title in titles)
    return titles if length * 4 < sum(page.block_characters for page in pages) else []
