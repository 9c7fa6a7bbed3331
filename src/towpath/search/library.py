"""The library as the search for connections sees it: whole documents, and the nearest of their passages."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from sqlalchemy import Row, or_, select

from towpath.ledger.database import Transaction
from towpath.ledger.tables import chunks, connection_marks, connections, documents
from towpath.model.writes import Version
from towpath.providers.contract import Vectors
from towpath.search.contract import Scope, Space
from towpath.search.index import Index
from towpath.stages.capabilities import Mark, Passages

_Row = Row[Any, Any, Any, Any, Any, Any]


class SqlLibrary:
    """Keeps the contract on whichever index it is given."""

    def __init__(self, index: Index) -> None:
        self._index = index

    async def passages(self, org_id: str, document_ids: Sequence[str], model: str | None) -> list[Passages]:
        c = chunks.c
        # One statement, so that the passages and the version are of the same moment.
        wanted = (
            select(c.document_id, documents.c.published_run_id, c.id, c.text, c.vector, c.model)
            .join_from(chunks, documents, documents.c.id == c.document_id)
            .where(documents.c.org_id == org_id, c.document_id.in_(list(document_ids)))
            .where(c.vector.is_not(None))
            .order_by(c.document_id, c.id)
        )
        if model is not None:
            wanted = wanted.where(c.model == model)

        def read(tx: Transaction) -> list[Passages]:
            together: dict[str, list[_Row]] = {}
            for row in tx.connection.execute(wanted):
                together.setdefault(str(row.document_id), []).append(row)
            return [_passages(rows) for rows in together.values()]

        return await self._index.database.run(read, read=True)

    async def nearest(self, org_id: str, mine: Passages, rows: range, depth: int) -> dict[str, float]:
        scope = Scope(org_id, without_document_id=mine.document_id)
        space = Space(mine.model, mine.vectors.shape[1])

        def look(tx: Transaction) -> dict[str, float]:
            best: dict[int, float] = {}
            for found in self._index.by_vectors(
                tx, scope, space, mine.vectors[rows.start : rows.stop], depth
            ):
                for ranked in found:
                    best[ranked.number] = max(ranked.score, best.get(ranked.number, ranked.score))
            return _by_document(tx, best)

        return await self._index.database.run(look, read=True, single=True)

    async def changed(self, org_id: str, versions: Sequence[Version]) -> list[str]:
        seen = {version.document_id: version.run_id for version in versions}
        c = documents.c
        query = select(c.id, c.published_run_id).where(c.org_id == org_id, c.id.in_(seen))

        def read(tx: Transaction) -> list[str]:
            now = {
                str(row.id): None if row.published_run_id is None else str(row.published_run_id)
                for row in tx.connection.execute(query)
            }
            return [
                document_id
                for document_id in seen
                if now.get(document_id, seen[document_id]) != seen[document_id]
            ]

        return await self._index.database.run(read, read=True, single=True)

    async def connected(self, org_id: str, document_id: str) -> set[str]:
        def read(tx: Transaction) -> set[str]:
            found: set[str] = set()
            for table in (connections, connection_marks):
                sides = (table.c.a_document_id, table.c.b_document_id)
                for mine, theirs in (sides, sides[::-1]):
                    query = select(theirs).where(mine == document_id, table.c.org_id == org_id).distinct()
                    found |= {str(other) for other in tx.connection.scalars(query)}
            return found

        return await self._index.database.run(read, read=True)

    async def marks(self, org_id: str, document_id: str) -> list[Mark]:
        c = connection_marks.c
        query = (
            select(c.id, c.a_document_id, c.b_document_id, c.a_chunk_id, c.b_chunk_id, c.a_text, c.b_text)
            .where(c.org_id == org_id, or_(c.a_document_id == document_id, c.b_document_id == document_id))
            .where(or_(c.pinned, c.hidden))
            .order_by(c.id)
        )
        return await self._index.database.run(
            lambda tx: [Mark(*map(str, row)) for row in tx.connection.execute(query)], read=True
        )

    async def sample(self, org_id: str, model: str, most: int) -> Vectors:
        c = chunks.c
        query = (
            select(c.vector)
            .where(c.org_id == org_id, c.model == model, c.vector.is_not(None))
            .order_by(c.number)
            .limit(most)
        )

        def read(tx: Transaction) -> Vectors:
            found = [np.asarray(vector, np.float32) for vector in tx.connection.scalars(query)]
            return np.stack(found) if found else np.zeros((0, 1), np.float32)

        return await self._index.database.run(read, read=True)


def _by_document(tx: Transaction, best: dict[int, float]) -> dict[str, float]:
    together: dict[str, float] = {}
    numbers = sorted(best)
    for start in range(0, len(numbers), 1_000):
        some = numbers[start : start + 1_000]
        query = select(chunks.c.number, chunks.c.document_id).where(chunks.c.number.in_(some))
        for number, document_id in tx.connection.execute(query):
            score = best[int(number)]
            together[str(document_id)] = max(score, together.get(str(document_id), score))
    return together


def _passages(rows: Sequence[_Row]) -> Passages:
    """Of several models, the one of the first passage; the switch at publishing leaves only one."""
    model = str(rows[0].model)
    chosen = [row for row in rows if row.model == model]
    run_id = chosen[0].published_run_id
    return Passages(
        Version(str(chosen[0].document_id), None if run_id is None else str(run_id)),
        model,
        [str(row.id) for row in chosen],
        [str(row.text) for row in chosen],
        np.stack([np.asarray(row.vector, np.float32) for row in chosen]),
    )
