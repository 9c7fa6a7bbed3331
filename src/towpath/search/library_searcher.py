"""Searches each library with its own embedding model, also while another model is replacing it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from towpath.providers.contract import Embedder
from towpath.search.contract import Query, SearchResults, SearchService, Suggestions


class QueryEmbedders(Protocol):
    async def for_organization(self, org_id: str) -> Embedder:
        """The embedder of the model that answers searches in this library."""
        ...


class LibrarySearcher:
    """Implements `SearchService`: one searcher for each model that a library has."""

    def __init__(self, embedders: QueryEmbedders, make: Callable[[Embedder], SearchService]) -> None:
        self._embedders = embedders
        self._make = make
        self._by_model: dict[str, SearchService] = {}

    async def search(self, query: Query) -> SearchResults:
        return await (await self._searcher(query.org_id)).search(query)

    async def suggest(self, org_id: str, text: str, limit: int = 8) -> Suggestions:
        return await (await self._searcher(org_id)).suggest(org_id, text, limit)

    async def _searcher(self, org_id: str) -> SearchService:
        embedder = await self._embedders.for_organization(org_id)
        key = f"{embedder.model}/{embedder.dimension}"
        if key not in self._by_model:
            self._by_model[key] = self._make(embedder)
        return self._by_model[key]
