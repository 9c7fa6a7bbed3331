"""Writes list items, with nested ones indented as far as the markers above them reach."""

from __future__ import annotations

from dataclasses import dataclass, field

from towpath.providers.local.docx.numbering import Label
from towpath.providers.local.markdown import Writer


@dataclass(slots=True)
class ListWriter:
    writer: Writer
    _widths: dict[int, int] = field(default_factory=dict[int, int])

    def end(self) -> None:
        self._widths.clear()

    def item(self, text: str, label: Label, depth: int) -> None:
        """Bullets and plain numbers are markdown's own; 2.1 makes a paragraph, (b) is text in a bullet."""
        if "." in label.text.rstrip("."):
            self.end()
            self.writer.paragraph(f"{label.text} {text}")
            return
        marker = f"{label.text[:-1]}. " if label.is_plain else "- "
        words = f"{label.text} {text}" if label.text and not label.is_plain else text
        indent = " " * sum(self._widths.get(above, 0) for above in range(depth))
        self._widths = {above: width for above, width in self._widths.items() if above < depth}
        self._widths[depth] = len(marker)
        self.writer.paragraph(words, indent + marker, indent + " " * len(marker), item=True)
