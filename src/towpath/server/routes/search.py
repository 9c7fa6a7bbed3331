"""Route for search: passages that match a query."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import APIRouter, Query

from towpath.search.contract import Query as SearchQuery
from towpath.server.deps import Id, Org, ServicesDep
from towpath.server.schemas.search import HitView, SearchView

router = APIRouter(tags=["search"])


@router.get("/search")
async def search(
    services: ServicesDep,
    org: Org,
    q: Annotated[str, Query(max_length=4_000)],
    mode: Literal["hybrid", "text", "vector"] = "hybrid",
    kind: Literal["document", "call"] | None = None,
    document_id: Id | None = None,
    limit: Annotated[int, Query(ge=1, le=100)] = 10,
    offset: Annotated[int, Query(ge=0, le=1000)] = 0,
) -> SearchView:
    """Search chunks. Each hit has a snippet and an anchor: page and box, or speaker and seconds."""
    hits = await services.search.search(SearchQuery(org, q, mode, kind, document_id, limit, offset))
    return SearchView(query=q, mode=mode, hits=[HitView.model_validate(hit) for hit in hits])
