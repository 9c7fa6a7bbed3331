"""Finds similar documents for connections: reads whole documents and looks up their nearest chunks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from sqlalchemy import Row, or_, select

from towpath.connections.store import ConnectionMark, DocumentChunks
from towpath.ledger.database import Transaction
from towpath.ledger.tables import chunks, connection_marks, connections, documents
from towpath.model.writes import DocumentVersion
from towpath.providers.contract import Vectors
from towpath.search.contract import EmbeddingSpace, Scope
from towpath.search.index_contract import SearchIndex

_Row = Row[Any, Any, Any, Any, Any, Any]


class SqlConnectionStore:
    """Implements `ConnectionStore` on the search index of either engine."""

    def __init__(self, index: SearchIndex) -> None:
        self._index = index

    async def document_chunks(
        self, org_id: str, document_ids: Sequence[str], model: str | None
    ) -> list[DocumentChunks]:
        c = chunks.c
        # One statement, so that the chunks belong to the version that is read with them.
        query = (
            select(c.document_id, documents.c.published_run_id, c.id, c.text, c.vector, c.model)
            .join_from(chunks, documents, documents.c.id == c.document_id)
            .where(documents.c.org_id == org_id, c.document_id.in_(list(document_ids)))
            .where(c.vector.is_not(None))
            .order_by(c.document_id, c.id)
        )
        if model is not None:
            query = query.where(c.model == model)

        def read(tx: Transaction) -> list[DocumentChunks]:
            rows_by_document: dict[str, list[_Row]] = {}
            for row in tx.connection.execute(query):
                rows_by_document.setdefault(str(row.document_id), []).append(row)
            return [_to_document_chunks(rows) for rows in rows_by_document.values()]

        return await self._index.database.run(read, read=True)

    async def nearest_documents(
        self, org_id: str, document: DocumentChunks, rows: range, depth: int
    ) -> dict[str, float]:
        scope = Scope(org_id, excluded_document_id=document.document_id)
        space = EmbeddingSpace(document.model, document.vectors.shape[1])

        def read(tx: Transaction) -> dict[str, float]:
            best: dict[int, float] = {}
            for neighbours in self._index.by_vectors(
                tx, scope, space, document.vectors[rows.start : rows.stop], depth
            ):
                for ranked in neighbours:
                    best[ranked.chunk_rowid] = max(ranked.score, best.get(ranked.chunk_rowid, ranked.score))
            return _by_document(tx, best)

        return await self._index.database.run(read, read=True, single=True)

    async def republished(self, org_id: str, versions: Sequence[DocumentVersion]) -> list[str]:
        compared = {version.document_id: version.run_id for version in versions}
        c = documents.c
        query = select(c.id, c.published_run_id).where(c.org_id == org_id, c.id.in_(compared))

        def read(tx: Transaction) -> list[str]:
            published = {
                str(row.id): None if row.published_run_id is None else str(row.published_run_id)
                for row in tx.connection.execute(query)
            }
            return [
                document_id
                for document_id in compared
                if published.get(document_id, compared[document_id]) != compared[document_id]
            ]

        return await self._index.database.run(read, read=True, single=True)

    async def connected_documents(self, org_id: str, document_id: str) -> set[str]:
        def read(tx: Transaction) -> set[str]:
            document_ids: set[str] = set()
            for table in (connections, connection_marks):
                sides = (table.c.a_document_id, table.c.b_document_id)
                for this_side, other_side in (sides, sides[::-1]):
                    query = (
                        select(other_side)
                        .where(this_side == document_id, table.c.org_id == org_id)
                        .distinct()
                    )
                    document_ids |= {str(other) for other in tx.connection.scalars(query)}
            return document_ids

        return await self._index.database.run(read, read=True)

    async def marks(self, org_id: str, document_id: str) -> list[ConnectionMark]:
        c = connection_marks.c
        query = (
            select(c.id, c.a_document_id, c.b_document_id, c.a_chunk_id, c.b_chunk_id, c.a_text, c.b_text)
            .where(c.org_id == org_id, or_(c.a_document_id == document_id, c.b_document_id == document_id))
            .where(or_(c.pinned, c.hidden))
            .order_by(c.id)
        )
        return await self._index.database.run(
            lambda tx: [ConnectionMark(*map(str, row)) for row in tx.connection.execute(query)], read=True
        )

    async def sample_vectors(self, org_id: str, model: str, limit: int) -> Vectors:
        c = chunks.c
        query = (
            select(c.vector)
            .where(c.org_id == org_id, c.model == model, c.vector.is_not(None))
            .order_by(c.number)
            .limit(limit)
        )

        def read(tx: Transaction) -> Vectors:
            vectors = [np.asarray(vector, np.float32) for vector in tx.connection.scalars(query)]
            return np.stack(vectors) if vectors else np.zeros((0, 1), np.float32)

        return await self._index.database.run(read, read=True)


def _by_document(tx: Transaction, best_by_chunk: dict[int, float]) -> dict[str, float]:
    best_by_document: dict[str, float] = {}
    chunk_rowids = sorted(best_by_chunk)
    for start in range(0, len(chunk_rowids), 1_000):
        batch = chunk_rowids[start : start + 1_000]
        query = select(chunks.c.number, chunks.c.document_id).where(chunks.c.number.in_(batch))
        for chunk_rowid, document_id in tx.connection.execute(query):
            score = best_by_chunk[int(chunk_rowid)]
            best_by_document[str(document_id)] = max(score, best_by_document.get(str(document_id), score))
    return best_by_document


def _to_document_chunks(rows: Sequence[_Row]) -> DocumentChunks:
    """Uses the model of the first chunk; publishing leaves chunks of one model only."""
    model = str(rows[0].model)
    rows_of_model = [row for row in rows if row.model == model]
    run_id = rows_of_model[0].published_run_id
    return DocumentChunks(
        DocumentVersion(str(rows_of_model[0].document_id), None if run_id is None else str(run_id)),
        model,
        [str(row.id) for row in rows_of_model],
        [str(row.text) for row in rows_of_model],
        np.stack([np.asarray(row.vector, np.float32) for row in rows_of_model]),
    )
