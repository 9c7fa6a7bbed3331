"""The words of the block being read: text, links, code and emphasis, until the block ends."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from towpath.providers.local import markdown
from towpath.providers.local.xml import Element

_STYLES = {
    "b": (markdown.STRONG, markdown.STRONG_END),
    "i": (markdown.EMPHASIS, markdown.EMPHASIS_END),
}
_POWER = re.compile(r"[-−+]?\d+")


@dataclass(slots=True)
class Phrase:
    """Gathers pieces in order. An element opened in one block and closed in another leaves no trace."""

    is_blank: bool = True
    _pieces: list[str] = field(default_factory=list[str])
    _opened: list[tuple[Element, int]] = field(default_factory=list[tuple[Element, int]])
    _nested: dict[str, int] = field(default_factory=dict[str, int])
    _verbatim: int = 0
    _code_start: int = 0

    @property
    def is_empty(self) -> bool:
        """Whether nothing at all was gathered, not even a mark."""
        return not self._pieces

    def text(self, text: str) -> None:
        """Text of the file, in which white space is only a space."""
        if self.is_blank:
            if text.isspace():
                return
            self.is_blank = False
        text = markdown.collapse(text)
        if not self._verbatim:
            text = markdown.escape(text)
            if text[:1] == "(" and self._pieces and self._pieces[-1][-1:] == "]":
                text = "\\" + text
        self._pieces.append(text)

    def raw(self, markup: str) -> None:
        """Markdown of our own making."""
        self._pieces.append(markup)
        self.is_blank = False

    def space(self) -> None:
        if not self.is_blank:
            self._pieces.append(" ")

    def line_break(self) -> None:
        self._pieces.append("\n")

    def page(self, mark: str = markdown.PAGE) -> None:
        self._pieces.append(mark)

    def take(self) -> str:
        """All that was gathered, and begin anew. Line breaks stand only where the markup asked for them."""
        if self._verbatim:
            self._leave_code()
        text = "".join(self._pieces)
        self._pieces.clear()
        self._opened.clear()
        self.is_blank = True
        if "  " in text:
            text = re.sub(" {2,}", " ", text)
        return re.sub(r" *\n *", "  \n", text) if "\n" in text else text

    def open(self, element: Element) -> None:
        self._opened.append((element, len(self._pieces)))

    def close_link(self, element: Element, address: str) -> None:
        content = self._since(element)
        if content is not None:
            self._pieces.append(markdown.link(content, address))

    def open_code(self, element: Element) -> None:
        if self._verbatim == 0:
            self._code_start = len(self._pieces)
        self._verbatim += 1
        self.open(element)

    def close_code(self, element: Element) -> None:
        self._verbatim = max(self._verbatim - 1, 0)
        content = self._since(element)
        if content is not None:
            self._pieces.append(content if self._verbatim else markdown.code_span(content))

    def _leave_code(self) -> None:
        """A block ends inside code: what stood there as code becomes text like any other."""
        start = self._code_start
        self._pieces[start:] = [markdown.escape("".join(self._pieces[start:]))]
        self._verbatim = 0

    def close_power(self, element: Element) -> None:
        """A raised number: without a sign of it, 10 to the 6th would read 106."""
        content = self._since(element)
        if content is not None:
            base = self._pieces[-1][-1:] if self._pieces else ""
            raised = (base.isalnum() or base == ")") and _POWER.fullmatch(content.strip())
            self._pieces.append("^" + content.strip() if raised else content)

    def style(self, name: str) -> None:
        """Begin bold (b) or italic (i); inside code or inside itself it changes nothing."""
        if not self._verbatim:
            depth = self._nested.get(name, 0)
            self._nested[name] = depth + 1
            if depth == 0:
                self._pieces.append(_STYLES[name][0])

    def unstyle(self, name: str) -> None:
        depth = self._nested.get(name, 0)
        if not self._verbatim and depth > 0:
            self._nested[name] = depth - 1
            if depth == 1:
                self._pieces.append(_STYLES[name][1])

    def _since(self, element: Element) -> str | None:
        """What was gathered since this element opened; None when a block came between."""
        if not self._opened or self._opened[-1][0] is not element:
            return None
        _, start = self._opened.pop()
        content = "".join(self._pieces[start:])
        del self._pieces[start:]
        return content
