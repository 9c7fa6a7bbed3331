"""Routes for operations: liveness, readiness, overview and history, Prometheus metrics, pauses."""

from __future__ import annotations

from dataclasses import replace

from fastapi import APIRouter, HTTPException, Request, Response
from prometheus_client import CONTENT_TYPE_LATEST

from towpath import __version__
from towpath.errors import StorageUnavailable, UserError
from towpath.ledger.contract.pauses import PauseKind
from towpath.pipelines.stage_labels import STAGE_LABELS
from towpath.queries.contract import anonymous_workers
from towpath.queries.setting_differences import setting_differences
from towpath.server.deps import Caller, ServicesDep, find_identity
from towpath.server.metrics import render_metrics
from towpath.server.problems import PROBLEM_RESPONSE
from towpath.server.schemas.operations import (
    DiskView,
    HealthView,
    OperationsHistoryView,
    OperationsView,
    PauseRequest,
    PauseView,
    ReadyView,
    SettingDifferenceView,
)
from towpath.version import source_commit

router = APIRouter(tags=["operations"])


@router.get("/health")
async def health(services: ServicesDep) -> HealthView:
    """Liveness: the process answers requests. Also returns its version."""
    return HealthView(
        status="ok", version=__version__, commit=source_commit(), schema_version=services.schema
    )


@router.get("/ready", responses={503: PROBLEM_RESPONSE})
async def ready(services: ServicesDep, request: Request) -> ReadyView:
    """Readiness: 503 if the database does not answer or the disk is full. Says which limits of child processes hold.

    Operators also see the settings that differ between processes.
    """
    try:
        services.disk.require_space()
    except StorageUnavailable as error:
        raise HTTPException(503, str(error)) from error
    overview = await services.queries.overview(None, services.clock.now())
    caller = find_identity(request)
    differences = (
        setting_differences(services.shared_settings, overview.workers)
        if caller is not None and caller.is_operator
        else []
    )
    return ReadyView(
        status="ready",
        differences=[SettingDifferenceView.model_validate(item) for item in differences],
        sandbox=dict(services.sandbox),
    )


@router.get("/operations")
async def operations(services: ServicesDep, caller: Caller) -> OperationsView:
    """Get the queue, the workers, the providers and the failures of this organization.

    Operators see all workers with their hosts and process ids; others see a number for each worker that holds one of
    their jobs.
    """
    overview = await services.queries.overview(caller.org_id, services.clock.now())
    if not caller.is_operator:
        overview = replace(overview, workers=anonymous_workers(overview.workers))
    view = OperationsView.model_validate(overview)
    pauses = [PauseView.model_validate(item) for item in await services.pauses.all()]
    if not caller.is_operator:
        pauses = [item.model_copy(update={"paused_by": ""}) for item in pauses]
    disk = services.disk.usage() if caller.is_operator else None
    return view.model_copy(
        update={
            "pauses": pauses,
            "version": __version__,
            "disk": None if disk is None else DiskView(free_bytes=disk[0], total_bytes=disk[1]),
        }
    )


@router.get("/operations/history")
async def operations_history(services: ServicesDep, caller: Caller) -> OperationsHistoryView:
    """Get runs and costs by day, and how long each stage waited and worked."""
    history = await services.queries.operations_history(caller.org_id, services.clock.now())
    return OperationsHistoryView.model_validate(history)


@router.post("/pauses", status_code=201, responses={400: PROBLEM_RESPONSE, 403: PROBLEM_RESPONSE})
async def pause(services: ServicesDep, caller: Caller, request: PauseRequest) -> PauseView:
    """Pause a stage or a provider for all organizations, also over restarts. Jobs that run now end."""
    known = {name for stages in services.stages.values() for name in stages} | STAGE_LABELS.keys()
    if request.kind is PauseKind.STAGE and request.name not in known:
        raise UserError(f"There is no stage `{request.name}`. Stages: {', '.join(sorted(known))}.")
    paused = await services.pauses.pause(
        request.kind, request.name, services.clock.now(), org_id=caller.org_id, actor=caller.actor
    )
    return PauseView.model_validate(paused)


@router.delete(
    "/pauses/{kind}/{name}", status_code=204, responses={403: PROBLEM_RESPONSE, 404: PROBLEM_RESPONSE}
)
async def resume(services: ServicesDep, caller: Caller, kind: PauseKind, name: str) -> None:
    """Resume a stage or a provider. The jobs that wait for it are due at once."""
    await services.pauses.resume(kind, name, services.clock.now(), org_id=caller.org_id, actor=caller.actor)
    services.notifier.notify()


@router.get("/metrics", response_class=Response)
async def metrics(services: ServicesDep, caller: Caller) -> Response:
    """Get metrics in Prometheus text format: of all organizations for operators, else of this organization."""
    now = services.clock.now()
    org_id = None if caller.is_operator else caller.org_id
    overview = await services.queries.overview(org_id, now)
    if org_id is not None:
        overview = replace(overview, workers=anonymous_workers(overview.workers))
    hourly = await services.queries.hourly_metrics(org_id, now)
    return Response(render_metrics(overview, hourly, now), media_type=CONTENT_TYPE_LATEST)
