"""Routes for operators: liveness, readiness, operations overview, Prometheus metrics."""

from __future__ import annotations

from fastapi import APIRouter, Response
from prometheus_client import CONTENT_TYPE_LATEST

from towpath import __version__
from towpath.queries.setting_differences import setting_differences
from towpath.server.deps import Org, ServicesDep
from towpath.server.metrics import render_metrics
from towpath.server.problems import PROBLEM_RESPONSE
from towpath.server.schemas.operations import HealthView, OperationsView, ReadyView, SettingDifferenceView
from towpath.version import commit

router = APIRouter(tags=["operations"])


@router.get("/health")
async def health(services: ServicesDep) -> HealthView:
    """Liveness: the process answers requests. Also returns its version."""
    return HealthView(status="ok", version=__version__, commit=commit(), schema_version=services.schema)


@router.get("/ready", responses={503: PROBLEM_RESPONSE})
async def ready(services: ServicesDep) -> ReadyView:
    """Readiness: the database answers queries; otherwise 503. Names settings that differ between processes."""
    overview = await services.queries.overview(None, services.clock.now())
    differences = setting_differences(services.shared_settings, overview.workers)
    return ReadyView(
        status="ready", differences=[SettingDifferenceView.model_validate(item) for item in differences]
    )


@router.get("/operations")
async def operations(services: ServicesDep, org: Org) -> OperationsView:
    """Get the queue, the workers, the providers and the failures of this organization."""
    return OperationsView.model_validate(await services.queries.overview(org, services.clock.now()))


@router.get("/metrics", response_class=Response)
async def metrics(services: ServicesDep) -> Response:
    """Get metrics of all organizations in Prometheus text format."""
    now = services.clock.now()
    overview, hourly = await services.queries.overview(None, now), await services.queries.hourly_metrics(now)
    return Response(render_metrics(overview, hourly, now), media_type=CONTENT_TYPE_LATEST)
