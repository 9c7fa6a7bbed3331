"""Keeps a shelf of vectors for each organization and model, and brings it up to date before every search."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice

import numpy as np
from sqlalchemy import Select, TextClause, func, select, text, type_coerce
from sqlalchemy.types import LargeBinary

from towpath.ledger.database import Transaction
from towpath.ledger.tables import chunks
from towpath.providers.contract import Vectors
from towpath.search.contract import Ranked, Space
from towpath.search.shelf import Row, Shelf, best

Key = tuple[str, Space]

_BATCH = 2_000
# Two questions, since SQLite looks only at an end of the index when asked for one end at a time.
_CHANGES = text(
    "select coalesce((select min(id) from search_changes), 0), "
    "coalesce((select max(id) from search_changes), 0)"
)
_CHANGED = text("select distinct number from search_changes where id > :seen")


@dataclass(slots=True)
class _Kept:
    """A shelf and the last change it knows of."""

    lock: threading.Lock = field(default_factory=threading.Lock)
    shelf: Shelf | None = None
    seen: int = 0


class Shelves:
    """Bounded: the least used go first, and one that alone is too large is read from disk every time."""

    def __init__(self, most_bytes: int) -> None:
        self._most_bytes = most_bytes
        self._lock = threading.Lock()
        self._kept: OrderedDict[Key, _Kept] = OrderedDict()

    def nearest(
        self,
        tx: Transaction,
        org_id: str,
        space: Space,
        vector: Vectors,
        depth: int,
        documents: set[str] | None,
    ) -> list[Ranked]:
        shelf = self._current(tx, org_id, space)
        if shelf is None:
            return _read_nearest(tx, org_id, space, vector, depth, documents)
        return shelf.nearest(vector, depth, documents)

    def nearest_many(
        self,
        tx: Transaction,
        org_id: str,
        space: Space,
        vectors: Vectors,
        depth: int,
        *,
        without: str | None,
    ) -> list[list[Ranked]]:
        """The same for each of the vectors, among all documents but one."""
        shelf = self._current(tx, org_id, space)
        if shelf is not None:
            return shelf.nearest_many(vectors, depth, without)
        leading: list[list[Ranked]] = [[] for _ in vectors]
        for rows in _batches(tx, org_id, space):
            some = Shelf.empty(space.dimension, len(rows)).with_rows(rows)
            found = some.nearest_many(vectors, depth, without)
            leading = [_leading(so_far + more, depth) for so_far, more in zip(leading, found, strict=True)]
        return leading

    def _current(self, tx: Transaction, org_id: str, space: Space) -> Shelf | None:
        with self._lock:
            kept = self._kept.setdefault((org_id, space), _Kept())
            self._kept.move_to_end((org_id, space))
        # One thread brings a shelf up to date while the others wait for it; they would do the same work.
        with kept.lock:
            oldest, latest = _numbers(tx, _CHANGES)
            shelf, kept.shelf = kept.shelf, None  # whatever fails from here on, the next search starts afresh
            if shelf is None or kept.seen + 1 < oldest:
                shelf = self._loaded(tx, org_id, space)
                kept.seen = latest
            elif kept.seen < latest:
                shelf = _updated(tx, org_id, space, shelf, kept.seen)
                kept.seen = latest
            kept.shelf = shelf
        self._shrink()
        return shelf

    def _loaded(self, tx: Transaction, org_id: str, space: Space) -> Shelf | None:
        # Of any model: an upper bound that the index alone can tell.
        (count,) = _numbers(tx, select(func.count()).select_from(chunks).where(chunks.c.org_id == org_id))
        shelf = Shelf.empty(space.dimension, count + count // 8)
        if shelf.size_bytes > self._most_bytes:
            return None
        for rows in _batches(tx, org_id, space):
            shelf = shelf.with_rows(rows)
        return shelf

    def _shrink(self) -> None:
        with self._lock:
            sizes = {key: kept.shelf.size_bytes if kept.shelf else 0 for key, kept in self._kept.items()}
            total = sum(sizes.values())
            while total > self._most_bytes and len(self._kept) > 1:
                key, _ = self._kept.popitem(last=False)
                total -= sizes[key]


def _updated(tx: Transaction, org_id: str, space: Space, shelf: Shelf, seen: int) -> Shelf:
    """Every chunk that changed is struck out, and those that are still there are put at the end."""
    changed = [int(row[0]) for row in tx.connection.execute(_CHANGED, {"seen": seen})]
    shelf = shelf.without(changed)
    for at in range(0, len(changed), _BATCH):
        some = changed[at : at + _BATCH]
        for rows in _batches(tx, org_id, space, some):
            shelf = shelf.with_rows(rows)
    return shelf


def _batches(
    tx: Transaction, org_id: str, space: Space, numbers: list[int] | None = None
) -> Iterator[list[Row]]:
    # As bytes: an array for each of 100,000 rows would take longer than reading them.
    blob = type_coerce(chunks.c.vector, LargeBinary)
    wanted = select(chunks.c.number, chunks.c.org_id, chunks.c.document_id, blob).where(
        chunks.c.model == space.model, chunks.c.dimension == space.dimension, chunks.c.vector.is_not(None)
    )
    # Asked for both, SQLite prefers the index of the organization and reads all of it (150 ms).
    wanted = wanted.where(
        chunks.c.org_id == org_id if numbers is None else chunks.c.number.in_(numbers),
    )
    found = iter(tx.connection.execute(wanted))
    while batch := list(islice(found, _BATCH)):
        yield [
            Row(int(number), document, vector) for number, owner, document, vector in batch if owner == org_id
        ]


def _read_nearest(
    tx: Transaction, org_id: str, space: Space, vector: Vectors, depth: int, documents: set[str] | None
) -> list[Ranked]:
    """The same, holding no more than one batch of vectors at a time."""
    leading: list[Ranked] = []
    for rows in _batches(tx, org_id, space):
        shelf = Shelf.empty(space.dimension, len(rows)).with_rows(rows)
        leading = _leading(leading + shelf.nearest(vector, depth, documents), depth)
    return leading


def _leading(found: list[Ranked], depth: int) -> list[Ranked]:
    numbers = np.array([ranked.number for ranked in found], np.int64)
    return best(numbers, np.array([ranked.score for ranked in found], np.float32), depth)


def _numbers(tx: Transaction, statement: TextClause | Select[int]) -> tuple[int, ...]:
    return tuple(int(number) for number in tx.connection.execute(statement).one())
