"""Walks the tree of a web page or of a book's chapter and has it written down as markdown.

The walk keeps its own stack, so that nesting of any depth is harmless.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from towpath.providers.local import markdown, xml
from towpath.providers.local.composer import Composer
from towpath.providers.local.guide import Guide
from towpath.providers.local.tags import BLOCKS, CLOSERS, OPENERS, REPLACED, SKIPPED
from towpath.providers.local.xml import Element

_HIDING_STYLE = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)


@dataclass(slots=True)
class Walker:
    """Walks any number of trees, one after the other, into one ``Writer``."""

    writer: markdown.Writer
    guide: Guide = field(default_factory=Guide)
    page_labels: list[str] = field(default_factory=list[str])
    composer: Composer = field(init=False)

    def __post_init__(self) -> None:
        self.composer = Composer(self.writer)

    def walk(self, root: Element) -> None:
        """Write down all that a reader would see of this tree, in order."""
        walk = xml.walk(root)
        names: dict[str, str] = {}
        phrase = self.composer.phrase
        skipped: Element | None = None
        for event, element in walk:
            tag = element.tag
            name = names.get(tag)
            if name is None:
                name = names[tag] = _name(tag)
            if event == "start":
                if self._enter(element, name):
                    text = element.text
                    if text:
                        phrase.text(text)
                else:
                    skipped = element
                    walk.skip_subtree()
                continue
            if element is skipped:
                skipped = None
            else:
                self._leave(element, name)
            if name in BLOCKS:
                self.composer.end_block()
                self.composer.release(element)
            text = element.tail
            if text and element is not root:
                phrase.text(text)
        self.composer.finish()

    def plain(self, text: str) -> None:
        """Text whose structure could not be had; blank lines part its paragraphs."""
        for paragraph in re.split(r"\n\s*\n", text):
            if paragraph:
                self.composer.phrase.text(paragraph)
                self.composer.flush()
        self.composer.finish()

    def _enter(self, element: Element, name: str) -> bool:
        """Open an element; False when it is to be passed over with all that it holds."""
        if name in SKIPPED or (element.keys() and not self._heed_attributes(element, name)):
            return False
        if name in BLOCKS:
            self.composer.end_block()
        if name in REPLACED:
            REPLACED[name](self.composer, element)
            return False
        if name == "a" and self._is_note_link(element):
            return False
        opener = OPENERS.get(name)
        if opener is not None:
            opener(self.composer, element)
        return True

    def _leave(self, element: Element, name: str) -> None:
        closer = CLOSERS.get(name)
        if closer is not None:
            closer(self.composer, element)

    def _is_note_link(self, link: Element) -> bool:
        reference = self.guide.note_reference(link)
        if reference is not None:
            self.composer.phrase.raw(reference)
            return True
        return self.guide.leads_back(link)

    def _heed_attributes(self, element: Element, name: str) -> bool:
        """Notes, pages and titles hang on attributes; so does being hidden, for which the answer is False."""
        style = element.get("style")
        if element.get("hidden") is not None or (style and _HIDING_STYLE.search(style)):
            return False
        # Icons and doubled formulas; on a whole section it only means that a dialog was open.
        if element.get("aria-hidden") == "true" and name not in BLOCKS:
            return False
        label = self.guide.page_label(element)
        if label is not None:
            self.page_labels.append(label)
            self.composer.phrase.page()
            return False
        title = self.guide.title_at(element)
        if title is not None:
            self.composer.announce(*title)
        if name in BLOCKS or self.composer.phrase.is_blank:
            self._open_note(element, name)
        return True

    def _open_note(self, element: Element, name: str) -> None:
        opening = self.guide.note(element)
        if opening is not None:
            owner = element if name in BLOCKS else element.getparent()
            # A note that is named by a term has its words in the definition that follows.
            owner = element.getnext() if name == "dt" else owner
            self.composer.end_block()
            self.composer.contain(element if owner is None else owner, opening, "    ", is_note=True)


def _name(tag: str) -> str:
    name = xml.local_name(tag).lower()
    # Custom elements (<my-card>) are mostly boxes; taken as inline they would glue words together.
    return "div" if "-" in name else name
