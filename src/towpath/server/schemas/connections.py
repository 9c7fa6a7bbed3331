"""Response and request models for connections between chunks of two documents."""

from __future__ import annotations

from pydantic import BaseModel, Field

from towpath.server.schemas.base import View


class ConnectionSideView(View):
    document_id: str
    chunk_id: str
    text: str
    anchor: dict[str, object]


class OtherSideView(ConnectionSideView):
    document_name: str | None


class ConnectionView(View):
    id: str
    score: float = Field(description="From 0.5 (just above the model's baseline) to 1 (identical text)")
    kind: str = Field(description="`same_passage` or `same_topic`")
    reason: str = Field(description="The terms that both chunks share, as a sentence")
    pinned: bool
    hidden: bool
    this: ConnectionSideView = Field(description="The chunk of the requested document")
    other: OtherSideView = Field(description="The chunk of the connected document")


class ConnectionChange(BaseModel):
    pinned: bool | None = Field(None, description="Keep the connection and list it first")
    hidden: bool | None = Field(None, description="Do not show the connection")
