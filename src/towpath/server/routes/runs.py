"""Routes for runs: history of a document, reprocess, show, cancel."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query

from towpath.errors import UserError
from towpath.intake.submit import DocumentInfo
from towpath.ledger.contract.ledger import RunPlan
from towpath.model.audit import AuditAction
from towpath.model.ids import new_id
from towpath.model.run import RunState
from towpath.model.run_stages import READING_STAGE
from towpath.queries.contract import RunFilter
from towpath.server.deps import Caller, Id, NeedsDiskSpace, Org, Services, ServicesDep, audit
from towpath.server.document_filters import Moment
from towpath.server.problems import PROBLEM_RESPONSE
from towpath.server.schemas.runs import (
    ReprocessRequest,
    RunHistoryView,
    RunStartedView,
    RunSummaryView,
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


@router.post(
    "/documents/{document_id}/runs",
    status_code=202,
    responses={404: PROBLEM_RESPONSE, 507: PROBLEM_RESPONSE},
    dependencies=[NeedsDiskSpace],
)
async def reprocess(
    services: ServicesDep, caller: Caller, document_id: Id, body: ReprocessRequest | None = None
) -> RunStartedView:
    """Queue a new run. The present content stays searchable until the new run publishes."""
    org = caller.org_id
    request = body or ReprocessRequest(
        from_stage=None, fresh=False, full_text=False, pipeline=None, password=None
    )
    document = await services.queries.newest_version(org, document_id)
    pipeline = request.pipeline or await _last_pipeline(services, org, document_id)
    plan = services.intake.plan_for(document, pipeline=pipeline)
    if request.from_stage is not None and request.from_stage not in plan.stages:
        raise UserError(
            f"There is no stage `{request.from_stage}`. Stages of this document: {', '.join(plan.stages)}."
        )
    sealed_password = None
    if request.password is not None:
        _check_password_use(document, plan, request.from_stage)
        sealed_password = services.sealer.seal(request.password.get_secret_value(), document_id)
    if request.full_text:
        plan = services.intake.with_full_text(plan)
    if request.fresh:
        plan = services.intake.without_cached_answers(plan, new_id())
    run_id = await services.ledger.reprocess(
        document_id,
        plan,
        services.clock.now(),
        org_id=org,
        from_stage=request.from_stage,
        fresh=request.fresh,
        sealed_password=sealed_password,
    )
    services.notifier.notify()
    await audit(
        services, caller, AuditAction.DOCUMENT_REPROCESSED, document_id, run_id=run_id, fresh=request.fresh
    )
    return RunStartedView(run_id=run_id)


def _check_password_use(document: DocumentInfo, plan: RunPlan, from_stage: str | None) -> None:
    """Refuse a password that no stage of the run would use."""
    if document.media_type.partition(";")[0] != "application/pdf":
        raise UserError("Only a PDF can be opened with a password. Upload a copy without a password.")
    stages = plan.stages[0 if from_stage is None else plan.stages.index(from_stage) :]
    if READING_STAGE not in stages:
        raise UserError(f"A password is of use only for a run with the stage `{READING_STAGE}`.")


async def _last_pipeline(services: Services, org: str, document_id: str) -> str | None:
    """The pipeline of the document's last run, if it still exists."""
    runs = await services.ledger.runs(document_id, org_id=org)
    last = runs[-1].pipeline if runs else None
    return last if last in services.intake.plans else None


@router.get("/runs")
async def list_runs(
    services: ServicesDep,
    org: Org,
    name: Annotated[str, Query(max_length=255, description="Part of the document's name")] = "",
    error: Annotated[str, Query(max_length=500, description="Part of the error")] = "",
    stage: Annotated[str, Query(max_length=100, description="The stage where the run is or ended")] = "",
    state: Annotated[RunState | None, Query()] = None,
    created_from: Moment | None = None,
    created_before: Moment | None = None,
    after: Annotated[Id | None, Query(description="Id of the last run received")] = None,
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
) -> list[RunSummaryView]:
    """List runs of all documents, newest first."""
    wanted = RunFilter(name, error, stage, state or "", created_from, created_before, after)
    runs = await services.queries.list_runs(org, wanted, limit)
    return [RunSummaryView.model_validate(run) for run in runs]


@router.get("/runs/{run_id}", responses={404: PROBLEM_RESPONSE})
async def get_run(services: ServicesDep, org: Org, run_id: Id) -> RunHistoryView:
    """Get a run with its events."""
    run = await services.ledger.run(run_id, org_id=org)
    waiting = await services.queries.waiting_runs(org, [run_id], services.clock.now())
    return run_history_view(run, waiting.get(run_id), await services.ledger.events(run_id, org_id=org))


@router.post("/runs/{run_id}/cancel", responses={404: PROBLEM_RESPONSE, 409: PROBLEM_RESPONSE})
async def cancel_run(services: ServicesDep, caller: Caller, run_id: Id) -> RunView:
    """Cancel a run. Its worker stops at its next write or heartbeat."""
    org = caller.org_id
    await services.ledger.cancel(run_id, services.clock.now(), org_id=org)
    services.notifier.notify()
    await audit(services, caller, AuditAction.RUN_CANCELLED, run_id)
    # A cancelled run waits for nothing.
    return run_view(await services.ledger.run(run_id, org_id=org), waiting=None)
