"""Turns the content of OpenDocument files (text, slides) into a tree of HTML elements."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field

from towpath.readers.common import safe_xml
from towpath.readers.common.html_tree_builder import HtmlTree
from towpath.readers.common.safe_xml import Element, parse_int
from towpath.readers.html.hooks import MarkupHooks

_TEXT = "{urn:oasis:names:tc:opendocument:xmlns:text:1.0}"
_TABLE = "{urn:oasis:names:tc:opendocument:xmlns:table:1.0}"
_STYLE = "{urn:oasis:names:tc:opendocument:xmlns:style:1.0}"
_FO = "{urn:oasis:names:tc:opendocument:xmlns:xsl-fo-compatible:1.0}"
_XLINK = "{http://www.w3.org/1999/xlink}"
_PAGE = "data-page"
_MAX_REPEATED = 1_000
_HEADING_STYLE = re.compile(r"Heading(?:_20_| )([1-9])")
_SKIPPED = frozenset(
    ("tracked-changes", "annotation", "annotation-end", "forms", "sequence-decls", "alphabetical-index-mark", "title",
     "desc", "notes", "ruby-text", "settings", "animations", "date-time-decl", "footer-decl", "header-decl")
)  # fmt: skip
_BLOCK_WRAPPERS = frozenset(
    ("section", "index-body", "table-of-content", "text-box", "frame", "custom-shape", "g")
)


_ROW_GROUPS = frozenset(f"{_TABLE}{name}" for name in ("table-header-rows", "table-rows", "table-row-group"))


class PageHooks(MarkupHooks):
    """Reads the page breaks that the program stored when it last laid out the text."""

    def page_label(self, element: Element) -> str | None:
        return element.get(_PAGE)


@dataclass(slots=True)
class StyleTable:
    """Which text styles are bold or italic, and which list styles are numbered, by name."""

    bold: set[str] = field(default_factory=set[str])
    italic: set[str] = field(default_factory=set[str])
    numbered_lists: set[str] = field(default_factory=set[str])
    #: Levels of paragraph styles that are headings by their name or parent.
    headings: dict[str, int] = field(default_factory=dict[str, int])

    def add(self, root: Element) -> None:
        """Add the styles of content.xml or styles.xml."""
        for style in root.iter(f"{_STYLE}style"):
            name = style.get(f"{_STYLE}name") or ""
            for style_name in (name, style.get(f"{_STYLE}parent-style-name") or ""):
                if level := heading_level(style_name):
                    self.headings.setdefault(name, level)
            properties = style.find(f"{_STYLE}text-properties")
            if properties is not None and style.get(f"{_STYLE}family") == "text":
                if (properties.get(f"{_FO}font-weight") or "") in ("bold", "600", "700", "800", "900"):
                    self.bold.add(name)
                if properties.get(f"{_FO}font-style") == "italic":
                    self.italic.add(name)
        for list_style in root.iter(f"{_TEXT}list-style"):
            first = next((level for level in list_style), None)
            if first is not None and first.tag == f"{_TEXT}list-level-style-number":
                self.numbered_lists.add(list_style.get(f"{_STYLE}name") or "")


def heading_level(style_name: str) -> int:
    """The level in the name of a heading style, 1 for titles, 0 for all others. ``_20_`` is a blank."""
    match = _HEADING_STYLE.fullmatch(style_name)
    if match:
        return int(match[1])
    return 1 if style_name == "Title" else 0


@dataclass(slots=True)
class ContentConverter:
    """Converts elements to HTML. The XML parser limits the nesting, so recursion is safe."""

    styles: StyleTable
    tree: HtmlTree = field(default_factory=HtmlTree)
    _page: int = 1
    _list_styles: list[str] = field(default_factory=list[str])

    def convert(self, element: Element) -> None:
        """Convert one element with everything inside."""
        name = safe_xml.local_name(element.tag)
        if name in _SKIPPED:
            return
        if name == "h":
            level = min(max(parse_int(element.get(f"{_TEXT}outline-level"), 1), 1), 6)
            with self.tree.element(f"h{level}"):
                self._convert_content(element)
        elif name == "p":
            style = element.get(f"{_TEXT}style-name") or ""
            level = self.styles.headings.get(style) or heading_level(style)
            with self.tree.element(f"h{min(level, 6)}" if level else "p"):
                self._convert_content(element)
        elif name == "list":
            self._convert_list(element)
        elif name in ("list-item", "list-header") and _has_only_lists(element):
            # The list belongs to the item before it.
            self._convert_children(element)
        elif name in ("list-item", "list-header"):
            with self.tree.element("li"):
                self._convert_children(element)
        elif name == "table":
            self._convert_table(element)
        elif name in _BLOCK_WRAPPERS:
            with self.tree.element("div"):
                self._convert_children(element)
        elif name == "soft-page-break":
            self._page += 1
            self.tree.empty("span", **{_PAGE: str(self._page)})
        else:
            self._convert_inline(element, name)

    def _convert_children(self, element: Element) -> None:
        for child in element:
            self.convert(child)

    def _convert_content(self, element: Element) -> None:
        self.tree.text(element.text)
        for child in element:
            self.convert(child)
            self.tree.text(child.tail)

    def _convert_inline(self, element: Element, name: str) -> None:
        if name == "s":
            self.tree.text(" " * min(parse_int(element.get(f"{_TEXT}c"), 1), 100))
        elif name == "tab":
            self.tree.text(" ")
        elif name == "line-break":
            self.tree.empty("br")
        elif name == "a":
            with self.tree.element("a", href=element.get(f"{_XLINK}href") or ""):
                self._convert_content(element)
        elif name == "note":
            self._convert_note(element)
        elif name == "span":
            style = element.get(f"{_TEXT}style-name") or ""
            with ExitStack() as stack:
                for tag, names in (("b", self.styles.bold), ("i", self.styles.italic)):
                    if style in names:
                        stack.enter_context(self.tree.element(tag))
                self._convert_content(element)
        else:
            self._convert_content(element)

    def _convert_note(self, element: Element) -> None:
        """A footnote or endnote in parentheses, at the place that refers to it."""
        body = element.find(f"{_TEXT}note-body")
        words = " ".join("".join(body.itertext()).split()) if body is not None else ""
        if words:
            self.tree.text(f" ({words})")

    def _convert_list(self, element: Element) -> None:
        style = element.get(f"{_TEXT}style-name") or (self._list_styles[-1] if self._list_styles else "")
        self._list_styles.append(style)
        with self.tree.element("ol" if style in self.styles.numbered_lists else "ul"):
            self._convert_children(element)
        self._list_styles.pop()

    def _convert_table(self, element: Element) -> None:
        with self.tree.element("table"):
            for row in _rows(element):
                with self.tree.element("tr"):
                    self._convert_row(row)

    def _convert_row(self, row: Element) -> None:
        for cell in row:
            name = safe_xml.local_name(cell.tag)
            if name not in ("table-cell", "covered-table-cell"):
                continue
            repeated = parse_int(cell.get(f"{_TABLE}number-columns-repeated"), 1)
            columns = parse_int(cell.get(f"{_TABLE}number-columns-spanned"), 1)
            rows = parse_int(cell.get(f"{_TABLE}number-rows-spanned"), 1)
            for _ in range(min(repeated, _MAX_REPEATED) if name == "table-cell" and columns == 1 else 1):
                if name == "table-cell":
                    with self.tree.element("td", colspan=str(columns), rowspan=str(rows)):
                        self._convert_cell(cell)

    def _convert_cell(self, cell: Element) -> None:
        """Presentations have the text of a cell as a list of one item."""
        for child in cell:
            paragraph = _only_paragraph(child) if child.tag == f"{_TEXT}list" else None
            self.convert(child if paragraph is None else paragraph)


def _rows(table: Element) -> Iterator[Element]:
    """The rows of a table, without those of tables in its cells."""
    for child in table:
        if child.tag == f"{_TABLE}table-row":
            yield child
        elif child.tag in _ROW_GROUPS:
            yield from _rows(child)


def _has_only_lists(item: Element) -> bool:
    return len(item) > 0 and all(child.tag == f"{_TEXT}list" for child in item)


def _only_paragraph(text_list: Element) -> Element | None:
    """The paragraph of a list that has one item with one paragraph."""
    paragraphs = [*text_list.iter(f"{_TEXT}p"), *text_list.iter(f"{_TEXT}h")]
    return paragraphs[0] if len(paragraphs) == 1 else None
