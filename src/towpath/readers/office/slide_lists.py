"""Writes the bulleted and numbered paragraphs of a text box on a slide as markdown lists (PPT and PPTX)."""

from __future__ import annotations

from dataclasses import dataclass, field

from towpath.readers.common.markdown_writer import MarkdownWriter

#: As wide as the marker of a numbered item; fits bullets too.
_INDENT = "   "


@dataclass(slots=True)
class SlideList:
    """The open items of one text, each with its depth.

    Slides give items any depth, also without an item above: a deep item is nested only under a less deep one.
    """

    writer: MarkdownWriter
    _open: list[int] = field(default_factory=list[int])
    _numbers: dict[int, int] = field(default_factory=dict[int, int])

    def end(self) -> None:
        self._open.clear()
        self._numbers.clear()

    def write_item(self, text: str, depth: int, *, is_numbered: bool = False) -> None:
        while self._open and self._open[-1] >= depth:
            self._open.pop()
        self._numbers = {other: count for other, count in self._numbers.items() if other <= depth}
        self._numbers[depth] = self._numbers.get(depth, 0) + 1
        marker = f"{self._numbers[depth]}. " if is_numbered else "- "
        indent = _INDENT * len(self._open)
        self._open.append(depth)
        self.writer.paragraph(text, indent + marker, indent + " " * len(marker), item=True)
