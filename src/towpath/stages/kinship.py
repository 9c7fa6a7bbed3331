"""How near the words of two passages are in meaning: a «train» is at home with a «locomotive».

Every word is compared with the nearest that the other passage has. A mean of all words, as the
embedding of a passage is, loses what a few of them say in common.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from towpath.language.vocabulary import Floats32
from towpath.stages.background import SHORT

Numbers = NDArray[np.intp]
Floats = NDArray[np.float64]

#: Below this cosine two words are strangers.
STRANGE = 0.2
#: How near strangers are: the more words there are, the nearer the nearest is by chance. Each word adds so much
#: to the mean, and the spread grows a little slower than the root of their number.
CHANCE, SPREAD, SLOWER = 0.0011, 0.0075, 0.4
#: Passages that one is compared with at once, which bounds the memory.
AT_ONCE = 64


@dataclass(frozen=True, slots=True)
class PassageWords:
    """The words of a document's passages, one passage after the other, and the weight of each."""

    rows: Numbers
    words: Numbers
    weights: Floats
    passages: int

    def telling(self, telling: Floats32) -> PassageWords:
        """The same with more weight for the words that tell more."""
        return PassageWords(self.rows, self.words, self.weights * telling[self.words], self.passages)

    def starts(self) -> Numbers:
        return np.searchsorted(self.rows, np.arange(self.passages + 1))


class Kinship:
    def __init__(self, vectors: Floats32, first: PassageWords, second: PassageWords) -> None:
        self._vectors = vectors
        self._sides = first, second
        self._starts = first.starts(), second.starts()

    def between(self, rows: Numbers, columns: Numbers) -> Floats:
        """Of each of these pairs of passages, in standard deviations above chance."""
        found = np.zeros(len(rows))
        order = np.argsort(rows, kind="stable")
        for same in np.split(order, np.flatnonzero(np.diff(rows[order])) + 1):
            for start in range(0, len(same), AT_ONCE):
                some = same[start : start + AT_ONCE]
                found[some] = self._of_one(int(rows[some[0]]), columns[some])
        counts = [np.diff(starts) for starts in self._starts]
        words = np.maximum(SHORT, np.sqrt(counts[0][rows] * counts[1][columns]))
        return (found - CHANCE * words) / (SPREAD * words**SLOWER)

    def _of_one(self, row: int, columns: Numbers) -> Floats:
        """How near this passage's words and those of each of the others are, from 0 to 1, which is the same words."""
        first, second = self._sides
        here = slice(self._starts[0][row], self._starts[0][row + 1])
        lengths = self._starts[1][columns + 1] - self._starts[1][columns]
        spoken = np.flatnonzero(lengths)
        akin = np.zeros(len(columns))
        if here.start == here.stop or not len(spoken):
            return akin
        columns, lengths = columns[spoken], lengths[spoken]
        at = np.concatenate(([0], np.cumsum(lengths)[:-1]))
        there = np.repeat(self._starts[1][columns] - at, lengths) + np.arange(int(lengths.sum()))
        near = self._vectors[first.words[here]] @ self._vectors[second.words[there]].T
        mine = np.maximum.reduceat(near, at, axis=1)
        weights, other = first.weights[here], second.weights[there]
        # All words of both on one scale, or the only word of a heading would speak for a whole page.
        near_mine = weights @ _kin(mine)
        near_other = np.add.reduceat(other * _kin(near.max(axis=0)), at)
        total = weights.sum() + np.add.reduceat(other, at)
        # A passage may have no words but those that all have, which weigh nothing.
        akin[spoken] = (near_mine + near_other) / np.where(total > 0, total, 1.0)
        return akin


def _kin(cosines: Floats32) -> Floats:
    return np.maximum(0.0, (cosines.astype(np.float64) - STRANGE) / (1.0 - STRANGE))
