"""Finds the main content of a web page: an extractor chooses the text, the page's own markup keeps its structure.

trafilatura finds the article but flattens nested lists, tables and code. So its text is only used to mark the blocks
of the page. Blocks between the marked ones stay too, unless they look like navigation, banners or links to other
pages: this keeps headings, tables and code of manuals.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from importlib import import_module
from typing import Any

from towpath.readers.common import safe_xml
from towpath.readers.common.safe_xml import Element
from towpath.readers.common.table_grid import is_layout_table
from towpath.readers.html.text_blocks import TextBlock, text_blocks

_WORD = re.compile(r"\w+")
_SHINGLE = 4
#: Longer pages are not given to the extractor, which takes seconds for each 10 MB.
_MAX_LENGTH = 5_000_000
_ARTICLE_DATA = re.compile(r'"@type"\s*:\s*\[?\s*"\w*(?:Article|Posting|Report)"')
_ARTICLE_ITEM = re.compile(r"schema\.org/\w*(?:Article|Posting)")
_MIN_MATCH = 0.5
#: With fewer words, or less than this share of the page's text, the extractor failed: only furniture is removed.
_MIN_WORDS = 30
_MIN_SHARE = 0.25
_MAX_LINK_SHARE = 0.5
_PROSE_WORDS = 12
_MIN_SAME_KIND = 3
_ARTICLE_SHARE = 0.8
_PAGE_SHARE = 0.95
_MIN_TABLE_SHARE = 0.3
_MAX_FURNITURE_SHARE = 0.15
_MIN_LIST_SHARE = 0.5
# Extractors often lose these; between chosen blocks they belong to the content.
_STRUCTURE_TAGS = ("pre", "td", "th", "dt", "dd")


def select_main_content(root: Element, html_text: str) -> bool:
    """Clear everything but the main content in the tree. False if the page is kept as a whole."""
    blocks = text_blocks(root)
    kept = choose_blocks(blocks, extract_text(html_text), is_article=_is_article(root))
    if sum(len(block.words) for block, keep in zip(blocks, kept, strict=True) if keep) < _MIN_WORDS:
        return False
    _clear_others(root, blocks, kept)
    return True


def _is_article(root: Element) -> bool:
    """True if the page declares that it is an article, as almost all news pages and blogs do; manuals do not."""
    for meta in root.iter("{*}meta"):
        name = (meta.get("property") or meta.get("name") or "").lower()
        if name == "article:published_time" or (name == "og:type" and meta.get("content") == "article"):
            return True
    if any(_ARTICLE_DATA.search(script.text or "") for script in root.iter("{*}script")):
        return True
    return any(
        safe_xml.local_name(element.tag).lower() == "article"
        or _ARTICLE_ITEM.search(element.get("itemtype") or "")
        for element in root.iter("{*}article", "{*}div", "{*}section", "{*}main", "{*}body", "{*}html")
    )


def extract_text(html_text: str) -> str:
    """The text of the main content as trafilatura finds it; empty if it finds none."""
    if len(html_text) > _MAX_LENGTH:
        return ""
    trafilatura: Any = import_module("trafilatura")
    try:
        text = trafilatura.extract(html_text, include_comments=False, include_tables=True)
    except Exception:  # any page is accepted: without an extraction the whole page is read
        return ""
    return str(text or "")


def choose_blocks(blocks: Sequence[TextBlock], extracted: str, *, is_article: bool) -> list[bool]:
    """Which blocks belong to the main content: of an article what the extractor chose, else all but the furniture."""
    matched = _matched_blocks(blocks, extracted)
    same_kind = _same_kind(blocks, matched)
    matched = [is_matched or is_same for is_matched, is_same in zip(matched, same_kind, strict=True)]
    chosen = [block for block, is_matched in zip(blocks, matched, strict=True) if is_matched]
    words = sum(len(block.words) for block in chosen)
    prose_words = sum(len(block.words) for block in blocks if _is_prose(block))
    if words < _MIN_WORDS or words < _MIN_SHARE * prose_words:
        return [not block.is_furniture for block in blocks]
    if not is_article:
        container = _container(chosen, words, _PAGE_SHARE)
        return [
            not block.is_furniture
            and (block.link_share <= _MAX_LINK_SHARE or _is_inside(block.element, container))
            for block in blocks
        ]
    container = _container(chosen, words, _ARTICLE_SHARE)
    inside = [
        is_same or _is_inside(block.element, container)
        for block, is_same in zip(blocks, same_kind, strict=True)
    ]
    furniture_words = sum(len(block.words) for block in chosen if block.is_furniture)
    # The class names of some sites call the whole article "widget" or "modal".
    trusts_names = furniture_words < _MAX_FURNITURE_SHARE * words
    kept = [
        is_matched and is_inside and not (trusts_names and block.is_furniture)
        for block, is_matched, is_inside in zip(blocks, matched, inside, strict=True)
    ]
    first = kept.index(True)
    last = len(kept) - 1 - kept[::-1].index(True)
    for index in range(first, last + 1):
        kept[index] = kept[index] or (
            inside[index] and blocks[index].name in _STRUCTURE_TAGS and not _is_navigation(blocks[index])
        )
    _decide_groups(blocks, kept, range(first, last + 1))
    for index in range(len(blocks) - 2, -1, -1):
        block = blocks[index]
        if block.is_heading and not block.is_furniture and (inside[index] or block.name == "h1"):
            kept[index] = kept[index] or kept[index + 1]
    return kept


def _decide_groups(blocks: Sequence[TextBlock], kept: list[bool], content: range) -> None:
    """Keep or drop each table and each list as a whole: half a table misleads."""
    groups: dict[Element, list[int]] = {}
    for index, block in enumerate(blocks):
        if (group := _outermost_group(block.element)) is not None:
            groups.setdefault(group, []).append(index)
    for group, indexes in groups.items():
        words = sum(len(blocks[index].words) for index in indexes)
        kept_words = sum(len(blocks[index].words) for index in indexes if kept[index])
        share = _MIN_TABLE_SHARE if safe_xml.local_name(group.tag).lower() == "table" else _MIN_LIST_SHARE
        keep = kept_words >= share * words and all(index in content for index in indexes)
        for index in indexes:
            kept[index] = (keep and not blocks[index].is_furniture) or (
                kept[index] and len(blocks[index].words) >= _PROSE_WORDS
            )


def _outermost_group(element: Element) -> Element | None:
    """The outermost data table or list around a block; None outside of them and in layout tables."""
    group: Element | None = None
    ancestor: Element | None = element
    while ancestor is not None:
        name = safe_xml.local_name(ancestor.tag).lower()
        if name in ("ul", "ol", "dl") or (name == "table" and not is_layout_table(ancestor)):
            group = ancestor
        ancestor = ancestor.getparent()
    return group


def _is_navigation(block: TextBlock) -> bool:
    return block.is_furniture or block.link_share > _MAX_LINK_SHARE


def _matched_blocks(blocks: Sequence[TextBlock], extracted: str) -> list[bool]:
    """Which blocks the extractor chose. A block of few words must be a whole line of its text."""
    lines = {tuple(_WORD.findall(line)) for line in extracted.splitlines()}
    lines.update(
        tuple(_WORD.findall(cell))
        for line in extracted.splitlines()
        if "|" in line
        for cell in line.split("|")
    )
    shingles = _shingles(_WORD.findall(extracted))
    return [
        tuple(block.words) in lines
        if len(block.words) < _SHINGLE
        else _match_share(block.words, shingles) >= _MIN_MATCH
        for block in blocks
    ]


def _same_kind(blocks: Sequence[TextBlock], matched: Sequence[bool]) -> list[bool]:
    """Which blocks are paragraphs of the same kind as most chosen ones.

    Extractors lose parts of articles that are split by advertisements.
    """
    pairs = zip(blocks, matched, strict=True)
    kinds = Counter(_kind(block) for block, is_matched in pairs if is_matched and _is_prose(block))
    kind, count = kinds.most_common(1)[0] if kinds else (None, 0)
    return [count >= _MIN_SAME_KIND and _is_prose(block) and _kind(block) == kind for block in blocks]


def _kind(block: TextBlock) -> tuple[str, str | None, object]:
    """The tag and class of a block, with the class of its parent, or the parent itself if that has none."""
    parent = block.element.getparent()
    parent_class = None if parent is None else parent.get("class")
    return block.name, block.element.get("class"), parent_class or parent


def _is_prose(block: TextBlock) -> bool:
    is_long = len(block.words) >= _PROSE_WORDS or block.name in ("pre", "td")
    return is_long and not _is_navigation(block)


def _shingles(words: Sequence[str]) -> set[tuple[str, ...]]:
    return {tuple(words[index : index + _SHINGLE]) for index in range(len(words) - _SHINGLE + 1)}


def _match_share(words: Sequence[str], shingles: set[tuple[str, ...]]) -> float:
    runs = [tuple(words[index : index + _SHINGLE]) for index in range(len(words) - _SHINGLE + 1)]
    return sum(run in shingles for run in runs) / len(runs)


def _container(blocks: Sequence[TextBlock], words: int, share: float) -> Element:
    """The innermost element that has this share of the words of the chosen blocks."""
    counts: dict[Element, int] = {}
    for block in blocks:
        ancestor: Element | None = block.element
        while ancestor is not None:
            counts[ancestor] = counts.get(ancestor, 0) + len(block.words)
            ancestor = ancestor.getparent()
    candidates = [element for element, count in counts.items() if count >= share * words]
    # Ancestors come after their descendants; the first candidate of the deepest chain is the innermost.
    return max(candidates, key=_depth)


def _depth(element: Element) -> int:
    depth, parent = 0, element.getparent()
    while parent is not None:
        depth, parent = depth + 1, parent.getparent()
    return depth


def _is_inside(element: Element, container: Element) -> bool:
    ancestor: Element | None = element
    while ancestor is not None:
        if ancestor is container:
            return True
        ancestor = ancestor.getparent()
    return False


def _clear_others(root: Element, blocks: Sequence[TextBlock], kept: Sequence[bool]) -> None:
    """Clear the text of all other blocks, and the descriptions of images before, after and among them."""
    for block, keep in zip(blocks, kept, strict=True):
        if not keep:
            block.clear()
    kept_elements = [block.element for block, keep in zip(blocks, kept, strict=True) if keep]
    is_inside = False
    for element in root.iter():
        if element is kept_elements[0]:
            is_inside = True
        if safe_xml.local_name(element.tag).lower() in ("img", "svg") and not is_inside:
            _clear_image(element)
        if element is kept_elements[-1]:
            is_inside = False


def _clear_image(element: Element) -> None:
    if element.get("alt"):
        element.set("alt", "")
    for text in list(element.iterdescendants("{*}text")):
        text.clear()
