"""Selects the terms of a query to search for: rare terms discriminate, frequent terms only cost time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from towpath.search.query_parser import Term


@dataclass(frozen=True, slots=True)
class TermFrequency:
    """A term and the number of chunks that contain it, which may be an estimate or a lower bound."""

    term: Term
    count: int


Terms = tuple[TermFrequency, ...]


@dataclass(frozen=True, slots=True)
class TermPlan:
    """Search for ``all_of`` first; if too few chunks contain them all, relax to ``required`` and some others."""

    all_of: Terms
    required: Terms
    rare: Terms
    optional: Terms

    @property
    def is_impossible(self) -> bool:
        return any(frequency.count == 0 for frequency in self.required)

    def relaxations(self) -> Iterator[tuple[Terms, Terms]]:
        """Weaker conditions, one after the other: required terms, and terms of which at least one must match."""
        if self.rare:
            yield self.required, self.rare
        if self.required:
            yield self.required, ()
        elif len(self.optional) > len(self.rare):
            yield (), self.optional


def select_terms(frequencies: Sequence[TermFrequency], *, max_count: int, max_matches: int) -> TermPlan:
    """Drops stopwords and terms in more than ``max_count`` chunks, unless nothing else is left.

    ``rare`` are the rarest terms whose counts add up to at most ``max_matches``; at least one term.
    """
    selective = [
        frequency
        for frequency in frequencies
        if frequency.term.quoted or (frequency.count <= max_count and not frequency.term.is_stopword)
    ]
    required = tuple(frequency for frequency in frequencies if frequency.term.quoted)
    optional = sorted(
        (
            frequency
            for frequency in frequencies
            if not frequency.term.quoted and frequency.count > 0 and not frequency.term.is_stopword
        ),
        key=lambda frequency: frequency.count,
    )
    rare: list[TermFrequency] = []
    matches = 0
    for frequency in optional:
        matches += frequency.count
        if rare and matches > max_matches:
            break
        rare.append(frequency)
    return TermPlan(tuple(selective or frequencies), required, tuple(rare), tuple(optional))
