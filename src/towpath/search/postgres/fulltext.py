"""Full-text search on Postgres: candidates from the GIN index, ranked by term frequency and rarity."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from sqlalchemy import text

from towpath.ledger.database import Transaction
from towpath.search.contract import RankedChunk, Scope
from towpath.search.document_frequency_cache import DocumentFrequencyCache
from towpath.search.postgres.vectors import scope_conditions, scope_parameters
from towpath.search.query_parser import Term
from towpath.search.term_selection import TermFrequency, TermPlan, select_terms

#: Candidates that are ranked; ranking reads the lexemes of each, about 10 µs.
MAX_RANKED = 2_000
#: Terms in more chunks than this are dropped from a query that has rarer terms.
MAX_COUNTED = 50_000

#: Weights of the classes D, C, B, A: text has class D, headings have class B.
_WEIGHTS = "{0.6, 0.6, 1, 0.6}"


@dataclass(frozen=True, slots=True)
class FullTextSearch:
    """One full-text search in one transaction."""

    tx: Transaction
    scope: Scope
    depth: int
    document_frequencies: DocumentFrequencyCache

    def search(self, terms: Sequence[Term], min_results: int) -> list[RankedChunk]:
        plan = select_terms(self._term_frequencies(terms), max_count=MAX_COUNTED, max_matches=MAX_RANKED)
        queries = [_tsquery(index, frequency.term) for index, frequency in enumerate(plan.all_of)]
        results = self._collect(" && ".join(queries), plan.all_of)
        for terms_used, query in _relaxed_queries(plan):
            if len(results) < min_results:
                results |= self._collect(query, terms_used)
        return list(results.values())[: self.depth]

    def _collect(self, query: str, terms_used: Sequence[TermFrequency]) -> dict[int, RankedChunk]:
        """The best matches in order, among the first `MAX_RANKED` candidates."""
        score = " + ".join(
            f"{_inverse_document_frequency(frequency):.3f}"
            f" * ts_rank('{_WEIGHTS}', lexemes, {_tsquery(index, frequency.term)}, 1)"
            for index, frequency in enumerate(terms_used)
        )
        # `|| ''` makes Postgres detoast the lexemes once instead of once per term. The weights are literals so
        # that every statement is planned for its own terms.
        statement = text(f"""
            select number, {score} as score from (
              select number, search_words || '' as lexemes from chunks
              where {self._candidates(query)}
              limit {MAX_RANKED}
            ) as candidates
            order by score desc, number limit {self.depth}
        """)
        values = scope_parameters(self.scope)
        for index, frequency in enumerate(terms_used):
            values |= _tsquery_parameters(index, frequency.term)
        rows = self.tx.connection.execute(statement, values).all()
        return {int(row.number): RankedChunk(int(row.number), float(row.score)) for row in rows}

    def _candidates(self, query: str) -> str:
        if not self.tx.bound:
            return f"search_words @@ ({query}) and {scope_conditions(self.scope)}"
        # Under row-level security a role cannot use the GIN index directly (see rls_search_function.py).
        document = "null" if self.scope.document_id is None else "cast(:document as uuid)"
        kind = "null" if self.scope.kind is None else "cast(:kind as text)"
        return f"number = any(array(select search_matching(({query}), {document}, {kind}, {MAX_RANKED})))"

    def _term_frequencies(self, terms: Sequence[Term]) -> list[TermFrequency]:
        """Estimates how many chunks contain each term from the planner's statistics; counting would be slow."""
        now = time.monotonic()
        counts = {term: self.document_frequencies.get(str(term.key), now) for term in terms}
        missing = [term for term, count in counts.items() if count is None]
        for term, count in zip(missing, self._estimate_counts(missing), strict=True):
            counts[term] = self.document_frequencies.put(str(term.key), count, now)
        return [TermFrequency(term, counts[term] or 1) for term in terms]

    def _estimate_counts(self, terms: Sequence[Term]) -> list[int]:
        if not terms:
            return []
        values: dict[str, str] = {}
        for index, term in enumerate(terms):
            values |= _tsquery_parameters(index, term)
        if self.tx.bound:
            expected = ", ".join(
                f"search_expected({_tsquery(index, term)})" for index, term in enumerate(terms)
            )
            return [
                int(count) for count in self.tx.connection.execute(text(f"select {expected}"), values).one()
            ]
        # A parallel plan would show the rows of one worker only.
        self.tx.connection.execute(text("set local max_parallel_workers_per_gather = 0"))
        branches = [
            f"select from chunks where search_words @@ {_tsquery(index, term)}"
            for index, term in enumerate(terms)
        ]
        answer = self.tx.connection.execute(
            text(f"explain (format json) {' union all '.join(branches)}"), values
        ).scalar_one()
        return _estimated_rows(answer, len(terms))


def _relaxed_queries(plan: TermPlan) -> Iterator[tuple[tuple[TermFrequency, ...], str]]:
    """Weaker and weaker queries, each with the terms that it uses."""
    for required, optional in plan.relaxations():
        terms_used = (*required, *optional)
        queries = [_tsquery(index, frequency.term) for index, frequency in enumerate(terms_used)]
        either = " || ".join(queries[len(required) :])
        yield terms_used, " && ".join([*queries[: len(required)], *([f"({either})"] if either else [])])


def _estimated_rows(explained: object, branches: int) -> list[int]:
    loaded = json.loads(explained) if isinstance(explained, str) else explained
    plan = cast("list[Mapping[str, Any]]", loaded)[0]["Plan"]
    plans = [plan] if branches == 1 else cast("list[Mapping[str, Any]]", plan.get("Plans", []))
    return [int(branch["Plan Rows"]) for branch in plans] if len(plans) == branches else [1] * branches


def _inverse_document_frequency(frequency: TermFrequency) -> float:
    """As in BM25, for a collection of 1,000,000 chunks; other sizes scale all weights alike."""
    return math.log(1 + 1_000_000 / (frequency.count + 1))


def _tsquery(index: int, term: Term) -> str:
    """The term as a tsquery expression with bound parameters; user input never becomes part of the SQL."""
    whole = f"phraseto_tsquery('search_stems', search_plain(:term{index}))"
    if not term.is_prefix:
        return whole
    prefix = f"to_tsquery('simple', :begins{index})"
    return prefix if len(term.words) == 1 else f"({whole} <-> {prefix})"


def _tsquery_parameters(index: int, term: Term) -> dict[str, str]:
    if not term.is_prefix:
        return {f"term{index}": " ".join(term.words)}
    prefix = {f"begins{index}": f"{term.words[-1]}:*"}
    return prefix if len(term.words) == 1 else prefix | {f"term{index}": " ".join(term.words[:-1])}
