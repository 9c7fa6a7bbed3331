"""Route for the audit log: who uploaded, deleted, retried, made keys and changed settings."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, HTTPException, Query

from towpath.model.audit import AuditAction
from towpath.server.deps import Caller, ServicesDep
from towpath.server.problems import PROBLEM_RESPONSE
from towpath.server.schemas.access import AuditEntryView
from towpath.server.schemas.base import MAX_INTEGER

router = APIRouter(tags=["access"])


@router.get("/audit", responses={403: PROBLEM_RESPONSE})
async def audit(
    services: ServicesDep,
    caller: Caller,
    before: Annotated[
        int | None, Query(ge=1, le=MAX_INTEGER, description="Id of the last entry received")
    ] = None,
    action: AuditAction | None = None,
    all_organizations: Annotated[
        bool, Query(description="Entries of all organizations; needs the scope `operate`")
    ] = False,
    limit: Annotated[int, Query(ge=1, le=1000)] = 100,
) -> list[AuditEntryView]:
    """List what was done in this organization, newest first. Changes of settings are shown to operators only."""
    if all_organizations and not caller.is_operator:
        raise HTTPException(403, "This API key has no scope `operate`.")
    entries = await services.audit.entries(
        None if all_organizations else caller.org_id,
        before=before,
        action=action,
        with_settings=caller.is_operator,
        limit=limit,
    )
    return [AuditEntryView.model_validate(entry) for entry in entries]
