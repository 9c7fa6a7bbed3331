"""The layout of a page: its text runs with fonts and its ruled lines, in points from the top left corner.

It is made once per page from what liteparse found; the decisions about tables, code and titles are made on it.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

from towpath.readers.pdf.page_model import normalize_text

if TYPE_CHECKING:
    from liteparse.types import ParsedPage, TextItem

# Families of fixed-width fonts as PDFs name them: Courier, CMTT10, t1xtt, DejaVuSansMono, Consolas, mplus1mn.
_MONOSPACE = re.compile(
    r"courier|mono(?!type)|consolas|menlo|inconsolata|monaco|typewriter|fixed|terminus|lucidaconsole"
    r"|source ?code|sourcecode|hack-|fira ?code|andale|mplus1mn|cousine|cascadia|iosevka|jetbrains"
    r"|(?:^|\+)(?:cm|ec|la|sf|lm|t1x|tx|ot1|pcr|fcr|zi4|luximono)\w*tt|(?:^|\+)pcr[bor]|(?:^|\+)nimbusmon",
    re.IGNORECASE,
)
_MAX_RUN_HEIGHT = 100.0
# The width of a character in a fixed-width font, in font sizes: at least this.
_MIN_MONOSPACE_WIDTH = 0.48
# A run in several fonts is narrower than one in the fixed-width font by at least this share.
_MIXED_WIDTH = 0.93
_MIN_MIXED_LENGTH = 6
_BOLD = re.compile(r"bold|black|heavy|demi|-medi|(?:^|\+)(?:cmb|ecb|sfb|lmb|ptmb|phvb|pplb)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class TextRun:
    """Text on one line; ``font`` is that of its beginning."""

    text: str
    x0: float
    y0: float
    x1: float
    y1: float
    font: str
    is_mixed: bool = False
    """True if it begins in a fixed-width font and goes on in another one."""
    font_size: float = 0.0
    """In points; 0 if unknown."""

    @property
    def size(self) -> float:
        """The height of the font in points."""
        return self.y1 - self.y0

    @property
    def is_monospace(self) -> bool:
        return not self.is_mixed and is_monospace(self.font)

    @property
    def is_bold(self) -> bool:
        return is_bold(self.font)


Line = Sequence[TextRun]
#: Left, top, right and bottom in points.
Rectangle = tuple[float, float, float, float]


@dataclass(frozen=True, slots=True)
class Edge:
    """A horizontal or vertical line: ``position`` on the other axis, from ``start`` to ``end``."""

    position: float
    start: float
    end: float


class PageLayout:
    """Text runs and ruled lines of one page. Both are converted only when they are used."""

    def __init__(self, page: ParsedPage) -> None:
        self._page = page
        self.width = page.width
        self.height = page.height

    @cached_property
    def runs(self) -> list[TextRun]:
        """The upright text runs in the order of the file."""
        items = [item for item in self._page.text_items if -2 < item.rotation < 2 and item.text]
        widths = _monospace_widths(items)
        return [_text_run(item, widths.get(item.font_name or "")) for item in items]

    @cached_property
    def fonts(self) -> set[str]:
        """The names of the fonts of the page."""
        return {item.font_name for item in self._page.text_items if item.font_name}

    @property
    def raw_text(self) -> str:
        """The text of all items in the order of the file, as the engine gave it."""
        return "\n".join([item.text for item in self._page.text_items])

    @cached_property
    def has_monospace_font(self) -> bool:
        """True if a font of the page has a fixed width by its name."""
        return any(map(is_monospace, self.fonts))

    @cached_property
    def monospace_share(self) -> float:
        """The share of the page's characters in fixed-width fonts."""
        if not self.has_monospace_font:
            return 0.0
        length = sum(len(run.text) for run in self.runs)
        return sum(len(run.text) for run in self.runs if run.is_monospace) / length if length else 0.0

    @cached_property
    def has_bold_font(self) -> bool:
        """True if a font of the page is bold by its name."""
        return any(run.is_bold for run in self.runs)

    @cached_property
    def _runs_by_height(self) -> list[TextRun]:
        return sorted(self.runs, key=_top)

    def runs_inside(self, x: float, y: float, width: float, height: float) -> list[TextRun]:
        """The runs whose center is in a rectangle."""
        runs = self._runs_by_height
        first = bisect_left(runs, y - _MAX_RUN_HEIGHT, key=_top)
        last = bisect_right(runs, y + height, key=_top)
        return [
            run
            for run in runs[first:last]
            if y <= (run.y0 + run.y1) / 2 <= y + height and x - 1 <= (run.x0 + run.x1) / 2 <= x + width + 1
        ]

    @cached_property
    def horizontal(self) -> list[Edge]:
        """The horizontal lines, those of filled rectangles included."""
        lines = self._page.vector_graphics.lines if self._page.vector_graphics else ()
        return [
            Edge((line.y1 + line.y2) / 2, min(line.x1, line.x2), max(line.x1, line.x2))
            for line in lines
            if abs(line.y1 - line.y2) < 1.0 and abs(line.x1 - line.x2) >= 1.0
        ]

    @cached_property
    def vertical(self) -> list[Edge]:
        """The vertical lines, those of filled rectangles included."""
        lines = self._page.vector_graphics.lines if self._page.vector_graphics else ()
        return [
            Edge((line.x1 + line.x2) / 2, min(line.y1, line.y2), max(line.y1, line.y2))
            for line in lines
            if abs(line.x1 - line.x2) < 1.0 and abs(line.y1 - line.y2) >= 1.0
        ]


