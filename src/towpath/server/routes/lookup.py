"""Route that finds documents, runs and jobs by what a person types: the beginning of an id, or a name."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query

from towpath.server.deps import Org, ServicesDep
from towpath.server.schemas.lookup import MatchView

router = APIRouter(tags=["documents"])

LIMIT = 20


@router.get("/lookup")
async def lookup(
    services: ServicesDep,
    org: Org,
    text: Annotated[
        str,
        Query(min_length=1, max_length=255, description="At least 4 digits of an id, or a document's name"),
    ],
) -> list[MatchView]:
    """Find documents by name, and documents, runs and jobs by the beginning of their id; at most 20 of each."""
    return [MatchView.model_validate(match) for match in await services.queries.lookup(org, text, LIMIT)]
