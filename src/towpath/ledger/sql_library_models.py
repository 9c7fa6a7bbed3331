"""Stores the embedding models of libraries in SQLite or Postgres: implements the contract `LibraryModels`."""

from __future__ import annotations

from datetime import datetime
from typing import cast

from towpath.ledger.columns import to_json
from towpath.ledger.database import Database, Transaction
from towpath.ledger.verbs import library_models
from towpath.model.library_embedding_model import LibraryModel, ModelChange, ModelId, PublishedChunk


class SqlLibraryModels:
    def __init__(self, database: Database) -> None:
        self._database = database

    async def get(self, org_id: str) -> LibraryModel | None:
        return await self._database.run(
            lambda tx: library_models.library_model(tx, org_id), read=True, single=True, org=org_id
        )

    async def by_organization(self) -> dict[str, LibraryModel]:
        return await self._database.run(library_models.library_model_by_org, read=True)

    async def plan_change(self, org_id: str, target: ModelId) -> ModelChange:
        return await self._database.run(
            lambda tx: library_models.plan_model_change(tx, org_id, target), read=True, org=org_id
        )

    async def start_change(self, org_id: str, target: ModelId, now: datetime) -> ModelChange:
        return await self._database.run(
            lambda tx: library_models.start_model_change(tx, org_id, target, now), org=org_id
        )

    async def published_chunks(self, org_id: str, document_id: str) -> list[PublishedChunk]:
        def read(tx: Transaction) -> list[PublishedChunk]:
            return [
                PublishedChunk(str(row.id), row.text, _heading_path(row.anchor), row.model)
                for row in library_models.chunk_texts(tx, document_id)
            ]

        return await self._database.run(read, read=True, org=org_id)


def _heading_path(anchor: object) -> tuple[str, ...]:
    path = to_json(anchor).get("heading_path")
    return tuple(map(str, cast("list[object]", path))) if isinstance(path, list) else ()
