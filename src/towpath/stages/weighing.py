"""What the words that two documents share are worth: rare ones most, and nothing those in every passage."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cached_property
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from towpath.language.everyday import EVERYDAY, HALVES
from towpath.language.letters import pairs, runs_on
from towpath.language.shared_runs import shared_runs
from towpath.language.stems import stem
from towpath.language.terms import in_english, spellings, terms
from towpath.language.vocabulary import is_installed, known
from towpath.stages.kinship import Floats, Kinship, Numbers, PassageWords

#: What an everyday word is worth, against one that tells something.
_EVERYDAY = 0.5
#: From so many passages on, a word that more than half of them have is on its way to telling nothing.
_TELLING = 8
#: Words and pairs laid out at once: blocks of so many words, and so many words of pairs, bound the memory.
_WORDS = 512
_LAID_OUT = 1 << 21


class SharedWords:
    """The words of two documents, passage by passage, each with its weight in this company."""

    def __init__(self, first: Sequence[str], second: Sequence[str]) -> None:
        self._texts = first, second
        both = [[terms(text) for text in texts] for texts in self._texts]
        vocabulary = sorted(set(chain.from_iterable(chain.from_iterable(both))))
        self._number = {term: number for number, term in enumerate(vocabulary)}
        having = np.zeros(len(vocabulary), np.intp)
        sides: list[tuple[Numbers, Numbers, Floats]] = []
        for passages in both:
            rows = np.repeat(np.arange(len(passages)), [len(passage) for passage in passages])
            numbers = map(self._number.__getitem__, chain.from_iterable(passages))
            found = np.fromiter(numbers, np.intp, len(rows))
            counts = np.fromiter(
                chain.from_iterable(passage.values() for passage in passages), np.float64, len(rows)
            )
            having += np.bincount(found, minlength=len(vocabulary))
            sides.append((rows, found, counts))
        passages = len(first) + len(second)
        everyday = np.fromiter(map(EVERYDAY.__contains__, vocabulary), np.bool_, len(vocabulary))
        self._telling = ~everyday
        self._rarity = _rarity(having, passages) * np.where(everyday, _EVERYDAY, 1.0)
        self._sides = [
            _Side(rows, found, (1 + np.log(counts)) * self._rarity[found], len(texts))
            for (rows, found, counts), texts in zip(sides, self._texts, strict=True)
        ]
        self._common = np.intersect1d(self._sides[0].terms, self._sides[1].terms)

    @cached_property
    def _kinship(self) -> Kinship | None:
        """Found when it is first asked for: of most documents no pair comes so far."""
        if not is_installed():
            return None
        spelled: dict[str, str] = {}
        for text in chain.from_iterable(self._texts):
            for term, word in spellings(text).items():
                spelled.setdefault(term, word)
        vectors, telling = known([spelled[term] for term in self._number])
        one, other = (side.passages.telling(telling) for side in self._sides)
        return Kinship(vectors, one, other)

    def counts(self, row: int) -> Floats:
        """How many different words a passage has together with each of the other document, on average."""
        return np.sqrt(self._sides[0].counts[row] * self._sides[1].counts)

    def fewest(self, rows: Numbers, columns: Numbers) -> Floats:
        """How many different words the one of each of these pairs has that has fewer."""
        return np.minimum(self._sides[0].counts[rows], self._sides[1].counts[columns])

    def alike(self, rows: Numbers, columns: Numbers) -> tuple[Floats, Floats]:
        """The cosine of the words of each of these pairs of passages, and how many they share that tell something."""
        product, shared = np.zeros(len(rows)), np.zeros(len(rows))
        for start in range(0, len(self._common), _WORDS):
            chosen = self._common[start : start + _WORDS]
            one, other = (side.laid_out(chosen) for side in self._sides)
            telling = self._telling[chosen]
            there, theirs = ((page[:, telling] > 0).astype(np.float32) for page in (one, other))
            step = max(1, _LAID_OUT // len(chosen))
            for at in range(0, len(rows), step):
                some = slice(at, at + step)
                product[some] += np.einsum("ij,ij->i", one[rows[some]], other[columns[some]])
                shared[some] += np.einsum("ij,ij->i", there[rows[some]], theirs[columns[some]])
        return product / (self._sides[0].lengths[rows] * self._sides[1].lengths[columns]), shared

    def in_english(self, rows: Numbers, columns: Numbers) -> NDArray[np.bool_]:
        """Whether both of each of these pairs of passages are."""
        one, other = (np.fromiter(map(in_english, texts), np.bool_, len(texts)) for texts in self._texts)
        return one[rows] & other[columns]

    def akin(self, rows: Numbers, columns: Numbers) -> Floats:
        """How near the words of each of these pairs are in meaning, in standard deviations above chance."""
        return np.zeros(len(rows)) if self._kinship is None else self._kinship.between(rows, columns)

    def telling(self, row: int, column: int, most: int) -> list[str]:
        """The words that this pair shares, everyday ones apart, those that tell most first, as a reader writes them."""
        one, other = self._texts[0][row], self._texts[1][column]
        counts, other_counts = terms(one), terms(other)
        worth = {
            term: (1 + math.log(count))
            * (1 + math.log(other_counts[term]))
            * float(self._rarity[self._number[term]]) ** 2
            for term, count in counts.items()
            if term in other_counts and term not in EVERYDAY and term not in HALVES
        }
        named = {
            min(spellings(one)[term], spellings(other)[term]): value
            for term, value in worth.items()
            if not runs_on(term)
        }
        if len(named) < len(worth):
            for run in shared_runs(one, other):
                named[run] = max(worth.get(stem(pair), 0.0) for pair in pairs(run))
        return sorted(named, key=lambda word: (-named[word], word))[:most]


def _rarity(having: Numbers, passages: int) -> Floats:
    """More for a word that few passages have; where there are enough to tell, nothing for one that all have."""
    rarity = np.log(1 + (passages + 1) / np.maximum(having, 1))
    return rarity if passages < _TELLING else rarity * np.minimum(1.0, 2.0 * (1.0 - having / passages))


class _Side:
    """One document's words: which passage has which, and how much it weighs there."""

    def __init__(self, rows: Numbers, terms: Numbers, weights: Floats, passages: int) -> None:
        self.passages = PassageWords(rows, terms, weights, passages)
        order = np.argsort(terms, kind="stable")
        self._rows, self.terms, self._weights = rows[order], terms[order], weights[order]
        self.counts: Floats = np.maximum(np.bincount(rows, minlength=passages), 1).astype(np.float64)
        lengths = np.sqrt(np.bincount(rows, weights * weights, minlength=passages))
        self.lengths: Floats = np.where(lengths > 0, lengths, 1.0)

    def laid_out(self, chosen: Numbers) -> Floats:
        """A row for each passage, a column for each of the chosen words, which are in ascending order."""
        page = np.zeros((len(self.lengths), len(chosen)))
        start, end = np.searchsorted(self.terms, (chosen[0], chosen[-1] + 1))
        found = self.terms[start:end]
        column = np.searchsorted(chosen, found)
        here = chosen[column] == found
        page[self._rows[start:end][here], column[here]] = self._weights[start:end][here]
        return page
