"""Converts the tree of a web page or of a book's chapter to markdown.

The walk is iterative, so deep nesting cannot overflow Python's stack.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from towpath.readers.common import markdown_writer, safe_xml
from towpath.readers.common.safe_xml import Element
from towpath.readers.html.block_builder import BlockBuilder
from towpath.readers.html.hooks import MarkupHooks
from towpath.readers.html.tags import BLOCKS, ON_CLOSE, ON_OPEN, REPLACEMENTS, SKIPPED

_HIDING_STYLE = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)


@dataclass(slots=True)
class HtmlToMarkdown:
    """Converts any number of trees, one after the other, into one ``MarkdownWriter``."""

    writer: markdown_writer.MarkdownWriter
    hooks: MarkupHooks = field(default_factory=MarkupHooks)
    page_labels: list[str] = field(default_factory=list[str])
    builder: BlockBuilder = field(init=False)

    def __post_init__(self) -> None:
        self.builder = BlockBuilder(self.writer)

    def convert(self, root: Element) -> None:
        """Write the visible content of the tree in document order."""
        walk = safe_xml.walk_tree(root)
        names: dict[str, str] = {}
        inline = self.builder.inline
        skipped: Element | None = None
        for event, element in walk:
            tag = element.tag
            name = names.get(tag)
            if name is None:
                name = names[tag] = _tag_name(tag)
            if event == "start":
                if self._open(element, name):
                    text = element.text
                    if text:
                        inline.add_text(text)
                else:
                    skipped = element
                    walk.skip_subtree()
                continue
            if element is skipped:
                skipped = None
            else:
                self._close(element, name)
            if name in BLOCKS:
                self.builder.end_block()
                self.builder.close_containers(element)
            text = element.tail
            if text and element is not root:
                inline.add_text(text)
        self.builder.finish()

    def convert_plain_text(self, text: str) -> None:
        """Write text without structure; blank lines separate its paragraphs."""
        for paragraph in re.split(r"\n\s*\n", text):
            if paragraph:
                self.builder.inline.add_text(paragraph)
                self.builder.flush()
        self.builder.finish()

    def _open(self, element: Element, name: str) -> bool:
        """Open an element; False if it and its descendants are skipped."""
        if name in SKIPPED or (element.keys() and not self._apply_attributes(element, name)):
            return False
        if name in BLOCKS:
            self.builder.end_block()
        if name in REPLACEMENTS:
            REPLACEMENTS[name](self.builder, element)
            return False
        if name == "a" and self._handle_note_link(element):
            return False
        opener = ON_OPEN.get(name)
        if opener is not None:
            opener(self.builder, element)
        return True

    def _close(self, element: Element, name: str) -> None:
        closer = ON_CLOSE.get(name)
        if closer is not None:
            closer(self.builder, element)

    def _handle_note_link(self, link: Element) -> bool:
        reference = self.hooks.note_reference(link)
        if reference is not None:
            self.builder.inline.add_markdown(reference)
            return True
        return self.hooks.is_back_link(link)

    def _apply_attributes(self, element: Element, name: str) -> bool:
        """Apply attributes that mark notes, pages and titles; False if the element is hidden or a page mark."""
        style = element.get("style")
        if element.get("hidden") is not None or (style and _HIDING_STYLE.search(style)):
            return False
        # On inline elements: icons and repeated formulas. On a section it only means that a dialog was open.
        if element.get("aria-hidden") == "true" and name not in BLOCKS:
            return False
        label = self.hooks.page_label(element)
        if label is not None:
            self.page_labels.append(label)
            self.builder.inline.add_page_mark()
            return False
        title = self.hooks.title_before(element)
        if title is not None:
            self.builder.set_title(*title)
        if name in BLOCKS or self.builder.inline.is_blank:
            self._open_note(element, name)
        return True

    def _open_note(self, element: Element, name: str) -> None:
        prefix = self.hooks.note_prefix(element)
        if prefix is not None:
            owner = element if name in BLOCKS else element.getparent()
            # A note marked on <dt> has its text in the <dd> that follows.
            owner = element.getnext() if name == "dt" else owner
            self.builder.end_block()
            self.builder.open_container(element if owner is None else owner, prefix, "    ", is_note=True)


def _tag_name(tag: str) -> str:
    name = safe_xml.local_name(tag).lower()
    # Custom elements (<my-card>) are mostly boxes; as inline elements they would join words.
    return "div" if "-" in name else name
