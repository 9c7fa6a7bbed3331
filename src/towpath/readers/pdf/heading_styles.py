"""Finds headings by font: those larger than the text, and those in a font that other headings have.

liteparse takes any bold line for a heading. Where a document has headings in a larger font, bold lines in the size of
the text are labels, captions or terms; and where bookmarks name the chapters only, larger lines are their subsections.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from towpath.readers.pdf.classify_tables import NOTE_LABELS
from towpath.readers.pdf.page_layout import is_bold, is_monospace
from towpath.readers.pdf.page_model import PageBlock, PdfPage

# A heading is larger than the text by this factor.
_LARGER = 1.15
# A size up to this factor is that of the text.
_SAME_SIZE = 1.05
# A font of headings is used at least so often.
_MIN_USES = 3
_MIN_LARGER = 5
_MIN_LETTERS = 4
_NUMBERED = re.compile(r"(?:\d{1,3}|[A-Z])(?:\.\d{1,3})*\.?\s+\S")
_SUBSET = re.compile(r"^[A-Z]{6}\+")

Style = tuple[str, float]


class HeadingStyles:
    """The fonts of the headings of a document."""

    def __init__(self, pages: Sequence[PdfPage]) -> None:
        sizes: Counter[float] = Counter()
        for page in pages:
            sizes.update(page.font_sizes)
        self._text_size = sizes.most_common(1)[0][0] if sizes else 0.0
        headings = [block for page in pages for block in page.blocks if block.kind == "heading"]
        self._uses = Counter(map(_style, headings))
        self._has_larger = sum(map(self._is_larger, headings)) >= _MIN_LARGER

    def is_subheading(self, block: PageBlock) -> bool:
        """True if a heading that no bookmark names is one all the same: larger than the text, bold, and no label."""
        text = block.text.strip("* ")
        return (
            self._is_larger(block)
            and is_bold(block.font)
            and not is_monospace(block.font)
            and self._uses[_style(block)] >= _MIN_USES
            and sum(map(str.isalpha, text)) >= _MIN_LETTERS
            and any(map(str.islower, text))
            and text.strip(" :").casefold() not in NOTE_LABELS
        )

    def is_label(self, block: PageBlock) -> bool:
        """True if a heading is a bold line in the size of the text, in a document with larger headings."""
        return (
            self._has_larger
            and block.font != ""
            and 0 < block.size <= _SAME_SIZE * self._text_size
            and _NUMBERED.match(block.text.strip("* ")) is None
        )

    def _is_larger(self, block: PageBlock) -> bool:
        return self._text_size > 0 and block.size >= _LARGER * self._text_size


def labels_as_text(pages: Sequence[PdfPage], styles: HeadingStyles) -> None:
    """Turn headings that are labels into bold text."""
    for page in pages:
        page.blocks = [
            replace(block, kind="paragraph", level=0, bold=True)
            if block.kind == "heading" and styles.is_label(block)
            else block
            for block in page.blocks
        ]


def _style(block: PageBlock) -> Style:
    return _SUBSET.sub("", block.font), round(block.size, 1)
