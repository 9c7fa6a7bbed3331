"""FastAPI dependencies of the routes: the services, the organization of a request, and ids in paths."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Annotated, cast

from fastapi import Depends, HTTPException, Request
from pydantic import AfterValidator

from towpath.access.contract import ApiKeys, AuditLog, Identity, Scope
from towpath.ask.contract import QuestionService
from towpath.clock import Clock
from towpath.errors import NotFound
from towpath.intake.submit import Intake
from towpath.ledger.contract.ledger import Ledger
from towpath.ledger.contract.library_models import LibraryModels
from towpath.ledger.contract.pauses import PauseStore
from towpath.ledger.contract.webhooks import Webhooks
from towpath.model.audit import AuditAction, AuditEntry
from towpath.model.ids import DEFAULT_ORG_ID
from towpath.model.json_types import Json
from towpath.notify.contract import Notifier
from towpath.pipelines.installed_pipelines import InstalledPipelines
from towpath.providers.contract import Embedder
from towpath.queries.contract import DocumentQueries
from towpath.queries.document_organizer_contract import DocumentOrganizer
from towpath.queries.field_schemas import FieldSchemaCatalog
from towpath.sealed_secrets import Sealer
from towpath.search.contract import SearchService
from towpath.server.request_limits import RequestPolicy
from towpath.storage.contract import BlobStore
from towpath.storage.disk_space import DiskSpace
from towpath.webhooks.address_policy import AddressPolicy
from towpath.worker_protocol.contract import RemoteJobs


@dataclass(frozen=True, slots=True)
class Services:
    """Everything the routes call, as contracts; built in bootstrap."""

    ledger: Ledger
    queries: DocumentQueries
    organizer: DocumentOrganizer
    search: SearchService
    question_service: QuestionService
    models: LibraryModels
    schemas: FieldSchemaCatalog
    embedder: Embedder
    """The embedder of the settings; a library keeps another one until its change is complete."""
    intake: Intake
    blobs: BlobStore
    disk: DiskSpace
    keys: ApiKeys
    audit: AuditLog
    notifier: Notifier
    clock: Clock
    stages: Mapping[str, tuple[str, ...]]
    plugins: InstalledPipelines
    """The stages and pipelines of this installation."""
    key_required: bool
    """True if requests without an API key are refused; false by default on a loopback address."""
    schema: str
    """The schema of the database, such as `0006`."""
    shared_settings: Json
    """The settings that should be the same in every process."""
    request_policy: RequestPolicy
    """Which hosts and how many requests are accepted."""
    sandbox: Mapping[str, bool]
    """Which limits of the child processes hold on this machine."""
    remote_jobs: RemoteJobs
    """The jobs of workers that speak HTTP."""
    webhooks: Webhooks
    webhook_policy: AddressPolicy
    """Which addresses may receive webhooks."""
    wake_deliverer: Callable[[], None]
    """Makes the deliverer of this process, if there is one, look for due webhook deliveries now."""
    pauses: PauseStore
    sealer: Sealer
    """Seals the passwords of locked PDFs."""


def get_services(request: Request) -> Services:
    return cast("Services", request.app.state.services)


# FastAPI calls a dependency that is not async in a thread, which costs more than any of these.
async def request_services(request: Request) -> Services:
    return get_services(request)


#: State-changing methods that only read: their requests need the scope `read`.
_READING_POSTS = frozenset({"/search", "/ask", "/documents/fields"})


def find_identity(request: Request) -> Identity | None:
    """The identity that `RequestGuard` found; None without a key on a server that requires one."""
    return cast("Identity | None", getattr(request.state, "identity", None))


async def identity(request: Request) -> Identity:
    """The identity of the request, with the scope that its method and path need."""
    found = find_identity(request)
    if found is None:
        raise HTTPException(401, "This server requires an API key.", {"WWW-Authenticate": "Bearer"})
    needed = _needed_scope(request)
    if needed not in found.scopes:
        raise HTTPException(403, f"This API key has no scope `{needed}`.")
    return found


def _needed_scope(request: Request) -> Scope:
    path = request.url.path
    if path.startswith("/worker/"):
        return Scope.WORKER
    if path.split("/")[1] in ("keys", "pauses"):
        return Scope.OPERATE
    if request.method in ("GET", "HEAD") or path in _READING_POSTS:
        return Scope.READ
    return Scope.WRITE


async def organization_id(caller: Annotated[Identity, Depends(identity)]) -> str:
    """The organization of the request's API key; on loopback without a key, the default organization."""
    return caller.org_id


async def check_quota(services: Services, org_id: str, new_bytes: int) -> None:
    """Refuse an upload that would exceed the setting `max_stored_bytes` of the organization."""
    limit = services.request_policy.limits.stored_bytes
    if limit is not None and await services.queries.stored_bytes(org_id) + new_bytes > limit:
        raise HTTPException(507, f"The originals of this organization may have {limit:,} bytes together.")


async def audit(
    services: Services, caller: Identity, action: AuditAction, *subjects: str, **detail: object
) -> None:
    """Record an action that has happened to these subjects."""
    entries = [AuditEntry(action, caller.actor, subject=subject, detail=detail) for subject in subjects]
    await services.audit.record(caller.org_id, entries, services.clock.now())


async def require_disk_space(request: Request) -> None:
    """Refuse a request that stores something while the disk of the data folder is full."""
    get_services(request).disk.require_space()


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
Caller = Annotated[Identity, Depends(identity)]
#: Added to routes that store something; deleting must work on a full disk.
NeedsDiskSpace = Depends(require_disk_space)
ServicesDep = Annotated[Services, Depends(request_services)]
