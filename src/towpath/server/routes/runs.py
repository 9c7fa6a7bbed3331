"""Routes for runs: history of a document, reprocess, show, cancel."""

from __future__ import annotations

from fastapi import APIRouter

from towpath.errors import UserError
from towpath.model.ids import new_id
from towpath.server.deps import Id, Org, ServicesDep
from towpath.server.problems import PROBLEM_RESPONSE
from towpath.server.schemas.runs import (
    ReprocessRequest,
    RunHistoryView,
    RunStartedView,
    RunView,
    run_history_view,
    run_view,
)

router = APIRouter(tags=["runs"])


@router.get("/documents/{document_id}/runs", responses={404: PROBLEM_RESPONSE})
async def document_runs(services: ServicesDep, org: Org, document_id: Id) -> list[RunHistoryView]:
    """List all runs of a document with their events, oldest first."""
    await services.queries.document(org, document_id)
    runs = await services.ledger.runs(document_id, org_id=org)
    waiting = await services.queries.waiting_runs(org, [run.id for run in runs], services.clock.now())
    return [
        run_history_view(run, waiting.get(run.id), await services.ledger.events(run.id, org_id=org))
        for run in runs
    ]


@router.post("/documents/{document_id}/runs", status_code=202, responses={404: PROBLEM_RESPONSE})
async def reprocess(
    services: ServicesDep, org: Org, document_id: Id, body: ReprocessRequest | None = None
) -> RunStartedView:
    """Queue a new run. The present content stays searchable until the new run publishes."""
    request = body or ReprocessRequest(from_stage=None, fresh=False)
    document = await services.queries.document(org, document_id)
    plan = services.intake.plan_for(document)
    if request.from_stage is not None and request.from_stage not in plan.stages:
        raise UserError(
            f"There is no stage `{request.from_stage}`. Stages of this document: {', '.join(plan.stages)}."
        )
    if request.fresh:
        plan = services.intake.without_cached_answers(plan, new_id())
    run_id = await services.ledger.reprocess(
        document_id,
        plan,
        services.clock.now(),
        org_id=org,
        from_stage=request.from_stage,
        fresh=request.fresh,
    )
    services.notifier.notify()
    return RunStartedView(run_id=run_id)


@router.get("/runs/{run_id}", responses={404: PROBLEM_RESPONSE})
async def get_run(services: ServicesDep, org: Org, run_id: Id) -> RunHistoryView:
    """Get a run with its events."""
    run = await services.ledger.run(run_id, org_id=org)
    waiting = await services.queries.waiting_runs(org, [run_id], services.clock.now())
    return run_history_view(run, waiting.get(run_id), await services.ledger.events(run_id, org_id=org))


@router.post("/runs/{run_id}/cancel", responses={404: PROBLEM_RESPONSE, 409: PROBLEM_RESPONSE})
async def cancel_run(services: ServicesDep, org: Org, run_id: Id) -> RunView:
    """Cancel a run. Its worker stops at its next write or heartbeat."""
    await services.ledger.cancel(run_id, services.clock.now(), org_id=org)
    services.notifier.notify()
    # A cancelled run waits for nothing.
    return run_view(await services.ledger.run(run_id, org_id=org), waiting=None)
