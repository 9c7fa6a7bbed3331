"""Routes about the work itself: runs, jobs, connections, search."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import APIRouter, Query

from towpath.search.contract import Query as SearchQuery
from towpath.server import views
from towpath.server.problems import Problem
from towpath.server.services import Has, Id, Org

router = APIRouter()
_PROBLEM = {"model": Problem}
Status = Literal["PENDING", "PROCESSING", "COMPLETED", "FAILED", "CANCELLED"]


@router.get("/runs/{run_id}", tags=["runs"], responses={404: _PROBLEM})
async def run(has: Has, org: Org, run_id: Id) -> views.RunHistoryView:
    """One run and everything that happened in it."""
    return views.history_view(
        await has.ledger.run(run_id, org_id=org), await has.ledger.events(run_id, org_id=org)
    )


@router.post("/runs/{run_id}/cancel", tags=["runs"], responses={404: _PROBLEM, 409: _PROBLEM})
async def cancel(has: Has, org: Org, run_id: Id) -> views.RunView:
    """Stop a run. The worker that holds it learns of it at its next write or heartbeat."""
    await has.ledger.cancel(run_id, has.clock.now(), org_id=org)
    has.bell.ring()
    return views.run_view(await has.ledger.run(run_id, org_id=org))


@router.get("/jobs", tags=["jobs"])
async def jobs(
    has: Has,
    org: Org,
    status: Status | None = None,
    stage: Annotated[str | None, Query(max_length=100)] = None,
    after: Id | None = None,
    limit: Annotated[int, Query(ge=1, le=500)] = 100,
) -> list[views.JobView]:
    """The queue, newest first."""
    found = await has.catalogue.jobs(org, status=status, stage=stage, after=after, limit=limit)
    return [views.job_view(job) for job in found]


@router.post("/jobs/retry", tags=["jobs"])
async def retry_many(
    has: Has,
    org: Org,
    stage: Annotated[str | None, Query(max_length=100)] = None,
    error: Annotated[str | None, Query(max_length=500, description="Part of the error's text")] = None,
) -> views.Retried:
    """Retry the failed jobs that match; each resumes after its last finished stage."""
    runs = await has.ledger.retry_many(has.clock.now(), org_id=org, stage=stage, error=error)
    has.bell.ring()
    return views.Retried(run_ids=runs)


@router.post("/jobs/{job_id}/retry", tags=["jobs"], responses={404: _PROBLEM, 409: _PROBLEM})
async def retry(has: Has, org: Org, job_id: Id) -> views.Retried:
    """Retry one job: a waiting one is made due now, a failed one is resumed by a new run."""
    run_id = await has.ledger.retry(job_id, has.clock.now(), org_id=org)
    has.bell.ring()
    return views.Retried(run_ids=[run_id])


@router.patch("/connections/{connection_id}", tags=["documents"], responses={404: _PROBLEM})
async def mark_connection(
    has: Has, org: Org, connection_id: Id, change: views.ConnectionChange
) -> views.ConnectionView:
    """Pin or hide a connection. It stays so when either document is processed anew."""
    marked = await has.catalogue.mark_connection(
        org, connection_id, pinned=change.pinned, hidden=change.hidden, now=has.clock.now()
    )
    return views.ConnectionView.model_validate(marked)


@router.get("/search", tags=["search"])
async def search(
    has: Has,
    org: Org,
    q: Annotated[str, Query(max_length=4_000)],
    mode: Literal["hybrid", "text", "vector"] = "hybrid",
    kind: Literal["document", "call"] | None = None,
    document_id: Id | None = None,
    limit: Annotated[int, Query(ge=1, le=100)] = 10,
    offset: Annotated[int, Query(ge=0, le=1000)] = 0,
) -> views.SearchView:
    """Passages that answer the query, with the place they stand at."""
    hits = await has.searcher.search(SearchQuery(org, q, mode, kind, document_id, limit, offset))
    return views.SearchView(query=q, mode=mode, hits=[views.HitView.model_validate(hit) for hit in hits])
