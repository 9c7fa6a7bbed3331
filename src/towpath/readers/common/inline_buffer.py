"""Buffers the inline markdown of one block: text, links, code spans and emphasis."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from towpath.readers.common import markdown_writer
from towpath.readers.common.safe_xml import Element

_STYLES = {
    "b": (markdown_writer.STRONG, markdown_writer.STRONG_END),
    "i": (markdown_writer.EMPHASIS, markdown_writer.EMPHASIS_END),
}
_SIGNED_NUMBER = re.compile(r"[-−+]?\d+")


@dataclass(slots=True)
class InlineBuffer:
    """Collects inline markdown in order. An element that is closed in another block is ignored."""

    is_blank: bool = True
    _parts: list[str] = field(default_factory=list[str])
    _open_elements: list[tuple[Element, int]] = field(default_factory=list[tuple[Element, int]])
    _style_depths: dict[str, int] = field(default_factory=dict[str, int])
    _code_depth: int = 0
    _code_start: int = 0

    @property
    def is_empty(self) -> bool:
        """True when nothing was added, not even a page mark."""
        return not self._parts

    def add_text(self, text: str) -> None:
        """Add text of the file; runs of white space become one space."""
        if self.is_blank:
            if text.isspace():
                return
            self.is_blank = False
        text = markdown_writer.collapse_whitespace(text)
        if not self._code_depth:
            text = markdown_writer.escape_inline(text)
            if text[:1] == "(" and self._parts and self._parts[-1][-1:] == "]":
                text = "\\" + text
        self._parts.append(text)

    def add_markdown(self, markdown: str) -> None:
        """Add markdown that needs no escaping."""
        self._parts.append(markdown)
        self.is_blank = False

    def add_space(self) -> None:
        if not self.is_blank:
            self._parts.append(" ")

    def add_line_break(self) -> None:
        self._parts.append("\n")

    def add_page_mark(self, mark: str = markdown_writer.PAGE_MARK) -> None:
        self._parts.append(mark)

    def pop_markdown(self) -> str:
        """Return the buffered markdown and clear the buffer. Its line breaks come from ``add_line_break`` only."""
        if self._code_depth:
            self._escape_open_code()
        text = "".join(self._parts)
        self._parts.clear()
        self._open_elements.clear()
        self.is_blank = True
        if "  " in text:
            text = re.sub(" {2,}", " ", text)
        return re.sub(r"(?:(?<! ) +)?\n *", "  \n", text) if "\n" in text else text

    def open_element(self, element: Element) -> None:
        self._open_elements.append((element, len(self._parts)))

    def close_link(self, element: Element, address: str) -> None:
        content = self._pop_since(element)
        if content is not None:
            self._parts.append(markdown_writer.markdown_link(content, address))

    def open_code(self, element: Element) -> None:
        if self._code_depth == 0:
            self._code_start = len(self._parts)
        self._code_depth += 1
        self.open_element(element)

    def close_code(self, element: Element) -> None:
        self._code_depth = max(self._code_depth - 1, 0)
        content = self._pop_since(element)
        if content is not None:
            self._parts.append(content if self._code_depth else markdown_writer.code_span(content))

    def _escape_open_code(self) -> None:
        """The block ends inside a code element: escape its content as ordinary text."""
        start = self._code_start
        self._parts[start:] = [markdown_writer.escape_inline("".join(self._parts[start:]))]
        self._code_depth = 0

    def close_superscript(self, element: Element) -> None:
        """Write a raised number with ``^``: otherwise 10 to the power of 6 would read 106."""
        content = self._pop_since(element)
        if content is not None:
            base = self._parts[-1][-1:] if self._parts else ""
            is_exponent = (base.isalnum() or base == ")") and _SIGNED_NUMBER.fullmatch(content.strip())
            self._parts.append("^" + content.strip() if is_exponent else content)

    def open_style(self, name: str) -> None:
        """Begin bold (``b``) or italic (``i``). No effect inside code or inside the same style."""
        if not self._code_depth:
            depth = self._style_depths.get(name, 0)
            self._style_depths[name] = depth + 1
            if depth == 0:
                self._parts.append(_STYLES[name][0])

    def close_style(self, name: str) -> None:
        depth = self._style_depths.get(name, 0)
        if not self._code_depth and depth > 0:
            self._style_depths[name] = depth - 1
            if depth == 1:
                self._parts.append(_STYLES[name][1])

    def _pop_since(self, element: Element) -> str | None:
        """Remove and return what was added since this element was opened; None if a block ended since."""
        if not self._open_elements or self._open_elements[-1][0] is not element:
            return None
        _, start = self._open_elements.pop()
        content = "".join(self._parts[start:])
        del self._parts[start:]
        return content
