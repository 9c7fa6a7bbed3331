"""Which passages of two documents belong together: a pure function of the two, whatever else is in the library.

A pair is as strong as its cosine is above chance, in standard deviations of the model's own background, plus
what the words they share add, rare ones most. A passage is connected with at most one of each other
document: the two must be each other's best, or a summary would be connected with every page of a book.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from towpath.model.writes import Connection
from towpath.providers.contract import Vectors
from towpath.stages.background import Background
from towpath.stages.capabilities import Passages

#: From here on a pair is a connection. Chosen with the known pairs of `python -m bench quality`.
STRONG = 4.0
#: What all words in common would add; a third of them in common is worth four standard deviations.
WORDS = 12.0
#: Below this cosine, in standard deviations, words are not looked at.
NEAR = 1.5
#: So many of the nearest of each passage are looked at closely.
CLOSEST = 8
#: From so many pairs on, two documents show by themselves what is nothing special between them.
TELLING = 16
#: How far below the middle of all their pairs their zero is put, in standard deviations.
LENIENT = 1.5
#: Letters in a row that are the same by no accident, and how much of the shorter text must be of such.
RUN = 16
SAME = 0.3
MOST_TERMS = 5

_NOT_LETTERS = re.compile(r"[\W_]+")


@dataclass(frozen=True, slots=True)
class Cell:
    """A pair that was looked at closely: rows of the first and the second document, and its strength."""

    row: int
    column: int
    strength: float


class Comparison:
    """Two documents side by side, always in the same order, so that it gives the same from either side."""

    def __init__(self, one: Passages, other: Passages, background: Background) -> None:
        self.first, self.second = sorted((one, other), key=lambda passages: passages.document_id)
        self._spread = background.spread
        cosines = self.first.vectors @ self.second.vectors.T
        middle = float(np.median(cosines)) if cosines.size >= TELLING else background.mean
        # Documents of one trade or in one language are all a little alike; that connects nothing yet.
        self._zero = max(background.mean, middle - LENIENT * background.spread)
        self._above: Vectors = (cosines - self._zero) / self._spread
        self._weights = _Weights(self.first, self.second)

    def pairs(self) -> list[Connection]:
        """The pairs that are each other's best, and strong."""
        cells = [self.cell(row, column) for row, column in self._close()]
        ranked = sorted(cells, key=lambda cell: (-cell.strength, cell.row, cell.column))
        rows: set[int] = set()
        columns: set[int] = set()
        found: list[Connection] = []
        for cell in ranked:
            best = cell.row not in rows and cell.column not in columns
            rows.add(cell.row)
            columns.add(cell.column)
            if best and cell.strength >= STRONG:
                found.append(self.connection(cell))
        return found

    def cell(self, row: int, column: int) -> Cell:
        shared = self._weights.shared(row, column)
        return Cell(row, column, round(float(self._above[row, column]) + WORDS * shared, 4))

    def connection(self, cell: Cell) -> Connection:
        one, other = self.first.ids[cell.row], self.second.ids[cell.column]
        same = _overlap(self.first.texts[cell.row], self.second.texts[cell.column]) >= SAME
        kind = "same_passage" if same else "same_topic"
        terms = self._weights.telling(cell.row, cell.column)
        a, b = sorted((one, other))
        return Connection(a, b, self._score(cell.strength), kind, _reason(terms, same))

    def _close(self) -> list[tuple[int, int]]:
        """The nearest of each row and of each column, as far as they are near at all."""
        chosen = np.zeros(self._above.shape, np.bool_)
        for axis in (0, 1):
            depth = min(CLOSEST, self._above.shape[axis])
            nearest = np.argpartition(-self._above, depth - 1, axis=axis).take(range(depth), axis=axis)
            np.put_along_axis(chosen, nearest, True, axis=axis)
        rows, columns = np.nonzero(chosen & (self._above >= NEAR))
        return list(zip(rows.tolist(), columns.tolist(), strict=True))

    def _score(self, strength: float) -> float:
        """From 0.5, which is just enough, to 1, the same text, for any model."""
        most = (1.0 - self._zero) / self._spread + WORDS
        return round(min(1.0, max(0.0, 0.5 + 0.5 * (strength - STRONG) / (most - STRONG))), 4)


class _Weights:
    """How much each word tells in this company: what is in every passage of the two tells nothing."""

    def __init__(self, first: Passages, second: Passages) -> None:
        self._terms = first.terms, second.terms
        self._spelled = first.spelled, second.spelled
        self._passages = len(first.terms) + len(second.terms)
        self._having = Counter(term for terms in self._terms for passage in terms for term in passage)
        self._known: dict[tuple[int, int], tuple[Mapping[str, float], float]] = {}

    def shared(self, row: int, column: int) -> float:
        """The cosine of the two passages' words."""
        (one, length), (other, other_length) = self._of(0, row), self._of(1, column)
        # Exact, so that the order of the words does not matter.
        product = math.fsum([weight * other[term] for term, weight in one.items() if term in other])
        return product / (length * other_length) if product else 0.0

    def telling(self, row: int, column: int) -> list[str]:
        one, other = self._of(0, row)[0], self._of(1, column)[0]
        shared = sorted(one.keys() & other.keys(), key=lambda term: (-one[term] * other[term], term))
        return [min(spelled[term] for spelled in self._spelled) for term in shared[:MOST_TERMS]]

    def _of(self, side: int, row: int) -> tuple[Mapping[str, float], float]:
        known = self._known.get((side, row))
        if known is None:
            weights = {
                term: (1 + math.log(count)) * math.log(1 + (self._passages + 1) / self._having[term])
                for term, count in sorted(self._terms[side][row].items())
            }
            known = weights, math.sqrt(sum(weight * weight for weight in weights.values())) or 1.0
            self._known[side, row] = known
        return known


def _reason(terms: list[str], same: bool) -> str:
    if not terms:
        return "Nearly word for word the same." if same else "Close in meaning, without words in common."
    named = terms[0] if len(terms) == 1 else f"{', '.join(terms[:-1])} and {terms[-1]}"
    return f"Nearly word for word the same: {named}." if same else f"Both speak of {named}."


def successor(text: str, passages: Passages) -> int | None:
    """The passage that has most of this text, where one has at least a good part of it."""
    if not passages.texts:
        return None
    overlaps = [_overlap(text, other) for other in passages.texts]
    best = max(range(len(overlaps)), key=overlaps.__getitem__)
    return best if overlaps[best] >= SAME else None


def _overlap(one: str, other: str) -> float:
    """How much of the shorter text stands letter for letter in the other; blanks and signs do not count."""
    runs, others = _runs(one), _runs(other)
    return len(runs & others) / (min(len(runs), len(others)) or 1)


def _runs(text: str) -> set[str]:
    letters = _NOT_LETTERS.sub("", text.casefold())
    return {letters[at : at + RUN] for at in range(max(1, len(letters) - RUN + 1))} - {""}
