"""Routes for the webhooks of an organization: endpoints, deliveries and replays."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query

from towpath.errors import UserError
from towpath.model.webhook import DeliveryStatus
from towpath.server.deps import Caller, Id, NeedsDiskSpace, Org, ServicesDep
from towpath.server.problems import PROBLEM_RESPONSE
from towpath.server.schemas.webhooks import (
    CreatedWebhookView,
    DeliveryView,
    ReplayedView,
    ReplayRequest,
    RotatedSecretView,
    WebhookRequest,
    WebhookView,
    delivery_view,
    webhook_view,
)

router = APIRouter(prefix="/webhooks", tags=["webhooks"])


@router.post("", status_code=201, responses={400: PROBLEM_RESPONSE}, dependencies=[NeedsDiskSpace])
async def create_webhook(
    services: ServicesDep, caller: Caller, request: WebhookRequest
) -> CreatedWebhookView:
    """Create an endpoint that receives events of this organization from now on."""
    try:
        await services.webhook_policy.check(request.url)
    except OSError as error:
        raise UserError(f"The name in {request.url} cannot be resolved: {error}.") from error
    endpoint, secret = await services.webhooks.create(
        caller.org_id,
        request.url,
        request.events,
        request.description,
        services.clock.now(),
        caller.actor,
    )
    return CreatedWebhookView(**webhook_view(endpoint).model_dump(), secret=secret)


@router.get("")
async def list_webhooks(services: ServicesDep, org_id: Org) -> list[WebhookView]:
    """List the endpoints of this organization, without their secrets."""
    return [webhook_view(endpoint) for endpoint in await services.webhooks.endpoints(org_id)]


@router.delete("/{webhook_id}", status_code=204, responses={404: PROBLEM_RESPONSE})
async def delete_webhook(services: ServicesDep, caller: Caller, webhook_id: Id) -> None:
    """Delete an endpoint with its deliveries, also those that are still to be made."""
    await services.webhooks.delete(caller.org_id, webhook_id, services.clock.now(), caller.actor)


@router.post("/{webhook_id}/rotate", responses={404: PROBLEM_RESPONSE})
async def rotate_webhook_secret(services: ServicesDep, caller: Caller, webhook_id: Id) -> RotatedSecretView:
    """Create a new secret. For 24 hours messages carry a signature of the old one as well."""
    secret = await services.webhooks.rotate_secret(
        caller.org_id, webhook_id, services.clock.now(), caller.actor
    )
    return RotatedSecretView(secret=secret)


@router.get("/{webhook_id}/deliveries", responses={404: PROBLEM_RESPONSE})
async def list_webhook_deliveries(
    services: ServicesDep,
    org_id: Org,
    webhook_id: Id,
    status: DeliveryStatus | None = None,
    before: Annotated[Id | None, Query(description="Deliveries older than this one")] = None,
    limit: Annotated[int, Query(ge=1, le=500)] = 50,
) -> list[DeliveryView]:
    """List deliveries with their attempts, newest first."""
    deliveries = await services.webhooks.deliveries(
        org_id, webhook_id, status=status, before=before, limit=limit
    )
    return [delivery_view(delivery) for delivery in deliveries]


@router.post("/{webhook_id}/replay", responses={404: PROBLEM_RESPONSE})
async def replay_webhook_deliveries(
    services: ServicesDep, caller: Caller, webhook_id: Id, request: ReplayRequest
) -> ReplayedView:
    """Send deliveries again with the same message ids, delivered ones as well; by default all whose attempts failed."""
    replayed = await services.webhooks.replay(
        caller.org_id,
        webhook_id,
        services.clock.now(),
        caller.actor,
        delivery_ids=request.delivery_ids,
    )
    services.wake_deliverer()
    return ReplayedView(replayed=replayed)
