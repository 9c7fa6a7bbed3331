"""Search on SQLite: full text by FTS5, vectors compared exactly in memory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sqlalchemy import select, text

from towpath.ledger.database import Database, Transaction
from towpath.ledger.tables import documents
from towpath.providers.contract import Vectors
from towpath.search.choosing import Choice, Weighed, choose
from towpath.search.contract import Passage, Ranked, Scope, Space
from towpath.search.counting import Counts
from towpath.search.passages import read_passages
from towpath.search.query import Term, Wish
from towpath.search.shelves import Shelves

#: To rank, FTS5 visits every passage that has a word, at 0.1 µs, and those it ranks at 2 µs.
COMMON = 10_000
RANKED = 4_000
#: Words this near to each other are tried first where too many passages have them all.
NEAR = 10
#: So many changed chunks later, how many passages have a word is counted anew.
STALE = 500
GIGABYTE = 1 << 30

_COUNT = text("select count(*) from (select 1 from search_words where search_words match :match limit :most)")
_ORGS = text("select (select min(org_id) from chunks), (select max(org_id) from chunks)")
_CHANGE = text("select coalesce(max(id), 0) from search_changes")


class SqliteIndex:
    """``cache_bytes`` bounds the memory for vectors: 100,000 of 384 dimensions take 154 MB."""

    def __init__(self, database: Database, *, cache_bytes: int = GIGABYTE) -> None:
        self.database = database
        self._shelves = Shelves(cache_bytes)
        self._counts = Counts(stale=STALE)

    def by_words(self, tx: Transaction, scope: Scope, wish: Wish, depth: int, enough: int) -> list[Ranked]:
        return _Look(tx, scope, depth, self._counts).by_words(wish.terms, enough)

    def by_vector(
        self, tx: Transaction, scope: Scope, space: Space, vector: Vectors, depth: int
    ) -> list[Ranked]:
        among = _documents(tx, scope)
        return self._shelves.nearest(tx, scope.org_id, space, vector, depth, among)

    def passages_by_vector(
        self, tx: Transaction, scope: Scope, space: Space, vector: Vectors, depth: int
    ) -> list[tuple[Ranked, Passage]]:
        found = self.by_vector(tx, scope, space, vector, depth)
        there = read_passages(tx, scope, [ranked.number for ranked in found])
        return [(ranked, there[ranked.number]) for ranked in found if ranked.number in there]

    def by_vectors(
        self, tx: Transaction, scope: Scope, space: Space, vectors: Vectors, depth: int
    ) -> list[list[Ranked]]:
        return self._shelves.nearest_many(
            tx, scope.org_id, space, vectors, depth, without=scope.without_document_id
        )


def _documents(tx: Transaction, scope: Scope) -> set[str] | None:
    """The documents of the scope, where it is not the whole organization."""
    if scope.kind is None:
        return None if scope.document_id is None else {scope.document_id}
    wanted = select(documents.c.id).where(documents.c.org_id == scope.org_id, documents.c.kind == scope.kind)
    found = set(tx.connection.scalars(wanted))
    return found if scope.document_id is None else found & {scope.document_id}


@dataclass(frozen=True, slots=True)
class _Look:
    """One look at the full-text index."""

    tx: Transaction
    scope: Scope
    depth: int
    counts: Counts

    def by_words(self, terms: Sequence[Term], enough: int) -> list[Ranked]:
        change = int(self.tx.connection.execute(_CHANGE).scalar_one())
        weighed = [Weighed(term, self._count(_match(term), change)) for term in terms]
        choice = choose(weighed, common=COMMON, most=RANKED)
        found: dict[int, Ranked] = {}
        if not choice.is_impossible:
            self._all_of(choice, found)
            for asked, match in _looser(choice):
                if len(found) < enough:
                    self._gather(match, _can_rank(asked), found)
        return list(found.values())

    def _all_of(self, choice: Choice, found: dict[int, Ranked]) -> None:
        if any(one.count == 0 for one in choice.all_of):
            return
        matches = [_match(one.term) for one in choice.all_of]
        everything = " AND ".join(matches)
        ranked = _can_rank(choice.all_of)
        if self._are_more_than_ranked(everything, choice):
            if len(matches) > 1:
                self._gather(f"NEAR({' '.join(matches)}, {NEAR})", ranked, found)
            self._gather(f"headings : ({everything})", ranked, found)
        self._gather(everything, ranked, found)

    def _are_more_than_ranked(self, everything: str, choice: Choice) -> bool:
        if min(one.count for one in choice.all_of) <= RANKED:
            return False
        return len(choice.all_of) == 1 or self._passages(everything, RANKED + 1) > RANKED

    def _gather(self, match: str, ranked: bool, found: dict[int, Ranked]) -> None:
        """Add the best that are not there yet, in order."""
        if len(found) >= self.depth:
            return
        # Chunk numbers come from hashes: where not all can be ranked, the first ones are a fair sample.
        score = "bm25(search_words, 1.5, 1.0)" if ranked else "0.0"
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
                "ranked": RANKED if ranked else self.depth,
                "depth": self.depth,
                "org": self.scope.org_id,
                "document": self.scope.document_id,
                "kind": self.scope.kind,
            },
        )
        for number, score in rows:
            if len(found) < self.depth:
                found.setdefault(number, Ranked(number, -score))

    def _filters(self) -> tuple[str, str]:
        first, last = self.tx.connection.execute(_ORGS).one()
        alone = first == last == self.scope.org_id
        if alone and self.scope.kind is None and self.scope.document_id is None:
            return "", ""
        tables = "cross join chunks on chunks.number = search_words.rowid"
        conditions = "and chunks.org_id = :org"
        if self.scope.document_id is not None:
            conditions += " and chunks.document_id = :document"
        if self.scope.kind is not None:
            tables += " cross join documents on documents.id = chunks.document_id"
            conditions += " and documents.kind = :kind"
        return tables, conditions

    def _count(self, match: str, change: int) -> int:
        known = self.counts.get(match, change)
        return self.counts.note(match, self._passages(match, COMMON + 1), change) if known is None else known

    def _passages(self, match: str, most: int) -> int:
        return int(self.tx.connection.execute(_COUNT, {"match": match, "most": most}).scalar_one())


def _looser(choice: Choice) -> Iterator[tuple[tuple[Weighed, ...], str]]:
    """Ever fewer conditions, and whose terms they are."""
    for required, anything in choice.looser():
        either = " OR ".join(_match(one.term) for one in anything)
        matches = [_match(one.term) for one in required]
        yield (*required, *anything), " AND ".join([*matches, *([f"({either})"] if either else [])])


def _can_rank(asked: Sequence[Weighed]) -> bool:
    return all(one.count <= COMMON for one in asked)


def _match(term: Term) -> str:
    """The term in FTS5's language: in quotes nothing is an operator, and a star finds what begins so."""
    stem = term.cyrillic_stem
    if stem is not None:
        # FTS5 has no Russian stems; all that begins with the stem is what has it, and little more.
        return f'"{stem}" *'
    said = " ".join(term.words).replace("ё", "е").replace("Ё", "Е")
    return f'"{said}" *' if term.is_prefix else f'"{said}"'
