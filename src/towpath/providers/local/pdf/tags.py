"""Headings from the tags of a PDF: word processors and browsers write down what was a heading.

They serve where there is no outline, and are worth as much as one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from towpath.providers.local.pdf.pages import Bookmark, PageRead, clean, fraction, right_to_left

if TYPE_CHECKING:
    from liteparse.types import ParsedPage, StructureTreeElement, TextItem

_LEVELS = {"Title": 0, "H": 0, "H1": 0, "H2": 1, "H3": 2, "H4": 3, "H5": 4, "H6": 5}
_LONGEST = 200


def tagged_titles(page: ParsedPage) -> list[Bookmark]:
    """The page's headings in the order of its tags."""
    roots = page.structure_tree.roots if page.structure_tree else []
    if not roots:
        return []
    by_mark: dict[int, list[TextItem]] = {}
    for item in page.text_items:
        if item.mcid is not None:
            by_mark.setdefault(item.mcid, []).append(item)
    return [title for element in _headings(roots) if (title := _title(element, by_mark, page))]


def _headings(elements: Sequence[StructureTreeElement]) -> Iterator[StructureTreeElement]:
    for element in elements:
        if element.type in _LEVELS:
            yield element
        else:
            yield from _headings(element.children)


def _title(
    element: StructureTreeElement, by_mark: dict[int, list[TextItem]], page: ParsedPage
) -> Bookmark | None:
    items = [item for mark in _marks(element) for item in by_mark.get(mark, ())]
    text = " ".join(clean(" ".join(item.text for item in items)).split())
    # The words of a right-to-left line come in the order of the eye, not of the sentence.
    if not text or len(text) > _LONGEST or right_to_left(text):
        return None
    top = min(item.y for item in items) / (page.height or 1.0)
    return Bookmark(text, _LEVELS[element.type], page.page_num - 1, fraction(top))


def _marks(element: StructureTreeElement) -> Iterator[int]:
    yield from element.marked_content_ids
    for child in element.children:
        yield from _marks(child)


def trusted(pages: Sequence[PageRead]) -> list[Bookmark]:
    """All titles, unless so much of the text is tagged as heading that the tags mean nothing."""
    titles = [title for page in pages for title in page.titles]
    letters = sum(len(title.title) for title in titles)
    return titles if letters * 4 < sum(page.kept for page in pages) else []
