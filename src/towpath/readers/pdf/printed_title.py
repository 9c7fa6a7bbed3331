"""Finds the title printed on the first page: its largest text that reads as one."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from towpath.readers.pdf.page_layout import PageLayout, TextRun, line_text, text_lines
from towpath.text.titles import clean_title, is_version_or_date, reads_as_title, title_key

# Letters of one size differ by this factor in the measured height.
_SAME_SIZE = 1.06
# Space between the tops of two lines of one title, in font sizes.
_LINE_DISTANCE = 2.3
# A gap of this many font sizes is between two columns.
_COLUMN_GAP = 2.2
# A title is larger than the text below it, or bold.
_MIN_SIZE_RATIO = 1.12
# The masthead of a journal is larger than the title of the paper.
_MASTHEAD = re.compile(
    r"(?:.*\s)?(?:journal|proceedings|transactions|bulletin|annals|archives|zeitschrift|revista|revue|magazine)(?:\s.*)?",
    re.IGNORECASE,
)
_FOOTNOTE_MARK = re.compile("[∗†‡]")
_SENTENCES = re.compile(r"[a-z]{3}[.!?]\s+[A-Z][a-z]*\s+[a-z]")
# Names with marks that refer to their addresses.
_AUTHORS = re.compile(r"[∗†‡*][^∗†‡*]{0,80}(?:,|\band\b|\bund\b|\bet\b)")
_NUMBERED = re.compile(r"\d+(?:\.\d+)*\.?\s")
_MAX_LINES = 6
_MAX_WORDS = 32
# A page with so few lines is a title page: its title need not be larger.
_FEW_LINES = 12
_LOWEST = 0.8


@dataclass(frozen=True, slots=True)
class _Line:
    text: str
    size: float
    bold: bool
    font: str
    x0: float
    x1: float
    y: float
    """The top, as a fraction of the page."""


def find_printed_title(layout: PageLayout) -> str | None:
    """The title on a page; None if no text stands out."""
    lines = _lines(layout)
    if not lines:
        return None
    body_size = _body_size(lines)
    groups = [group for group in _groups(lines, layout.height) if _reads_as_title(group)]
    groups = [group for group in groups if _stands_out(group, body_size, len(lines))]
    if not groups:
        return None
    papers = [group for group in groups if not _MASTHEAD.fullmatch(_text(group)) or group[0].y > 0.2]
    numbered = [group for group in papers if not _NUMBERED.match(_text(group))]
    groups = numbered or papers or groups
    largest = max(map(_weight, groups))
    best = next(group for group in groups if _weight(group) * _SAME_SIZE >= largest)
    return clean_title(_text(best))


def _lines(layout: PageLayout) -> list[_Line]:
    """The lines from top to bottom; lines of neighbouring columns are separate."""
    lines: list[_Line] = []
    for row in text_lines(layout.runs):
        part: list[TextRun] = []
        for run in row:
            if part and _is_other_column(part[-1], run):
                lines.append(_line(part, layout.height))
                part = []
            part.append(run)
        lines.append(_line(part, layout.height))
    return [line for line in lines if line.text]


def _is_other_column(left: TextRun, right: TextRun) -> bool:
    gap = (right.x0 - left.x1) / max(left.size, right.size, 1.0)
    return gap > _COLUMN_GAP or (gap > 0.6 and not 0.87 < left.size / max(right.size, 1.0) < 1.15)


def _line(runs: Sequence[TextRun], height: float) -> _Line:
    main = max(runs, key=lambda run: len(run.text))
    size = max(run.size for run in runs if run.font == main.font)
    # Marks of footnotes behind the title are smaller and higher.
    printed = [run for run in runs if run.size > 0.75 * size or len(run.text.strip()) > 2] or runs
    return _Line(
        line_text(printed),
        size,
        main.is_bold,
        main.font,
        min(run.x0 for run in runs),
        max(run.x1 for run in runs),
        min(run.y0 for run in runs) / (height or 1.0),
    )


def _body_size(lines: Sequence[_Line]) -> float:
    sizes: Counter[float] = Counter()
    for line in lines:
        sizes[round(line.size, 0)] += len(line.text)
    return sizes.most_common(1)[0][0]


def _groups(lines: Sequence[_Line], height: float) -> list[list[_Line]]:
    """Lines of one size and font, directly below each other."""
    groups: list[list[_Line]] = []
    for line in lines:
        for group in groups[-3:]:
            last = group[-1]
            distance = (line.y - last.y) * height
            if (
                _are_alike(last, line)
                and 0 < distance < _LINE_DISTANCE * line.size
                and line.x0 < last.x1
                and last.x0 < line.x1
                and len(group) < _MAX_LINES
            ):
                group.append(line)
                break
        else:
            groups.append([line])
    return groups


def _are_alike(first: _Line, second: _Line) -> bool:
    if (
        first.bold != second.bold
        or is_version_or_date(second.text)
        or title_key(second.text) in ("by", "von")
        or _AUTHORS.search(second.text)
    ):
        return False
    return max(first.size, second.size) < _SAME_SIZE * min(first.size, second.size)


def _text(group: Sequence[_Line]) -> str:
    return " ".join(line.text for line in group)


def _reads_as_title(group: Sequence[_Line]) -> bool:
    text = _text(group)
    words: list[str] = re.findall(r"[^\W\d_]+", text)
    in_words = sum(len(word) for word in words if len(word) > 2 or not (word.isascii() or word.islower()))
    # A formula has single letters, brackets and operators.
    is_text = in_words * 2 > len(text.replace(" ", "")) and not re.search("[=∈∑∫≤≥{}\\\\^]", text)
    is_text = is_text and len(words) <= _MAX_WORDS and not _SENTENCES.search(text)
    return is_text and group[0].y < _LOWEST and reads_as_title(text)


def _stands_out(group: Sequence[_Line], body_size: float, line_count: int) -> bool:
    if group[0].size >= _MIN_SIZE_RATIO * body_size:
        return True
    if line_count <= _FEW_LINES and len(group) <= 2 and not _text(group).endswith("."):
        return True
    return group[0].bold and group[0].size >= 0.95 * body_size and group[0].y < 0.35 and len(_text(group)) > 8


def _weight(group: Sequence[_Line]) -> float:
    return group[0].size * (1.1 if group[0].bold else 1.0)
