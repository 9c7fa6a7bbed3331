"""Response and request models for connections between chunks of two documents."""

from __future__ import annotations

from pydantic import BaseModel, Field

from towpath.connections.store import ConnectionKind
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
    score: float = Field(
        description="Probability that the passages belong together; for an edition, the share of common text"
    )
    kind: ConnectionKind = Field(
        description="`edition` (the documents share much of their text; one connection for the two documents), "
        "`quotation` (common text), `same_subject` or `same_entity` (a common number, code, address or key)"
    )
    similarity: float | None = Field(
        description="Cosine of the passages; for an edition, the share of common text"
    )
    shared_terms: list[str] = Field(description="Terms of both passages, the rarest first")
    shared_identifiers: list[str] = Field(description="Numbers, codes, addresses and keys of both passages")
    pinned: bool
    hidden: bool
    this: ConnectionSideView = Field(description="The chunk of the requested document")
    other: OtherSideView = Field(description="The chunk of the connected document")


class ConnectionChange(BaseModel):
    pinned: bool | None = Field(None, description="Keep the connection and list it first")
    hidden: bool | None = Field(None, description="Do not show the connection")
