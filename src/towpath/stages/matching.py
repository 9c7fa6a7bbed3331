"""Which passages of two documents belong together: a pure function of the two, whatever else is in the library.

A pair is as strong as its cosine is above chance, in standard deviations of the model's own background, plus
what the words they share add, rare ones most, and those that are only near in meaning. A passage is connected
with at most one of each other document, the strongest pairs first, or a summary would be connected with
every page of a book.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from towpath.model.writes import Connection
from towpath.providers.contract import Vectors
from towpath.stages.background import Background
from towpath.stages.capabilities import Passages
from towpath.stages.kinship import Floats, Numbers
from towpath.stages.weighing import SharedWords

#: From here on a pair is a connection. Chosen with the known pairs of `python -m bench quality`.
STRONG = 5.4
#: So much stronger brings the score two thirds nearer to 1.
DEGREE = 5.0
#: What all words in common would add; a third of them in common is worth four standard deviations.
WORDS = 12.0
#: What each word in common adds that is none of everyday, up to so many.
TELLING_WORD, ENOUGH = 0.3, 5
#: What each standard deviation adds by which the words are nearer in meaning than by chance, and hardly ever more.
MEANING, MOST_MEANING = 0.5, 3.0
#: Below this cosine, in standard deviations, words are not looked at.
NEAR = 1.0
#: A passage with fewer different words, mostly a heading, says too little to be connected.
FEWEST = 4
#: So many of the nearest of each passage are looked at closely.
CLOSEST = 8
#: Passages whose nearest are looked for at once, so that two thick books do not take all memory.
STRIPE = 256
#: From so many pairs on, two documents show by themselves what is nothing special between them.
TELLING = 16
#: How far below the middle of all their pairs their zero is put, in standard deviations.
LENIENT = 1.5
#: Letters in a row that are the same by no accident, and how much of the shorter text must be of such.
RUN = 16
SAME = 0.3
#: So many runs are looked for before all are.
PROBES = 32
MOST_TERMS = 5

_NOT_LETTERS = re.compile(r"[\W_]+")


class Comparison:
    """Two documents side by side, always in the same order, so that it gives the same from either side."""

    def __init__(self, one: Passages, other: Passages, background: Background) -> None:
        self.first, self.second = sorted((one, other), key=lambda passages: passages.document_id)
        self._words = SharedWords(self.first.texts, self.second.texts)
        above: Vectors = self.first.vectors @ self.second.vectors.T
        for row, cosines in enumerate(above):
            above[row] = background.above(cosines, self._words.counts(row))
        middle = float(np.median(above)) if above.size >= TELLING else 0.0
        # Documents of one trade or in one language are all a little alike; that connects nothing yet.
        above -= max(0.0, middle - LENIENT)
        self._above = above
        self._english_only = background.english

    def pairs(self) -> list[Connection]:
        """The strong pairs, the strongest first, each passage in one of them at most."""
        rows, columns = self._close()
        strengths = self._strengths(rows, columns)
        ranked = np.lexsort((columns, rows, -strengths))
        ranked = ranked[strengths[ranked] >= STRONG]
        taken: tuple[set[int], set[int]] = set(), set()
        found: list[Connection] = []
        for row, column, strength in zip(
            rows[ranked].tolist(), columns[ranked].tolist(), strengths[ranked].tolist(), strict=True
        ):
            if row not in taken[0] and column not in taken[1]:
                found.append(self._connection(row, column, strength))
                taken[0].add(row)
                taken[1].add(column)
        return found

    def chosen(self, cells: Sequence[tuple[int, int]]) -> list[Connection]:
        """These pairs of rows of the first and the second document, however weak they are."""
        rows, columns = np.array(cells, np.intp).reshape(-1, 2).T
        strengths = self._strengths(rows, columns).tolist()
        return [
            self._connection(row, column, strength)
            for (row, column), strength in zip(cells, strengths, strict=True)
        ]

    def _strengths(self, rows: Numbers, columns: Numbers) -> Floats:
        above = self._above[rows, columns]
        alike, shared = self._words.alike(rows, columns)
        words = WORDS * alike + TELLING_WORD * np.minimum(shared, ENOUGH)
        english = self._words.in_english(rows, columns)
        if self._english_only:
            # Of other languages such a model knows little more than the letters: words have to bear it out.
            above = np.where(english, above, np.minimum(above, np.maximum(NEAR, words)))
        strengths = np.asarray(above + words, np.float64)
        # The rest would not come so far by any kinship, which takes long to find out.
        hopeful = np.flatnonzero(english & (strengths >= STRONG - MOST_MEANING))
        strengths[hopeful] += MEANING * self._words.akin(rows[hopeful], columns[hopeful])
        return np.round(strengths, 4)

    def _connection(self, row: int, column: int, strength: float) -> Connection:
        same = _overlap(self.first.texts[row], self.second.texts[column]) >= SAME
        kind = "same_passage" if same else "same_topic"
        reason = _reason(self._words.telling(row, column, MOST_TERMS), same)
        a, b = sorted((self.first.ids[row], self.second.ids[column]))
        return Connection(a, b, _score(strength), kind, reason)

    def _close(self) -> tuple[Numbers, Numbers]:
        """The nearest of each row and of each column, as far as they are near at all and say enough."""
        chosen = np.zeros(self._above.shape, np.bool_)
        for above, mark in ((self._above, chosen), (self._above.T, chosen.T)):
            depth = min(CLOSEST, above.shape[1])
            for start in range(0, len(above), STRIPE):
                some = slice(start, start + STRIPE)
                nearest = np.argpartition(above[some], -depth, axis=1)[:, -depth:]
                np.put_along_axis(mark[some], nearest, True, axis=1)
        rows, columns = np.nonzero(chosen & (self._above >= NEAR))
        enough = self._words.fewest(rows, columns) >= FEWEST
        return rows[enough], columns[enough]


def _score(strength: float) -> float:
    """From 0.5, which is just enough, to nearly 1, which is the same text; below it is kept by somebody's wish."""
    return round(max(0.0, 1.0 - 0.5 * math.exp((STRONG - strength) / DEGREE)), 4)


def _reason(terms: list[str], same: bool) -> str:
    if not terms:
        return (
            "Nearly word for word the same."
            if same
            else "Close in meaning; they share everyday words at most."
        )
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
    shorter, longer = sorted((_letters(one), _letters(other)), key=len)
    if not _touch(shorter, longer):
        return 0.0
    runs, others = _runs(shorter), _runs(longer)
    return len(runs & others) / (min(len(runs), len(others)) or 1)


def _touch(shorter: str, longer: str) -> bool:
    """Whether any of some runs is in both; texts with a good part in common have several of them."""
    step = max(1, len(shorter) // PROBES)
    return any(shorter[at : at + RUN] in longer for at in range(0, max(1, len(shorter) - RUN + 1), step))


@lru_cache(maxsize=4_096)
def _letters(text: str) -> str:
    return _NOT_LETTERS.sub("", text.casefold())


def _runs(letters: str) -> set[str]:
    return {letters[at : at + RUN] for at in range(max(1, len(letters) - RUN + 1))} - {""}
