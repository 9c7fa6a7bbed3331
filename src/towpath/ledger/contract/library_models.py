"""The contract of the embedding models of libraries. `sql_library_models.py` implements it."""

from __future__ import annotations

from datetime import datetime
from typing import Protocol

from towpath.model.library_embedding_model import LibraryModel, ModelChange, ModelId, PublishedChunk


class LibraryModels(Protocol):
    """Reads and changes the embedding model of organizations."""

    async def get(self, org_id: str) -> LibraryModel | None:
        """None as long as nothing was published."""
        ...

    async def by_organization(self) -> dict[str, LibraryModel]: ...
    async def plan_change(self, org_id: str, target: ModelId) -> ModelChange:
        """What a change to this model would embed. Changes nothing."""
        ...

    async def start_change(self, org_id: str, target: ModelId, now: datetime) -> ModelChange:
        """Queue the jobs that embed the library with this model. May be repeated: nothing is queued twice."""
        ...

    async def published_chunks(self, org_id: str, document_id: str) -> list[PublishedChunk]: ...
