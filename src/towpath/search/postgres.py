"""Search on Postgres: full text by tsvector and GIN, vectors by pgvector's HNSW, no state in a session."""

from __future__ import annotations

import time

from towpath.ledger.database import Database, Transaction
from towpath.providers.contract import Vectors
from towpath.search.contract import Passage, Ranked, Scope, Space
from towpath.search.counting import Counts
from towpath.search.lexemes import Look
from towpath.search.neighbours import EF_SEARCH, FEW, Neighbours, count_at_most
from towpath.search.query import Wish

#: Seconds for which a count of passages is believed.
STALE = 60.0


class PostgresIndex:
    """``ef_search`` weighs recall against time; up to ``few`` vectors are compared one by one."""

    def __init__(self, database: Database, *, ef_search: int = EF_SEARCH, few: int = FEW) -> None:
        self.database = database
        self._ef_search = ef_search
        self._few = few
        self._counts = Counts(stale=STALE)
        self._sizes = Counts(stale=STALE)

    def by_words(self, tx: Transaction, scope: Scope, wish: Wish, depth: int, enough: int) -> list[Ranked]:
        return Look(tx, scope, depth, self._counts).by_words(wish.terms, enough)

    def by_vector(
        self, tx: Transaction, scope: Scope, space: Space, vector: Vectors, depth: int
    ) -> list[Ranked]:
        return self._neighbours(tx, scope, space, vector, depth).look(tx)

    def passages_by_vector(
        self, tx: Transaction, scope: Scope, space: Space, vector: Vectors, depth: int
    ) -> list[tuple[Ranked, Passage]]:
        return self._neighbours(tx, scope, space, vector, depth).read(tx)

    def by_vectors(
        self, tx: Transaction, scope: Scope, space: Space, vectors: Vectors, depth: int
    ) -> list[list[Ranked]]:
        return [self.by_vector(tx, scope, space, vector, depth) for vector in vectors]

    def _neighbours(
        self, tx: Transaction, scope: Scope, space: Space, vector: Vectors, depth: int
    ) -> Neighbours:
        exact = self._are_few(tx, scope)
        return Neighbours(scope, space, vector, depth, max(self._ef_search, depth), exact)

    def _are_few(self, tx: Transaction, scope: Scope) -> bool:
        """Whether comparing all is as fast as the index, which finds few of the few among the many."""
        if scope.document_id is not None:
            return True
        key, now = f"{scope.org_id} {scope.kind}", time.monotonic()
        size = self._sizes.get(key, now)
        if size is None:
            size = self._sizes.note(key, count_at_most(tx, scope, self._few + 1), now)
        return size <= self._few
