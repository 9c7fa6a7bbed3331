"""Full-text search on SQLite: FTS5 queries of terms, relaxed until enough chunks match."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sqlalchemy import text

from towpath.ledger.database import Transaction
from towpath.search.contract import RankedChunk, Scope
from towpath.search.document_frequency_cache import DocumentFrequencyCache
from towpath.search.query_parser import Term
from towpath.search.term_selection import TermFrequency, TermPlan, select_terms

#: Counting stops here. To rank, FTS5 visits every chunk that contains a term, 0.1 µs each.
MAX_COUNTED = 10_000
#: Chunks that are ranked, 2 µs each.
MAX_RANKED = 4_000
#: If too many chunks contain all terms, those with the terms within this many words come first.
NEAR_DISTANCE = 10

_COUNT = text("select count(*) from (select 1 from search_words where search_words match :match limit :most)")
_ORGS = text("select (select min(org_id) from chunks), (select max(org_id) from chunks)")
_LAST_CHANGE = text("select coalesce(max(id), 0) from search_changes")


@dataclass(frozen=True, slots=True)
class FullTextSearch:
    """One full-text search in one transaction."""

    tx: Transaction
    scope: Scope
    depth: int
    document_frequencies: DocumentFrequencyCache

    def search(self, terms: Sequence[Term], min_results: int) -> list[RankedChunk]:
        version = int(self.tx.connection.execute(_LAST_CHANGE).scalar_one())
        frequencies = [
            TermFrequency(term, self._document_frequency(_match_expression(term), version)) for term in terms
        ]
        plan = select_terms(frequencies, max_count=MAX_COUNTED, max_matches=MAX_RANKED)
        results: dict[int, RankedChunk] = {}
        if not plan.is_impossible:
            self._collect_full_matches(plan, results)
            for terms_used, match in _relaxed_matches(plan):
                if len(results) < min_results:
                    self._collect(match, _can_rank(terms_used), results)
        return list(results.values())

    def _collect_full_matches(self, plan: TermPlan, results: dict[int, RankedChunk]) -> None:
        if any(frequency.count == 0 for frequency in plan.all_of):
            return
        matches = [_match_expression(frequency.term) for frequency in plan.all_of]
        match = " AND ".join(matches)
        rank = _can_rank(plan.all_of)
        if self._exceeds_max_ranked(match, plan):
            if len(matches) > 1:
                self._collect(f"NEAR({' '.join(matches)}, {NEAR_DISTANCE})", rank, results)
            self._collect(f"headings : ({match})", rank, results)
        self._collect(match, rank, results)

    def _exceeds_max_ranked(self, match: str, plan: TermPlan) -> bool:
        if min(frequency.count for frequency in plan.all_of) <= MAX_RANKED:
            return False
        return len(plan.all_of) == 1 or self._count_matches(match, MAX_RANKED + 1) > MAX_RANKED

    def _collect(self, match: str, rank: bool, results: dict[int, RankedChunk]) -> None:
        """Appends the best matches that are not in ``results`` yet, in order."""
        if len(results) >= self.depth:
            return
        # Row ids come from hashes: if not all chunks can be ranked, the first ones are a random sample.
        score = "bm25(search_words, 1.5, 1.0)" if rank else "0.0"
        tables, conditions = self._filters()
        statement = text(
            f"select number, score from (select search_words.rowid as number, {score} as score "
            f"from search_words {tables} where search_words match :match {conditions} limit :ranked) "
            "order by score, number limit :depth"
        )
        rows = self.tx.connection.execute(
            statement,
            {
                "match": match,
                "ranked": MAX_RANKED if rank else self.depth,
                "depth": self.depth,
                "org": self.scope.org_id,
                "document": self.scope.document_id,
                "kind": self.scope.kind,
            },
        )
        for chunk_rowid, score in rows:
            if len(results) < self.depth:
                results.setdefault(chunk_rowid, RankedChunk(chunk_rowid, -score))

    def _filters(self) -> tuple[str, str]:
        first, last = self.tx.connection.execute(_ORGS).one()
        is_only_organization = first == last == self.scope.org_id
        if is_only_organization and self.scope.kind is None and self.scope.document_id is None:
            return "", ""
        tables = "cross join chunks on chunks.number = search_words.rowid"
        conditions = "and chunks.org_id = :org"
        if self.scope.document_id is not None:
            conditions += " and chunks.document_id = :document"
        if self.scope.kind is not None:
            tables += " cross join documents on documents.id = chunks.document_id"
            conditions += " and documents.kind = :kind"
        return tables, conditions

    def _document_frequency(self, match: str, version: int) -> int:
        count = self.document_frequencies.get(match, version)
        return (
            self.document_frequencies.put(match, self._count_matches(match, MAX_COUNTED + 1), version)
            if count is None
            else count
        )

    def _count_matches(self, match: str, limit: int) -> int:
        return int(self.tx.connection.execute(_COUNT, {"match": match, "most": limit}).scalar_one())


def _relaxed_matches(plan: TermPlan) -> Iterator[tuple[tuple[TermFrequency, ...], str]]:
    """Weaker and weaker FTS5 expressions, each with the terms that it uses."""
    for required, optional in plan.relaxations():
        either = " OR ".join(_match_expression(frequency.term) for frequency in optional)
        matches = [_match_expression(frequency.term) for frequency in required]
        yield (*required, *optional), " AND ".join([*matches, *([f"({either})"] if either else [])])


def _can_rank(terms_used: Sequence[TermFrequency]) -> bool:
    return all(frequency.count <= MAX_COUNTED for frequency in terms_used)


def _match_expression(term: Term) -> str:
    """The term as an FTS5 expression. Quotes disable operators; a star searches for a prefix."""
    stem = term.cyrillic_stem
    if stem is not None:
        # FTS5 has no Russian stemmer; a prefix search for the stem finds its words and little else.
        return f'"{stem}" *'
    words = " ".join(term.words).replace("ё", "е").replace("Ё", "Е")
    return f'"{words}" *' if term.is_prefix else f'"{words}"'
