"""A small collection to look things up in, on whichever engine, and an embedder that suits it."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

import numpy as np
from sqlalchemy import delete

from tests.support.emulators.meaning import embed
from towpath.errors import ProviderError
from towpath.ledger.database import Database, Transaction
from towpath.ledger.tables import chunks, documents
from towpath.model.ids import HOME_ORG, chunk_number, new_id
from towpath.providers.contract import Embedded, Vectors
from towpath.search.contract import Hit, Mode, Query
from towpath.search.index import Index
from towpath.search.postgres import PostgresIndex
from towpath.search.searcher import HybridSearcher
from towpath.search.sqlite import SqliteIndex

THEN = datetime(2026, 1, 1, tzinfo=UTC)


@dataclass(slots=True)
class Meaning:
    """An embedder for which texts that share words mean the same. It counts what it was asked."""

    provider: str = "test"
    model: str = "meaning-1"
    dimension: int = 384
    asked: list[str] = field(default_factory=list[str])
    fails: ProviderError | None = None
    answers: Vectors | None = None

    def batches(self, texts: Sequence[str]) -> list[range]:
        return [range(len(texts))]

    async def embed(self, texts: Sequence[str]) -> Embedded:
        if self.fails:
            raise self.fails
        self.asked += texts
        if self.answers is not None:
            return Embedded(np.stack([self.answers for _ in texts]))
        return Embedded(np.stack([embed(text, self.dimension, self.dimension) for text in texts]))


def index_of(database: Database) -> Index:
    return SqliteIndex(database) if database.dialect == "sqlite" else PostgresIndex(database)


@dataclass(slots=True)
class Collection:
    """Files documents and asks for them."""

    database: Database
    embedder: Meaning = field(default_factory=Meaning)
    searcher: HybridSearcher = field(init=False)

    def __post_init__(self) -> None:
        self.searcher = HybridSearcher(index_of(self.database), self.embedder)

    async def add(
        self,
        *passages: str,
        org_id: str = HOME_ORG,
        kind: str = "document",
        name: str = "lease.pdf",
        headings: Sequence[str] = (),
        embedder: Meaning | None = None,
    ) -> str:
        """A new document with these passages, published at once; answers its id."""
        document_id = new_id()
        row = {
            "id": document_id, "org_id": org_id, "kind": kind, "name": name,
            "media_type": "text/plain", "size": 1, "sha256": document_id, "blob_key": document_id,
            "status": "COMPLETED", "created_at": THEN, "updated_at": THEN,
        }  # fmt: skip
        made = self._made(document_id, org_id, passages, headings, embedder or self.embedder)

        def write(tx: Transaction) -> None:
            tx.connection.execute(documents.insert(), row)
            tx.connection.execute(chunks.insert(), made)

        await self.database.run(write)
        return document_id

    async def replace(self, document_id: str, *passages: str) -> None:
        """The same document with other passages, in one switch."""
        made = self._made(document_id, HOME_ORG, passages, (), self.embedder)

        def write(tx: Transaction) -> None:
            tx.connection.execute(delete(chunks).where(chunks.c.document_id == document_id))
            tx.connection.execute(chunks.insert(), made)

        await self.database.run(write)

    async def remove(self, document_id: str) -> None:
        await self.database.run(
            lambda tx: tx.connection.execute(delete(documents).where(documents.c.id == document_id))
        )

    async def hits(
        self,
        text: str,
        mode: Mode = "hybrid",
        *,
        org_id: str = HOME_ORG,
        kind: str | None = None,
        document_id: str | None = None,
        limit: int = 10,
        offset: int = 0,
    ) -> list[Hit]:
        return await self.searcher.search(Query(org_id, text, mode, kind, document_id, limit, offset))

    async def found(self, text: str, mode: Mode = "hybrid") -> list[str]:
        """The passages found, without what marks a cut."""
        return [hit.snippet for hit in await self.hits(text, mode)]

    def _made(
        self,
        document_id: str,
        org_id: str,
        passages: Sequence[str],
        headings: Sequence[str],
        embedder: Meaning,
    ) -> list[dict[str, object]]:
        rows: list[dict[str, object]] = []
        for ordinal, text in enumerate(passages):
            chunk_id = str(uuid.uuid5(uuid.UUID(document_id), f"{ordinal} {text}"))
            rows.append(
                {
                    "id": chunk_id, "number": chunk_number(chunk_id), "org_id": org_id,
                    "document_id": document_id, "ordinal": ordinal, "text": text, "tokens": len(text.split()),
                    "anchor": {"start": 0, "heading_path": list(headings), "page": ordinal + 1},
                    "vector": embed(text, embedder.dimension, embedder.dimension),
                    "model": embedder.model, "dimension": embedder.dimension,
                }
            )  # fmt: skip
        return rows
