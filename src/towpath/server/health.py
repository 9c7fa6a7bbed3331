"""Liveness, readiness and metrics."""

from __future__ import annotations

from fastapi import APIRouter, HTTPException, Response
from prometheus_client import CONTENT_TYPE_LATEST

from towpath.server.operation_views import OperationsView
from towpath.server.services import Has, Org
from towpath.telemetry import render

router = APIRouter(tags=["operations"])


@router.get("/health")
async def health() -> dict[str, str]:
    """The process is alive."""
    return {"status": "ok"}


@router.get("/ready")
async def ready(has: Has) -> dict[str, str]:
    """The process can work: its database answers."""
    if not has.ready():
        raise HTTPException(503, "The server is starting or stopping.")
    await has.catalogue.overview(None, has.clock.now())
    return {"status": "ready"}


@router.get("/operations")
async def operations(has: Has, org: Org) -> OperationsView:
    """What waits, who works, what failed and what was paid, for this organization."""
    return OperationsView.model_validate(await has.catalogue.overview(org, has.clock.now()))


@router.get("/metrics", response_class=Response)
async def metrics(has: Has) -> Response:
    """Figures for Prometheus."""
    now = has.clock.now()
    overview, figures = await has.catalogue.overview(None, now), await has.catalogue.figures(now)
    return Response(render(overview, figures, now), media_type=CONTENT_TYPE_LATEST)
