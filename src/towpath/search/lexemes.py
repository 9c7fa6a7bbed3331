"""Full text on Postgres: candidates by GIN, then ranked by how often they have how rare words."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from sqlalchemy import text

from towpath.ledger.database import Transaction
from towpath.search.choosing import Choice, Weighed, choose
from towpath.search.contract import Ranked, Scope
from towpath.search.counting import Counts
from towpath.search.neighbours import scope_conditions, scope_values
from towpath.search.query import Term

#: Ranking reads the lexemes of every candidate, at about 10 µs.
RANKED = 2_000
COMMON = 50_000

#: Weights of the classes D, C, B, A: the text is D, the headings above it are B.
_WEIGHTS = "{0.6, 0.6, 1, 0.6}"


@dataclass(frozen=True, slots=True)
class Look:
    """One look at the full-text index."""

    tx: Transaction
    scope: Scope
    depth: int
    counts: Counts

    def by_words(self, terms: Sequence[Term], enough: int) -> list[Ranked]:
        choice = choose(self._weigh(terms), common=COMMON, most=RANKED)
        queries = [_tsquery(at, one.term) for at, one in enumerate(choice.all_of)]
        found = self._gather(" && ".join(queries), choice.all_of)
        for asked, query in _looser(choice):
            if len(found) < enough:
                found |= self._gather(query, asked)
        return list(found.values())[: self.depth]

    def _gather(self, query: str, asked: Sequence[Weighed]) -> dict[int, Ranked]:
        """The best, in order; where there are more than can be ranked, the best of the oldest."""
        score = " + ".join(
            f"{_rarity(one):.3f} * ts_rank('{_WEIGHTS}', lexemes, {_tsquery(at, one.term)}, 1)"
            for at, one in enumerate(asked)
        )
        # Joined with nothing, the lexemes are unpacked once and not for every term. Weights that are written
        # out make every statement a new one, planned for its own words.
        statement = text(f"""
            select number, {score} as score from (
              select number, search_words || '' as lexemes from chunks
              where {self._candidates(query)}
              limit {RANKED}
            ) as candidates
            order by score desc, number limit {self.depth}
        """)
        values = scope_values(self.scope)
        for at, one in enumerate(asked):
            values |= _values(at, one.term)
        rows = self.tx.connection.execute(statement, values).all()
        return {int(row.number): Ranked(int(row.number), float(row.score)) for row in rows}

    def _candidates(self, query: str) -> str:
        if not self.tx.bound:
            return f"search_words @@ ({query}) and {scope_conditions(self.scope)}"
        # A role under row-level security may not use the index itself (see bound_search.py).
        document = "null" if self.scope.document_id is None else "cast(:document as uuid)"
        kind = "null" if self.scope.kind is None else "cast(:kind as text)"
        return f"number = any(array(select search_matching(({query}), {document}, {kind}, {RANKED})))"

    def _weigh(self, terms: Sequence[Term]) -> list[Weighed]:
        """How many passages have each term, by the planner's statistics: counting them would take long."""
        now = time.monotonic()
        known = {term: self.counts.get(str(term.key), now) for term in terms}
        unknown = [term for term, count in known.items() if count is None]
        for term, count in zip(unknown, self._estimate(unknown), strict=True):
            known[term] = self.counts.note(str(term.key), count, now)
        return [Weighed(term, known[term] or 1) for term in terms]

    def _estimate(self, terms: Sequence[Term]) -> list[int]:
        if not terms:
            return []
        values: dict[str, str] = {}
        for at, term in enumerate(terms):
            values |= _values(at, term)
        if self.tx.bound:
            expected = ", ".join(f"search_expected({_tsquery(at, term)})" for at, term in enumerate(terms))
            return [
                int(count) for count in self.tx.connection.execute(text(f"select {expected}"), values).one()
            ]
        # A parallel plan would tell the rows of one worker only.
        self.tx.connection.execute(text("set local max_parallel_workers_per_gather = 0"))
        branches = [
            f"select from chunks where search_words @@ {_tsquery(at, term)}" for at, term in enumerate(terms)
        ]
        answer = self.tx.connection.execute(
            text(f"explain (format json) {' union all '.join(branches)}"), values
        ).scalar_one()
        return _rows(answer, len(terms))


def _looser(choice: Choice) -> Iterator[tuple[tuple[Weighed, ...], str]]:
    """Ever fewer conditions, and whose terms they are."""
    for required, anything in choice.looser():
        asked = (*required, *anything)
        queries = [_tsquery(at, one.term) for at, one in enumerate(asked)]
        either = " || ".join(queries[len(required) :])
        yield asked, " && ".join([*queries[: len(required)], *([f"({either})"] if either else [])])


def _rows(explained: object, branches: int) -> list[int]:
    loaded = json.loads(explained) if isinstance(explained, str) else explained
    plan = cast("list[Mapping[str, Any]]", loaded)[0]["Plan"]
    plans = [plan] if branches == 1 else cast("list[Mapping[str, Any]]", plan.get("Plans", []))
    return [int(one["Plan Rows"]) for one in plans] if len(plans) == branches else [1] * branches


def _rarity(one: Weighed) -> float:
    """As in BM25, for a collection of a million passages; smaller ones change all weights alike."""
    return math.log(1 + 1_000_000 / (one.count + 1))


def _tsquery(at: int, term: Term) -> str:
    """The term as an expression of its values; nothing that was typed is ever part of the statement."""
    whole = f"phraseto_tsquery('search_stems', search_plain(:term{at}))"
    if not term.is_prefix:
        return whole
    begins = f"to_tsquery('simple', :begins{at})"
    return begins if len(term.words) == 1 else f"({whole} <-> {begins})"


def _values(at: int, term: Term) -> dict[str, str]:
    if not term.is_prefix:
        return {f"term{at}": " ".join(term.words)}
    begins = {f"begins{at}": f"{term.words[-1]}:*"}
    return begins if len(term.words) == 1 else begins | {f"term{at}": " ".join(term.words[:-1])}
