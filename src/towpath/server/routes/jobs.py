"""Routes for jobs: list and retry."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import APIRouter, Query

from towpath.model.audit import AuditAction
from towpath.server.deps import Caller, Id, ServicesDep, audit
from towpath.server.problems import PROBLEM_RESPONSE
from towpath.server.schemas.jobs import JobView, RetriedView, RetryRequest, job_view

router = APIRouter(prefix="/jobs", tags=["jobs"])

JobStatusCode = Literal["PENDING", "PROCESSING", "COMPLETED", "FAILED", "CANCELLED"]


@router.get("")
async def list_jobs(
    services: ServicesDep,
    caller: Caller,
    status: JobStatusCode | None = None,
    stage: Annotated[str | None, Query(max_length=100)] = None,
    after: Annotated[Id | None, Query(description="Id of the last job received")] = None,
    limit: Annotated[int, Query(ge=1, le=500)] = 100,
) -> list[JobView]:
    """List jobs, newest first. The names of their workers are shown to operators only."""
    org = caller.org_id
    jobs = await services.queries.jobs(org, status=status, stage=stage, after=after, limit=limit)
    names = await services.queries.document_names(org, {job.document_id for job in jobs})
    now = services.clock.now()
    views = [job_view(job, names.get(job.document_id), now) for job in jobs]
    if caller.is_operator:
        return views
    return [view.model_copy(update={"locked_by": None}) for view in views]


@router.post("/retry")
async def retry_failed_jobs(
    services: ServicesDep,
    caller: Caller,
    stage: Annotated[str | None, Query(max_length=100)] = None,
    error: Annotated[
        str | None, Query(min_length=1, max_length=500, description="Part of the error message")
    ] = None,
    request: RetryRequest | None = None,
) -> RetriedView:
    """Retry all failed jobs that match. Each document continues after its last completed stage."""
    run_ids = await services.ledger.retry_many(
        services.clock.now(),
        org_id=caller.org_id,
        stage=stage,
        error=error,
        job_ids=request.job_ids if request else None,
    )
    services.notifier.notify()
    await audit(services, caller, AuditAction.JOB_RETRIED, *run_ids)
    return RetriedView(run_ids=run_ids)


@router.post("/{job_id}/retry", responses={404: PROBLEM_RESPONSE, 409: PROBLEM_RESPONSE})
async def retry_job(services: ServicesDep, caller: Caller, job_id: Id) -> RetriedView:
    """Retry one job. A PENDING job becomes due now; a FAILED job is resumed by a new run."""
    run_id = await services.ledger.retry(job_id, services.clock.now(), org_id=caller.org_id)
    services.notifier.notify()
    await audit(services, caller, AuditAction.JOB_RETRIED, job_id, run_id=run_id)
    return RetriedView(run_ids=[run_id])
