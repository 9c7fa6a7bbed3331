"""Dependencies of the routes: the services, the organization of a request, and ids in paths."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, cast

from fastapi import Depends, HTTPException, Request
from pydantic import AfterValidator

from towpath.access.contract import ApiKeys
from towpath.clock import Clock
from towpath.errors import NotFound
from towpath.intake.submit import Intake
from towpath.ledger.contract.ledger import Ledger
from towpath.model.ids import DEFAULT_ORG_ID
from towpath.model.json_types import Json
from towpath.notify.contract import Notifier
from towpath.queries.contract import DocumentQueries
from towpath.search.contract import SearchService
from towpath.storage.contract import BlobStore


@dataclass(frozen=True, slots=True)
class Services:
    """Everything the routes call, as contracts; built in bootstrap."""

    ledger: Ledger
    queries: DocumentQueries
    search: SearchService
    intake: Intake
    blobs: BlobStore
    keys: ApiKeys
    notifier: Notifier
    clock: Clock
    stages: Mapping[str, tuple[str, ...]]
    key_required: bool
    """True if requests without an API key are refused; false by default on a loopback address."""
    schema: str
    """The schema of the database, such as `0006`."""
    shared_settings: Json
    """The settings that should be the same in every process."""


def get_services(request: Request) -> Services:
    return cast("Services", request.app.state.services)


async def organization_id(request: Request) -> str:
    """The organization of the request's API key; on loopback without a key, the default organization."""
    services = get_services(request)
    scheme, _, secret = request.headers.get("authorization", "").partition(" ")
    if scheme.lower() == "bearer" and secret:
        org_id = await services.keys.find_organization(secret.strip(), services.clock.now())
        if org_id is not None:
            return org_id
        raise HTTPException(401, "This API key is unknown or revoked.", {"WWW-Authenticate": "Bearer"})
    if services.key_required:
        raise HTTPException(401, "This server requires an API key.", {"WWW-Authenticate": "Bearer"})
    return DEFAULT_ORG_ID


def parse_id(text: str) -> str | None:
    """The id in its stored form; None if the text is not a UUID."""
    try:
        return str(uuid.UUID(text.strip()))
    except ValueError:
        return None


def _require_id(text: str) -> str:
    parsed = parse_id(text)
    if parsed is None:
        raise NotFound(f"{text[:50]!r} is not an id. An id looks like {DEFAULT_ORG_ID}.")
    return parsed


Id = Annotated[str, AfterValidator(_require_id)]
Org = Annotated[str, Depends(organization_id)]
ServicesDep = Annotated[Services, Depends(get_services)]
