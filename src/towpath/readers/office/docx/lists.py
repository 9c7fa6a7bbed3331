"""Writes list items of Word documents; nested items are indented by the width of the markers above."""

from __future__ import annotations

from dataclasses import dataclass, field

from towpath.readers.common.markdown_writer import MarkdownWriter
from towpath.readers.office.docx.numbering import Label


@dataclass(slots=True)
class ListWriter:
    """Writes items and tracks the marker widths of the open list."""

    writer: MarkdownWriter
    _marker_widths: dict[int, int] = field(default_factory=dict[int, int])

    def end(self) -> None:
        self._marker_widths.clear()

    def write_item(self, text: str, label: Label, depth: int) -> None:
        """Write an item: bullets and plain numbers as markdown lists, 2.1 as a paragraph, (b) as a bullet."""
        if "." in label.text.rstrip("."):
            self.end()
            self.writer.paragraph(f"{label.text} {text}")
            return
        marker = f"{label.text[:-1]}. " if label.is_plain else "- "
        content = f"{label.text} {text}" if label.text and not label.is_plain else text
        indent = " " * sum(self._marker_widths.get(level, 0) for level in range(depth))
        self._marker_widths = {above: width for above, width in self._marker_widths.items() if above < depth}
        self._marker_widths[depth] = len(marker)
        self.writer.paragraph(content, indent + marker, indent + " " * len(marker), item=True)
