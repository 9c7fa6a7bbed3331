"""Builds an HTML tree, for readers of FictionBook and OpenDocument, which the HTML converter writes as markdown."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager

from towpath.readers.common import safe_xml
from towpath.readers.common.safe_xml import Element


class HtmlTree:
    """A tree under <body>; ``element`` adds one, ``text`` adds text after the last one."""

    def __init__(self) -> None:
        self.root = safe_xml.new_element("body")
        self._open: list[Element] = [self.root]

    @contextmanager
    def element(self, tag: str, **attributes: str) -> Generator[Element]:
        element = safe_xml.new_element(tag, self._open[-1])
        for name, value in attributes.items():
            element.set(name, value)
        self._open.append(element)
        try:
            yield element
        finally:
            self._open.pop()

    def empty(self, tag: str, **attributes: str) -> None:
        """Add an element without content, such as <br>."""
        with self.element(tag, **attributes):
            pass

    def text(self, text: str | None) -> None:
        if not text:
            return
        parent = self._open[-1]
        if len(parent):
            last = parent[-1]
            last.tail = (last.tail or "") + text
        else:
            parent.text = (parent.text or "") + text
