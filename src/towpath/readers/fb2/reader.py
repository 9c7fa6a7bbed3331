"""Reads FictionBook files (.fb2): sections become chapters, as in EPUB books."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from towpath import rejections
from towpath.model.content import Extraction
from towpath.readers.common import safe_xml
from towpath.readers.common.bounded_read import read_bounded
from towpath.readers.common.html_tree_builder import HtmlTree
from towpath.readers.common.markdown_writer import MarkdownWriter
from towpath.readers.common.page_breaks import blocks_with_pages, pages_by_word_count
from towpath.readers.common.safe_xml import Element
from towpath.readers.html.html_to_markdown import HtmlToMarkdown

FORMAT_NAME = "FictionBook"

_INLINE = {
    "emphasis": "i",
    "strong": "b",
    "code": "code",
    "sup": "sup",
    "sub": "sub",
    "a": "a",
    "style": "span",
    "strikethrough": "span",
}
_BLOCKS = {
    "p": "p",
    "v": "p",
    "subtitle": "h6",
    "text-author": "p",
    "cite": "blockquote",
    "epigraph": "blockquote",
}
_SKIPPED = ("image", "binary", "stylesheet")


def read_fb2(path: Path, progress: Callable[[int, int], None]) -> Extraction:
    """Read all bodies in order; each section of the first level is a chapter."""
    root = safe_xml.parse_part(read_bounded(path, FORMAT_NAME), FORMAT_NAME, "the book")
    writer = MarkdownWriter()
    converter = HtmlToMarkdown(writer)
    chapters: list[tuple[int, str | None]] = []
    for body in root.iterchildren("{*}body"):
        for part in body:
            chapters.append((writer.length + 2 if writer.length else 0, _title(part)))
            tree = HtmlTree()
            _convert(part, tree, level=1)
            converter.convert(tree.root)
    text = writer.text()
    if not text.strip():
        raise rejections.empty(FORMAT_NAME)
    progress(1, 1)
    pages = pages_by_word_count(text, writer.blocks, chapters)
    return Extraction(
        text, "towpath-fb2/1", pages, blocks_with_pages(pages, writer.blocks), metadata=_metadata(root)
    )


def _convert(element: Element, tree: HtmlTree, level: int) -> None:
    name = safe_xml.local_name(element.tag)
    if name in _SKIPPED:
        return
    if name == "section":
        for child in element:
            _convert(child, tree, level + (safe_xml.local_name(child.tag) == "section"))
    elif name == "title":
        with tree.element(f"h{min(level, 6)}"):
            tree.text(_words(element))
    elif name in _BLOCKS or name in _INLINE:
        with tree.element(_BLOCKS.get(name) or _INLINE[name]):
            _convert_content(element, tree, level)
    else:
        with tree.element("div"):
            _convert_content(element, tree, level)


def _convert_content(element: Element, tree: HtmlTree, level: int) -> None:
    tree.text(element.text)
    for child in element:
        _convert(child, tree, level)
        tree.text(child.tail)


def _words(element: Element) -> str:
    return " ".join(" ".join(element.itertext()).split())


def _title(part: Element) -> str | None:
    title = part if safe_xml.local_name(part.tag) == "title" else part.find("{*}title")
    return None if title is None else _words(title) or None


def _metadata(root: Element) -> dict[str, str]:
    info = root.find("{*}description/{*}title-info")
    if info is None:
        return {}
    authors = "; ".join(
        " ".join(
            part.text.strip()
            for part in author
            if safe_xml.local_name(part.tag) in ("first-name", "middle-name", "last-name") and part.text
        )
        for author in info.iterchildren("{*}author")
    )
    values = {
        "title": _child_words(info, "book-title"),
        "authors": authors,
        "language": _child_words(info, "lang"),
        "date": _child_words(info, "date"),
        "description": _child_words(info, "annotation"),
    }
    return {name: value for name, value in values.items() if value}


def _child_words(info: Element, name: str) -> str:
    child = info.find(f"{{*}}{name}")
    return "" if child is None else _words(child)
