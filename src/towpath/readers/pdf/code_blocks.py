"""Finds code by its font: lines whose text is all in a fixed-width font.

liteparse joins short code lines with the paragraph above or below. Such a block is divided here into code and text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import groupby, pairwise
from statistics import median

from towpath.readers.pdf.classify_tables import LIST_MARKER
from towpath.readers.pdf.join_lines import join_lines
from towpath.readers.pdf.page_layout import Line, PageLayout, TextRun, is_monospace, line_text, text_lines

# Lines with less of their text in a fixed-width font are prose with some code in it.
_MIN_SHARE = 0.95
# Where more of a page is in a fixed-width font and most lines are sentences, it is a typewritten page.
_MAX_PAGE_SHARE = 0.85
_SENTENCE_WORDS = 6
# On such a page, columns with wider gaps between them, in heights of a line, are a table.
_MAX_GAP = 2.5
_LINE_NUMBER = re.compile(r"\d{1,4}")
_MIN_LETTERS = 2


class CodeFinder:
    """Divides the blocks of one page into code and text."""

    def __init__(self, layout: PageLayout) -> None:
        self._layout = layout

    @cached_property
    def _has_code(self) -> bool:
        share = self._layout.monospace_share
        return 0 < share <= _MAX_PAGE_SHARE or (share > 0 and not _is_prose(self._layout.runs))

    def is_table(self, lines: Sequence[Line]) -> bool:
        """True if lines of a page in a fixed-width font have columns with wide gaps."""
        if self._layout.monospace_share <= _MAX_PAGE_SHARE:
            return False
        gaps = [
            (right.x0 - left.x1) / max(1.0, right.size)
            for line in lines
            for left, right in pairwise(_without_number(line))
        ]
        return len(gaps) * 2 >= len(lines) and median(gaps) > _MAX_GAP

    def divide(self, x: float, y: float, width: float, height: float) -> list[tuple[bool, list[Line]]] | None:
        """Parts of a block: whether the part is code, and its lines; None if the block has no code lines."""
        if not self._has_code:
            return None
        runs = self._layout.runs_inside(x, y, width, height)
        if not any(run.is_monospace for run in runs):
            return None
        lines = text_lines(runs)
        flags = _code_flags(lines)
        if not any(flags):
            return None
        return [
            (is_code, [line for line, _ in part])
            for is_code, part in groupby(zip(lines, flags, strict=True), key=lambda item: item[1])
        ]


def _code_flags(lines: Sequence[Line]) -> list[bool]:
    """Which lines are code: all in a fixed-width font, and indented more than the text, or several together."""
    monospace = _with_lines_between([_is_monospace(line) for line in lines], lines)
    if all(monospace):
        return monospace
    text_left = min(line[0].x0 for line, flag in zip(lines, monospace, strict=True) if not flag)
    flags = list(monospace)
    for flag, group in groupby(range(len(lines)), key=monospace.__getitem__):
        indices = list(group)
        if flag and len(indices) == 1:
            line = lines[indices[0]]
            # A line of a paragraph may consist of a long name in a fixed-width font only.
            left = _text_left(lines[indices[0] - 1]) if indices[0] else text_left
            flags[indices[0]] = line[0].x0 > max(left, text_left) + 0.8 * line[0].size
    return flags


def _with_lines_between(flags: Sequence[bool], lines: Sequence[Line]) -> list[bool]:
    """The flags, also set for lines between code: a comment in another font, a bracket, the number of an empty line."""
    filled = list(flags)
    for index, line in enumerate(lines):
        before = filled[index - 1] if index else False
        after = flags[index + 1] if index + 1 < len(lines) else False
        if not filled[index]:
            is_number = len(line) == 1 and _LINE_NUMBER.fullmatch(line[0].text.strip()) is not None
            begins_as_code = is_monospace(_without_number(line)[0].font)
            is_bracket = begins_as_code and not any(map(str.isalnum, line_text(_without_number(line))))
            filled[index] = ((is_number or is_bracket) and (before or after)) or (
                begins_as_code and before and after
            )
    return filled


def _text_left(line: Line) -> float:
    """Where the text of a line begins, behind the bullet or number of a list item."""
    first = line[0]
    if len(line) > 1 and LIST_MARKER.fullmatch(first.text.strip()):
        return line[1].x0
    marker, _, text = first.text.strip().partition(" ")
    return first.x0 + first.size if text and LIST_MARKER.fullmatch(marker) else first.x0


def _is_prose(runs: Sequence[TextRun]) -> bool:
    """True if at least half of the long lines are sentences: words in lower case, without the signs of code."""
    lines = [words for run in runs if len(words := run.text.split()) >= _SENTENCE_WORDS]
    sentences = sum(
        1 for words in lines if _is_word(words[0]) and sum(map(_is_word, words)) * 10 >= len(words) * 8
    )
    return bool(lines) and sentences * 2 >= len(lines)


def _is_word(text: str) -> bool:
    return text.strip(".,;:!?()\"'").replace("-", "").replace("'", "").isalpha()


def _without_number(line: Line) -> Line:
    """The line without its number, if it has one."""
    return line[1:] if len(line) > 1 and _LINE_NUMBER.fullmatch(line[0].text.strip()) else line


def _is_monospace(line: Line) -> bool:
    """A line number in front may be in another font."""
    line = _without_number(line)
    length = sum(len(run.text.strip()) for run in line)
    monospace = sum(len(run.text.strip()) for run in line if run.is_monospace)
    return monospace >= _MIN_LETTERS and monospace >= _MIN_SHARE * length


def code_text(lines: Sequence[Line]) -> Iterator[str]:
    """The lines of a code block; blanks stand for the space before and between the runs."""
    runs = [run for line in lines for run in line]
    left = min(run.x0 for run in runs)
    widest = max(runs, key=lambda run: len(run.text))
    step = (widest.x1 - widest.x0) / max(1, len(widest.text)) or 6.0
    previous: Line | None = None
    for line in lines:
        if previous is not None and line[0].y0 - previous[0].y1 > 1.2 * line[0].size:
            yield ""
        text = ""
        for run in line:
            column = round((run.x0 - left) / step)
            text += " " * max(0, column - len(text)) + run.text
        yield text.rstrip()
        previous = line


def prose_text(lines: Sequence[Line]) -> str:
    """The lines of a text as one paragraph."""
    return join_lines([line_text(line) for line in lines])
