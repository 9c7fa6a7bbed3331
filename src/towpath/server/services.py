"""What the server is made of, as contracts. The composition root fills it in."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Annotated, cast

from fastapi import Depends, HTTPException, Request
from pydantic import AfterValidator

from towpath.access.contract import Keys
from towpath.catalogue.contract import Catalogue
from towpath.clock import Clock
from towpath.errors import NotFound
from towpath.intake.submit import Intake
from towpath.ledger.contract import Ledger
from towpath.model.ids import HOME_ORG
from towpath.queue.contract import Bell
from towpath.search.contract import Searcher
from towpath.storage.contract import BlobStore


@dataclass(frozen=True, slots=True)
class Services:
    ledger: Ledger
    catalogue: Catalogue
    searcher: Searcher
    intake: Intake
    blobs: BlobStore
    keys: Keys
    bell: Bell
    clock: Clock
    stages: Mapping[str, tuple[str, ...]]
    key_required: bool
    """Whether a request without an API key is turned away; not so on loopback by default."""
    ready: Callable[[], bool]


def services_of(request: Request) -> Services:
    return cast("Services", request.app.state.services)


async def organization(request: Request) -> str:
    """Whose documents this request is about: the key's organization, or home on loopback."""
    services = services_of(request)
    scheme, _, secret = request.headers.get("authorization", "").partition(" ")
    if scheme.lower() == "bearer" and secret:
        org_id = await services.keys.org_of(secret.strip(), services.clock.now())
        if org_id is not None:
            return org_id
        raise HTTPException(401, "This API key is unknown or was revoked.", {"WWW-Authenticate": "Bearer"})
    if services.key_required:
        raise HTTPException(401, "This server wants an API key.", {"WWW-Authenticate": "Bearer"})
    return HOME_ORG


def as_id(text: str) -> str | None:
    """An id in the form in which it is kept; None when it cannot be one."""
    try:
        return str(uuid.UUID(text.strip()))
    except ValueError:
        return None


def _known_form(text: str) -> str:
    found = as_id(text)
    if found is None:
        raise NotFound(f"There is nothing with the id {text[:50]!r}: ids look like {HOME_ORG}.")
    return found


Id = Annotated[str, AfterValidator(_known_form)]
Org = Annotated[str, Depends(organization)]
Has = Annotated[Services, Depends(services_of)]
