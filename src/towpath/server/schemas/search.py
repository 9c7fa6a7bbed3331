"""Response models for search results."""

from __future__ import annotations

from pydantic import Field

from towpath.server.schemas.base import View


class HitView(View):
    document_id: str
    document_name: str
    document_kind: str
    chunk_id: str
    ordinal: int
    score: float
    snippet: str
    highlights: list[tuple[int, int]] = Field(
        description="Start and end character offsets of the matches in the snippet"
    )
    anchor: dict[str, object]


class SearchView(View):
    query: str
    mode: str
    hits: list[HitView]
