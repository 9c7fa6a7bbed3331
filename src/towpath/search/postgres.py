"""Search on Postgres: full text by tsvector and GIN, vectors by pgvector's HNSW, no state in a session."""

from __future__ import annotations

import time
from collections.abc import Sequence

from towpath.ledger.database import Database
from towpath.providers.contract import Vectors
from towpath.search.contract import Passage, Ranked, Scope, Space
from towpath.search.counting import Counts
from towpath.search.lexemes import Look
from towpath.search.neighbours import EF_SEARCH, FEW, Neighbours, count_at_most
from towpath.search.passages import read_passages
from towpath.search.query import Wish

#: Seconds for which a count of passages is believed.
STALE = 60.0


class PostgresIndex:
    """``ef_search`` weighs recall against time; up to ``few`` vectors are compared one by one."""

    def __init__(self, database: Database, *, ef_search: int = EF_SEARCH, few: int = FEW) -> None:
        self._database = database
        self._ef_search = ef_search
        self._few = few
        self._counts = Counts(stale=STALE)
        self._sizes = Counts(stale=STALE)

    async def by_words(self, scope: Scope, wish: Wish, depth: int, enough: int) -> list[Ranked]:
        return await self._database.run(
            lambda tx: Look(tx, scope, depth, self._counts).by_words(wish.terms, enough), read=True
        )

    async def by_vector(self, scope: Scope, space: Space, vector: Vectors, depth: int) -> list[Ranked]:
        exact = await self._is_small(scope)
        ask = Neighbours(scope, space, vector, depth, max(self._ef_search, depth), exact)
        return await self._database.run(ask.look, single=True, read=True)

    async def passages(self, scope: Scope, numbers: Sequence[int]) -> dict[int, Passage]:
        return await self._database.run(lambda tx: read_passages(tx, scope, numbers), single=True, read=True)

    async def _is_small(self, scope: Scope) -> bool:
        """Whether comparing all is as fast as the index, which finds few of the few among the many."""
        if scope.document_id is not None:
            return True
        key, now = f"{scope.org_id} {scope.kind}", time.monotonic()
        size = self._sizes.get(key, now)
        if size is None:
            counted = await self._database.run(
                lambda tx: count_at_most(tx, scope, self._few + 1), single=True, read=True
            )
            size = self._sizes.note(key, counted, now)
        return size <= self._few
