"""A small searchable collection on either engine, with an emulated embedder."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

import numpy as np
from sqlalchemy import delete

from tests.support.emulators.hashed_embeddings import embed
from towpath.errors import ProviderError
from towpath.ledger.database import Database, Transaction
from towpath.ledger.tables import chunks, document_fields, documents
from towpath.ledger.verbs.index_words import index_documents
from towpath.model.ids import DEFAULT_ORG_ID, chunk_rowid, new_id
from towpath.providers.contract import Embedded, Vectors
from towpath.search.contract import Hit, Mode, Query
from towpath.search.hybrid import HybridSearcher
from towpath.search.index_contract import SearchIndex
from towpath.search.postgres.index import PostgresIndex
from towpath.search.sqlite.index import SqliteIndex

CREATED_AT = datetime(2026, 1, 1, tzinfo=UTC)


@dataclass(slots=True)
class BagOfWordsEmbedder:
    """An embedder that gives similar vectors to texts with the same words. Records the texts."""

    provider: str = "test"
    model: str = "meaning-1"
    dimension: int = 384
    batch_limit: None = None
    price_per_million: float = 0.0
    languages: None = None
    fusion_weight: float = 0.5
    noise_similarity: float = 0.2
    embedded_texts: list[str] = field(default_factory=list[str])
    error: ProviderError | None = None
    fixed_vector: Vectors | None = None

    def batches(self, texts: Sequence[str]) -> list[range]:
        return [range(len(texts))]

    async def embed(self, texts: Sequence[str]) -> Embedded:
        if self.error:
            raise self.error
        self.embedded_texts += texts
        if self.fixed_vector is not None:
            return Embedded(np.stack([self.fixed_vector for _ in texts]))
        return Embedded(np.stack([embed(text, self.dimension, self.dimension) for text in texts]))


def build_index(database: Database) -> SearchIndex:
    return SqliteIndex(database) if database.dialect == "sqlite" else PostgresIndex(database)


@dataclass(slots=True)
class Collection:
    """Stores documents and searches for them."""

    database: Database
    embedder: BagOfWordsEmbedder = field(default_factory=BagOfWordsEmbedder)
    #: Whether added documents are put into the word index, as publishing does.
    indexed: bool = True
    searcher: HybridSearcher = field(init=False)

    def __post_init__(self) -> None:
        self.searcher = HybridSearcher(build_index(self.database), self.embedder)

    async def add(
        self,
        *passages: str,
        org_id: str = DEFAULT_ORG_ID,
        kind: str = "document",
        name: str = "lease.pdf",
        headings: Sequence[str] = (),
        embedder: BagOfWordsEmbedder | None = None,
        fields: Sequence[str] = (),
        **columns: object,
    ) -> str:
        """Inserts a published document with these chunks; returns its id."""
        document_id = new_id()
        row = {
            "id": document_id, "org_id": org_id, "kind": kind, "name": name,
            "media_type": "text/plain", "size": 1, "sha256": document_id, "blob_key": document_id,
            "status": "COMPLETED", "published_run_id": new_id(),
            "created_at": CREATED_AT, "updated_at": CREATED_AT,
        } | columns  # fmt: skip
        chunk_rows = self._chunk_rows(document_id, org_id, passages, headings, embedder or self.embedder)
        field_rows: list[dict[str, object]] = [
            {
                "org_id": org_id, "document_id": document_id, "name": "field", "value": value, "kind": "text",
                "confidence": 1.0, "anchor": {},
            }
            for value in fields
        ]  # fmt: skip

        def write(tx: Transaction) -> None:
            tx.connection.execute(documents.insert(), row)
            tx.connection.execute(chunks.insert(), chunk_rows)
            if fields:
                tx.connection.execute(document_fields.insert(), field_rows)
            if self.indexed:
                index_documents(tx, [document_id])

        await self.database.run(write)
        return document_id

    async def replace(self, document_id: str, *passages: str) -> None:
        """Replaces the chunks of the document in one transaction."""
        chunk_rows = self._chunk_rows(document_id, DEFAULT_ORG_ID, passages, (), self.embedder)

        def write(tx: Transaction) -> None:
            tx.connection.execute(delete(chunks).where(chunks.c.document_id == document_id))
            tx.connection.execute(chunks.insert(), chunk_rows)
            index_documents(tx, [document_id])

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
        org_id: str = DEFAULT_ORG_ID,
        kind: str | None = None,
        document_id: str | None = None,
        limit: int = 10,
        offset: int = 0,
    ) -> list[Hit]:
        query = Query(org_id, text, mode, kind, document_id, limit, offset)
        return list((await self.searcher.search(query)).hits)

    async def snippets(self, text: str, mode: Mode = "hybrid") -> list[str]:
        """The snippets of the hits."""
        return [hit.snippet for hit in await self.hits(text, mode)]

    def _chunk_rows(
        self,
        document_id: str,
        org_id: str,
        passages: Sequence[str],
        headings: Sequence[str],
        embedder: BagOfWordsEmbedder,
    ) -> list[dict[str, object]]:
        rows: list[dict[str, object]] = []
        for ordinal, text in enumerate(passages):
            chunk_id = str(uuid.uuid5(uuid.UUID(document_id), f"{ordinal} {text}"))
            rows.append(
                {
                    "id": chunk_id, "number": chunk_rowid(chunk_id), "org_id": org_id,
                    "document_id": document_id, "ordinal": ordinal, "text": text, "tokens": len(text.split()),
                    "anchor": {"start": 0, "heading_path": list(headings), "page": ordinal + 1},
                    "vector": embed(text, embedder.dimension, embedder.dimension),
                    "model": embedder.model, "dimension": embedder.dimension,
                }
            )  # fmt: skip
        return rows
