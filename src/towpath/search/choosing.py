"""Decides which words of a query to ask for: rare ones tell, common ones only cost."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from towpath.search.query import Term


@dataclass(frozen=True, slots=True)
class Weighed:
    """A term and the number of passages that have it, which may be an estimate or a lower bound."""

    term: Term
    count: int


@dataclass(frozen=True, slots=True)
class Choice:
    """``all_of`` must all be there; where they are nowhere together, ``required`` and some of ``any_of``."""

    all_of: tuple[Weighed, ...]
    required: tuple[Weighed, ...]
    any_of: tuple[Weighed, ...]

    @property
    def is_impossible(self) -> bool:
        return any(weighed.count == 0 for weighed in self.required)


def choose(weighed: Sequence[Weighed], *, common: int, most: int) -> Choice:
    """Words in more than ``common`` passages are left out where others tell more.

    ``any_of`` are the rarest, as many as have ``most`` passages together, and at least one.
    """
    telling = [one for one in weighed if one.term.quoted or one.count <= common]
    required = tuple(one for one in weighed if one.term.quoted)
    loose = [one for one in weighed if not one.term.quoted and one.count > 0 and not one.term.is_slight]
    chosen: list[Weighed] = []
    passages = 0
    for one in sorted(loose, key=lambda one: one.count):
        passages += one.count
        if chosen and passages > most:
            break
        chosen.append(one)
    return Choice(tuple(telling or weighed), required, tuple(chosen))
