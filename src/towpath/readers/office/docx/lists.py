"""Writes list items of Word documents; nested items are indented by the width of the markers above."""

from __future__ import annotations

from dataclasses import dataclass, field

from towpath.readers.common.markdown_writer import MarkdownWriter
from towpath.readers.office.docx.numbering import Label


@dataclass(slots=True)
class ListWriter:
    """Writes items and tracks the marker widths of the open list."""

    writer: MarkdownWriter
    #: Keep labels such as (b), iv. and 2.1 as Word prints them; else they become plain numbers.
    keep_labels: bool = False
    _marker_widths: dict[int, int] = field(default_factory=dict[int, int])

    def end(self) -> None:
        self._marker_widths.clear()

    def write_item(self, text: str, label: Label, depth: int) -> None:
        """Write an item. A kept label is a paragraph (2.1) or a bullet (b); all others are markdown numbers."""
        if label.is_continuation and self._marker_widths:
            indent = " " * sum(self._marker_widths.get(level, 0) for level in range(depth + 1))
            self.writer.paragraph(text, indent, indent)
            return
        keeps_label = self.keep_labels and bool(label.text) and not label.is_plain
        if keeps_label and "." in label.text.rstrip("."):
            self.end()
            self.writer.paragraph(f"{label.text} {text}")
            return
        marker = f"{label.number}. " if label.text and not keeps_label else "- "
        content = f"{label.text} {text}" if keeps_label else label.checkbox + text
        indent = " " * sum(self._marker_widths.get(level, 0) for level in range(depth))
        self._marker_widths = {above: width for above, width in self._marker_widths.items() if above < depth}
        self._marker_widths[depth] = len(marker)
        self.writer.paragraph(content, indent + marker, indent + " " * len(marker), item=True)
