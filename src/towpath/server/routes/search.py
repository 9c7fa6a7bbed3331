"""Routes for search: passages that match a query, and completions of a query that is being typed."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import APIRouter, Depends, Query

from towpath.model.document_filters import Filters
from towpath.search.contract import Query as SearchQuery
from towpath.server.deps import Id, Org, ServicesDep
from towpath.server.document_filters import label_filters
from towpath.server.schemas.search import SearchView, SuggestionsView

router = APIRouter(tags=["search"])


@router.get("/search")
async def search(
    services: ServicesDep,
    org: Org,
    filters: Annotated[Filters, Depends(label_filters)],
    q: Annotated[str, Query(max_length=4_000)],
    mode: Literal["hybrid", "text", "vector"] = "hybrid",
    kind: Literal["document", "call"] | None = None,
    document_id: Id | None = None,
    limit: Annotated[int, Query(ge=1, le=100)] = 10,
    offset: Annotated[int, Query(ge=0, le=10_000)] = 0,
    explain: Annotated[bool, Query(description="Say for each hit why it has its place")] = False,
    group: Annotated[
        bool,
        Query(description="Only the best passage of each document; `limit` and `offset` count documents"),
    ] = False,
    facets: Annotated[bool, Query(description="Count the documents found by their properties")] = False,
    prefix: Annotated[
        bool, Query(description="The last word is being typed: words that begin so count as it")
    ] = False,
) -> SearchView:
    """Search chunks. Each hit has a snippet and an anchor: page and box, or speaker and seconds."""
    results = await services.search.search(
        SearchQuery(org, q, mode, kind, document_id, limit, offset, explain, filters, group, facets, prefix)
    )
    return SearchView.model_validate(
        {
            "query": q,
            "mode": mode,
            "hits": results.hits,
            "total": results.total,
            "exact_total": results.exact_total,
            "documents": results.documents,
            "did_you_mean": results.did_you_mean,
            "facets": results.facets,
            "rerank": results.rerank,
        }
    )


@router.get("/search/suggest")
async def suggest(
    services: ServicesDep,
    org: Org,
    q: Annotated[str, Query(max_length=4_000)],
    limit: Annotated[int, Query(ge=1, le=20)] = 8,
) -> SuggestionsView:
    """Complete a query that is being typed, with words of the library and names of documents."""
    return SuggestionsView.model_validate(await services.search.suggest(org, q, limit))
