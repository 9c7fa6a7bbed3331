"""Reads the words of a PDF's text layer with their boxes, to find fields by their place on the page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from towpath.model.content import Box, Word
from towpath.readers.pdf.page_model import normalize_text, page_fraction

if TYPE_CHECKING:
    from liteparse.types import ParsedPage

#: Fields are on the first and the last pages; a book need not store all its words.
_FIRST_PAGES = 3
_LAST_PAGES = 2


def text_layer_words(page: ParsedPage, page_count: int) -> list[Word]:
    """The words of a first or last page of the file; a run of text shares its width among its words."""
    is_wanted = page.page_num <= _FIRST_PAGES or page.page_num > page_count - _LAST_PAGES
    if not is_wanted or page.width <= 0 or page.height <= 0:
        return []
    words: list[Word] = []
    for item in page.text_items:
        text = normalize_text(item.text)
        letter = item.width / max(1, len(text))
        y0, y1 = page_fraction(item.y / page.height), page_fraction((item.y + item.height) / page.height)
        offset = 0
        for word in text.split():
            offset = text.index(word, offset)
            x0 = item.x + offset * letter
            offset += len(word)
            x1 = item.x + offset * letter
            box = Box(page_fraction(x0 / page.width), y0, page_fraction(x1 / page.width), y1)
            words.append(Word(word, page.page_num, box))
    return words
