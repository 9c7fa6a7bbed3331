"""Response model of the route that finds documents, runs and jobs by id, or documents by name."""

from __future__ import annotations

from pydantic import Field

from towpath.server.schemas.base import View


class MatchView(View):
    kind: str = Field(description="`document`, `run` or `job`")
    id: str
    document_id: str
    document_name: str
