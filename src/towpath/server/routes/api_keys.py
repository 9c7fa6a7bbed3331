"""Routes for the API keys of an organization; they need the scope `operate`."""

from __future__ import annotations

from fastapi import APIRouter, HTTPException

from towpath.access.contract import NewKey, Scope
from towpath.server.deps import Caller, Id, ServicesDep
from towpath.server.problems import PROBLEM_RESPONSE
from towpath.server.schemas.access import CreatedKeyView, KeyRequest, KeyView, key_view

router = APIRouter(prefix="/keys", tags=["access"])


@router.get("", responses={403: PROBLEM_RESPONSE})
async def list_keys(services: ServicesDep, caller: Caller) -> list[KeyView]:
    """List the keys of this organization, without their secrets."""
    return [key_view(key) for key in await services.keys.keys_of(caller.org_id)]


@router.post("", status_code=201, responses={403: PROBLEM_RESPONSE})
async def create_key(services: ServicesDep, caller: Caller, request: KeyRequest) -> CreatedKeyView:
    """Create a key of this organization. A key cannot have a scope that its creator does not have."""
    scopes = frozenset(request.scopes)
    if missing := sorted(scopes - caller.scopes):
        raise HTTPException(403, f"This API key has no scope `{missing[0]}` to give.")
    stages = None if request.stages is None else frozenset(request.stages)
    if caller.stages is not None and Scope.WORKER in scopes and (stages is None or stages - caller.stages):
        raise HTTPException(403, "This API key may not give these stages.")
    now = services.clock.now()
    key, secret = await services.keys.create_in(
        caller.org_id, NewKey(request.name, scopes, request.expires_at, stages), now, caller.actor
    )
    return CreatedKeyView(**key_view(key).model_dump(), secret=secret)


@router.delete("/{key_id}", status_code=204, responses={403: PROBLEM_RESPONSE, 404: PROBLEM_RESPONSE})
async def revoke_key(services: ServicesDep, caller: Caller, key_id: Id) -> None:
    """Revoke a key of this organization. It is refused from the next request on."""
    await services.keys.revoke(key_id, services.clock.now(), caller.actor, org_id=caller.org_id)
