"""Decides which words of a query to ask for: rare ones tell, common ones only cost."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from towpath.search.query import Term


@dataclass(frozen=True, slots=True)
class Weighed:
    """A term and the number of passages that have it, which may be an estimate or a lower bound."""

    term: Term
    count: int


Terms = tuple[Weighed, ...]


@dataclass(frozen=True, slots=True)
class Choice:
    """``all_of`` must all be there; where they are nowhere together, ``required`` and some of the others."""

    all_of: Terms
    required: Terms
    rare: Terms
    loose: Terms

    @property
    def is_impossible(self) -> bool:
        return any(one.count == 0 for one in self.required)

    def looser(self) -> Iterator[tuple[Terms, Terms]]:
        """What to ask for next, and next again: terms that must be there, and terms of which one must."""
        if self.rare:
            yield self.required, self.rare
        if self.required:
            yield self.required, ()
        elif len(self.loose) > len(self.rare):
            yield (), self.loose


def choose(weighed: Sequence[Weighed], *, common: int, most: int) -> Choice:
    """Small words, and those in more than ``common`` passages, are left out where others tell more.

    ``rare`` are the rarest, as many as have ``most`` passages together, and at least one.
    """
    telling = [one for one in weighed if one.term.quoted or (one.count <= common and not one.term.is_slight)]
    required = tuple(one for one in weighed if one.term.quoted)
    loose = sorted(
        (one for one in weighed if not one.term.quoted and one.count > 0 and not one.term.is_slight),
        key=lambda one: one.count,
    )
    rare: list[Weighed] = []
    passages = 0
    for one in loose:
        passages += one.count
        if rare and passages > most:
            break
        rare.append(one)
    return Choice(tuple(telling or weighed), required, tuple(rare), tuple(loose))
