"""Routes for connections: list those of a document, pin or hide one."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query

from towpath.connections.store import ConnectionKind
from towpath.model.audit import AuditAction
from towpath.server.deps import Caller, Id, Org, ServicesDep, audit
from towpath.server.problems import PROBLEM_RESPONSE
from towpath.server.schemas.connections import ConnectionChange, ConnectionView

router = APIRouter(tags=["connections"])


@router.get("/documents/{document_id}/connections", responses={404: PROBLEM_RESPONSE})
async def document_connections(
    services: ServicesDep,
    org: Org,
    document_id: Id,
    after: Annotated[Id | None, Query(description="Id of the last connection received")] = None,
    limit: Annotated[int, Query(ge=1, le=1000)] = 200,
    kind: Annotated[ConnectionKind | None, Query(description="Only connections of this kind")] = None,
) -> list[ConnectionView]:
    """List passages of other documents that belong together with passages of this one, and its editions.

    Pinned connections come first, then the highest scores. Hidden connections are included, with `hidden: true`.
    """
    connections = await services.queries.connections(org, document_id, after, limit, kind)
    return [ConnectionView.model_validate(connection) for connection in connections]


@router.patch("/connections/{connection_id}", responses={404: PROBLEM_RESPONSE})
async def mark_connection(
    services: ServicesDep, caller: Caller, connection_id: Id, change: ConnectionChange
) -> ConnectionView:
    """Pin or hide a connection. The mark survives reprocessing of either document."""
    connection = await services.queries.mark_connection(
        caller.org_id, connection_id, pinned=change.pinned, hidden=change.hidden, now=services.clock.now()
    )
    await audit(
        services,
        caller,
        AuditAction.CONNECTION_MARKED,
        connection_id,
        pinned=connection.pinned,
        hidden=connection.hidden,
    )
    return ConnectionView.model_validate(connection)
