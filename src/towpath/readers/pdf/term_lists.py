"""Recognizes lists of terms that liteparse takes for a table: options, commands and names with what they mean.

The terms stand at the left margin in a fixed-width or slanted font or in quotation marks, the text behind them at one
indent. A wide blank between two sentences is no column.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

from towpath.readers.pdf.page_layout import Line, TextRun, line_text

# Positions that are nearer than this, in points, are the same.
_TOLERANCE = 3.0
# The indent of the text, in heights of a line.
_MIN_INDENT = 1.5
_MAX_TERM_WORDS = 6
# Words behind a term, on average: fewer are the cells of a table.
_MIN_WORDS = 2.5
_MIN_TERMS = 2
# The smallest gap between a term and its text, in heights of a line.
_MIN_GAP = 0.5
_QUOTES = "'\"‘’“”`´"
_SLANTED = re.compile(r"italic|oblique|slanted|(?:^|\+)(?:cm|ec|sf|lm)(?:sl|ti)", re.IGNORECASE)


@dataclass(slots=True)
class Term:
    """A term and the runs of the text that explains it, line by line."""

    term: Line
    lines: list[Line] = field(default_factory=list[Line])

    @property
    def runs(self) -> list[TextRun]:
        return [run for line in (self.term, *self.lines) for run in line]


def find_terms(lines: Sequence[Line]) -> list[Term]:
    """The terms of the lines of a block; empty if the block is no list of terms."""
    if len(lines) < _MIN_TERMS:
        return []
    left = min(line[0].x0 for line in lines)
    indent = _text_indent(lines, left)
    if indent is None:
        return []
    terms: list[Term] = []
    for line in lines:
        if line[0].x0 > left + _TOLERANCE:
            if not terms or line[0].x0 < indent - _TOLERANCE:
                return []
            terms[-1].lines.append(line)
            continue
        line = _divided(line, indent)
        term = [run for run in line if run.x0 < indent - _TOLERANCE]
        text = line[len(term) :]
        if not _is_term(term) or (text and term[-1].x1 > indent + _TOLERANCE):
            return []
        terms.append(Term(term, [text] if text else []))
    return terms if _are_explained(terms) else []


def _divided(line: Line, indent: float) -> Line:
    """The line with its first run divided at the first blank if it is a term with text close behind it."""
    run, *others = line
    term, _, text = run.text.strip().partition(" ")
    if not run.is_mixed or not text or run.x1 < indent:
        return line
    return (
        replace(run, text=term, x1=indent - _TOLERANCE, is_mixed=False),
        replace(run, text=text.strip(), x0=indent, font=""),
        *others,
    )


def _text_indent(lines: Sequence[Line], left: float) -> float | None:
    """Where the text behind the terms begins: the most frequent position of lines and of runs behind a term."""
    positions: Counter[int] = Counter()
    for line in lines:
        is_term = line[0].x0 <= left + _TOLERANCE
        start = _start_behind_gap(line) if is_term else line[0].x0
        if start is not None:
            positions[round(start)] += 1
    if not positions:
        return None
    indent = positions.most_common(1)[0][0]
    return indent if indent - left >= _MIN_INDENT * lines[0][0].size else None


def _start_behind_gap(line: Line) -> float | None:
    """Where the text begins that stands behind the first gap of a line."""
    pairs = pairwise(line)
    return next((right.x0 for left, right in pairs if right.x0 - left.x1 > _MIN_GAP * right.size), None)


def _is_term(runs: Line) -> bool:
    """True if all is in a fixed-width or slanted font, or in quotation marks."""
    text = line_text(runs)
    if len(text) > 2 and text[0] in _QUOTES and text[-1] in _QUOTES:
        return True
    return all(run.is_monospace or _SLANTED.search(run.font) for run in runs)


def _are_explained(terms: Sequence[Term]) -> bool:
    """True if the terms are short, and have words behind them."""
    if len(terms) < _MIN_TERMS or not all(term.lines for term in terms):
        return False
    words = sum(len(run.text.split()) for term in terms for line in term.lines for run in line)
    is_text = not any(_is_term(term.lines[0][:1]) for term in terms)
    is_slanted = not any(run.is_monospace for term in terms for run in term.term)
    if is_slanted and not all(line_text(term.lines[-1]).endswith(".") for term in terms):
        return False
    longest = max(sum(len(run.text.split()) for run in term.term) for term in terms)
    return is_text and words >= _MIN_WORDS * len(terms) and longest <= _MAX_TERM_WORDS
