"""What an engine must offer, so that the two ways of looking can be joined into one answer."""

from __future__ import annotations

from typing import Protocol

from towpath.ledger.database import Database, Transaction
from towpath.providers.contract import Vectors
from towpath.search.contract import Passage, Ranked, Scope, Space
from towpath.search.query import Wish


class Index(Protocol):
    """What an engine offers: two ways of looking, each best first. Both block, inside a transaction."""

    database: Database

    def by_words(self, tx: Transaction, scope: Scope, wish: Wish, depth: int, enough: int) -> list[Ranked]:
        """Up to ``depth`` chunks with all the words; with some of them where those are not ``enough``."""
        ...

    def by_vector(
        self, tx: Transaction, scope: Scope, space: Space, vector: Vectors, depth: int
    ) -> list[Ranked]:
        """The ``depth`` nearest chunks and their cosines."""
        ...

    def passages_by_vector(
        self, tx: Transaction, scope: Scope, space: Space, vector: Vectors, depth: int
    ) -> list[tuple[Ranked, Passage]]:
        """The same with the passages, in one trip to the server where there is a server."""
        ...

    def by_vectors(
        self, tx: Transaction, scope: Scope, space: Space, vectors: Vectors, depth: int
    ) -> list[list[Ranked]]:
        """The same for many vectors at once, for work in the background."""
        ...
