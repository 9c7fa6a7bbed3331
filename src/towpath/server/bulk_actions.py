"""Executes bulk actions: each request works on the next documents that pass the filter, in the order of their ids."""

from __future__ import annotations

from collections.abc import Sequence

from towpath.access.contract import Identity
from towpath.errors import NotFound, TowpathError, UserError
from towpath.model.audit import AuditAction
from towpath.model.document import Document
from towpath.model.document_filters import NO_FILTERS
from towpath.model.ids import new_id
from towpath.model.labels import clean_collection, clean_tags
from towpath.queries.document_organizer_contract import DocumentEdit
from towpath.server.deps import Services, audit
from towpath.server.schemas.organize import BulkFailureView, BulkRequest, BulkView


async def run_bulk(services: Services, caller: Identity, request: BulkRequest) -> BulkView:
    filters = request.filter.filters()
    if filters == NO_FILTERS and not request.all:
        raise UserError("The filter is empty. Send `all: true` to act on all documents.")
    if request.action in ("tag", "untag") and not clean_tags(request.tags):
        raise UserError("Send the tags to add or to remove.")
    if request.dry_run:
        costs = await services.organizer.costs(caller.org_id, filters)
        cost = costs.cost if request.action == "rerun" and request.fresh else 0.0
        return BulkView(
            action=request.action,
            matched=costs.documents,
            changed=0,
            failures=[],
            next_after=None,
            cached_calls=costs.calls,
            cost=cost,
        )
    matched = await services.organizer.count(caller.org_id, filters)
    documents = await services.organizer.matching(caller.org_id, filters, request.after, request.limit)
    failures = await _apply(services, caller, request, documents)
    more = len(documents) == request.limit
    return BulkView(
        action=request.action,
        matched=matched,
        changed=len(documents) - len(failures),
        failures=failures,
        next_after=documents[-1].id if more else None,
        cached_calls=0,
        cost=0.0,
    )


async def _apply(
    services: Services, caller: Identity, request: BulkRequest, documents: Sequence[Document]
) -> list[BulkFailureView]:
    match request.action:
        case "tag" | "untag" | "move":
            return await _label(services, caller, request, documents)
        case "rerun":
            failures = await _rerun(services, caller, request.fresh, documents)
            services.notifier.notify()
            return failures
        case "delete":
            return await _delete(services, caller, documents)


async def _label(
    services: Services, caller: Identity, request: BulkRequest, documents: Sequence[Document]
) -> list[BulkFailureView]:
    tags = clean_tags(request.tags)
    match request.action:
        case "tag":
            edit = DocumentEdit(add_tags=tags)
        case "untag":
            edit = DocumentEdit(remove_tags=tags)
        case _:
            edit = DocumentEdit(collection=clean_collection(request.collection))
    ids = [document.id for document in documents]
    await services.organizer.label(caller.org_id, ids, edit, caller.actor, services.clock.now())
    return []


async def _rerun(
    services: Services, caller: Identity, fresh: bool, documents: Sequence[Document]
) -> list[BulkFailureView]:
    failures: list[BulkFailureView] = []
    for document in documents:
        if document.status == "PROCESSING":
            failures.append(_failure(document, "It is being processed."))
            continue
        try:
            newest = await services.queries.newest_version(caller.org_id, document.id)
            plan = services.intake.plan_for(newest)
            if fresh:
                plan = services.intake.without_cached_answers(plan, new_id())
            run_id = await services.ledger.reprocess(
                document.id, plan, services.clock.now(), org_id=caller.org_id, fresh=fresh
            )
        except UserError as error:
            failures.append(_failure(document, str(error)))
            continue
        await audit(
            services, caller, AuditAction.DOCUMENT_REPROCESSED, document.id, run_id=run_id, fresh=fresh
        )
    return failures


async def _delete(
    services: Services, caller: Identity, documents: Sequence[Document]
) -> list[BulkFailureView]:
    failures: list[BulkFailureView] = []
    for document in documents:
        try:
            now = services.clock.now()
            for key in await services.queries.delete(caller.org_id, document.id, caller.actor, now):
                await services.blobs.delete(key)
        except NotFound:
            # Deleted with its parent, or by somebody else.
            continue
        except TowpathError as error:
            failures.append(_failure(document, str(error)))
    return failures


def _failure(document: Document, reason: str) -> BulkFailureView:
    return BulkFailureView(document_id=document.id, name=document.name, reason=reason)