def _top(run: TextRun) -> float:
    return run.y0


@lru_cache(maxsize=4096)
def is_monospace(font: str) -> bool:
    """True if the name of a font says that all its letters have one width."""
    return _MONOSPACE.search(font) is not None


@lru_cache(maxsize=4096)
def is_bold(font: str) -> bool:
    """True if the name of a font says that it is bold."""
    return _BOLD.search(font) is not None


def _monospace_widths(items: Sequence[TextItem]) -> dict[str, float]:
    """The most frequent width of a character in each fixed-width font, in font sizes."""
    counts: dict[str, Counter[float]] = {}
    for item in items:
        if item.font_name and is_monospace(item.font_name) and len(item.text) >= _MIN_MIXED_LENGTH:
            width = _character_width(item)
            if width >= _MIN_MONOSPACE_WIDTH:
                counts.setdefault(item.font_name, Counter())[round(width, 2)] += 1
            else:
                counts.setdefault(item.font_name, Counter())
    return {
        font: max(widths, key=lambda width: (widths[width], width)) if widths else _MIN_MONOSPACE_WIDTH
        for font, widths in counts.items()
    }


def _character_width(item: TextItem) -> float:
    """In font sizes. The box ends at the ink of the last character, about half a character before its end."""
    size = item.font_size or item.height
    return item.width / (max(1.0, len(item.text.strip()) - 0.3) * size) if size > 0 else 0.0


def _text_run(item: TextItem, monospace_width: float | None) -> TextRun:
    """``monospace_width`` is that of a character of its font; liteparse joins words in several fonts to one run."""
    is_mixed = (
        monospace_width is not None
        and len(item.text) >= _MIN_MIXED_LENGTH
        and _character_width(item) < _MIXED_WIDTH * monospace_width
    )
    return TextRun(
        normalize_text(item.text),
        item.x,
        item.y,
        item.x + item.width,
        item.y + item.height,
        item.font_name or "",
        is_mixed,
        item.font_size or 0.0,
    )


def text_lines(runs: Sequence[TextRun]) -> list[list[TextRun]]:
    """The runs as lines from top to bottom, each from left to right."""
    lines: list[list[TextRun]] = []
    for run in sorted(runs, key=lambda run: ((run.y0 + run.y1) / 2, run.x0)):
        middle = (run.y0 + run.y1) / 2
        if lines and lines[-1][0].y0 <= middle <= lines[-1][0].y1:
            lines[-1].append(run)
        else:
            lines.append([run])
    return [sorted(line, key=lambda run: run.x0) for line in lines]


def line_text(line: Sequence[TextRun]) -> str:
    """The text of a line; runs are separated by a blank where there is a gap."""
    text = ""
    previous: TextRun | None = None
    for run in line:
        if previous is not None and run.x0 - previous.x1 > 0.12 * run.size and not text.endswith(" "):
            text += " "
        text += run.text
        previous = run
    return " ".join(text.split())


def runs_rectangle(runs: Sequence[TextRun]) -> Rectangle:
    """The smallest rectangle around the runs."""
    return (
        min(run.x0 for run in runs),
        min(run.y0 for run in runs),
        max(run.x1 for run in runs),
        max(run.y1 for run in runs),
    )
