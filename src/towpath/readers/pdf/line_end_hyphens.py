"""Restores the hyphens of words such as "dual-encoder" that stood at the end of a line.

liteparse joins every word that is divided at a line end, and leaves a blank before a capital letter or digit.
Whether the hyphen belongs to the word is known from the places in the document where the word is not divided.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from towpath.readers.pdf.page_model import PageBlock, PdfPage

_FIRST = re.compile(r"(?<![\w@./+])([\w@./+]*\w)[-\u2010\ufffe]$")
_SECOND = re.compile(r"\w[\w@/+]*")
_WORD = re.compile(r"[^\W_]+(?:-[^\W_]+)*")
# A shorter part may be a prefix: "re" and "cover".
_MIN_PART = 3


def line_end_hyphens(items: Sequence[str]) -> list[tuple[str, str]]:
    """The parts of words that a hyphen at the end of a text item divides."""
    return [
        (first[1], second[0])
        for item, following in pairwise(items)
        if item.endswith(("-", "\u2010", "\ufffe"))
        and (first := _FIRST.search(item))
        and (second := _SECOND.match(following.lstrip()))
    ]


def restore_hyphens(pages: Sequence[PdfPage]) -> None:
    """Put back the hyphens that belong to words, and remove the blanks behind them."""
    pairs = Counter((first, second) for page in pages for first, second in page.line_end_hyphens)
    if not pairs:
        return
    words: Counter[str] = Counter()
    for page in pages:
        for block in page.blocks:
            words.update(map(str.lower, _WORD.findall(block.text)))
    divided: Counter[str] = Counter()
    for (first, second), count in pairs.items():
        divided[(first + second).lower()] += count
    for page in pages:
        if page.line_end_hyphens:
            page.blocks = [_restored(block, page.line_end_hyphens, words, divided) for block in page.blocks]


def _restored(
    block: PageBlock, pairs: Sequence[tuple[str, str]], words: Counter[str], divided: Counter[str]
) -> PageBlock:
    if block.kind in ("code", "table"):
        return block
    text = block.text
    for first, second in pairs:
        if f"{first}- {second}" in text:
            text = text.replace(f"{first}- {second}", f"{first}-{second}")
        joined = first + second
        if joined in text and _keeps_hyphen(first.lower(), second.lower(), words, divided):
            text = re.sub(rf"(?<!\w){re.escape(joined)}(?!\w)", f"{first}-{second}", text)
    return block if text == block.text else replace(block, text=text)


def _keeps_hyphen(first: str, second: str, words: Counter[str], divided: Counter[str]) -> bool:
    """True if the document has the word with a hyphen, or both parts but never the word without hyphen."""
    joined = first + second
    if words[joined] > divided[joined]:
        return False
    if words[f"{first}-{second}"]:
        return True
    return min(len(first), len(second)) >= _MIN_PART and bool(words[first]) and bool(words[second])
