"""The ladder of stages that people see: pure functions from a run and its jobs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, cast

from towpath.catalogue.contract import Document, DocumentStatus, StageStatus
from towpath.model.work import Job, JobStatus, Run, RunState


def status_of(
    document: Document,
    run: Run | None,
    jobs: Sequence[Job],
    stages: Mapping[str, tuple[str, ...]],
    now: datetime,
) -> DocumentStatus:
    current = current_job(jobs)
    waiting_for, until = (None, None) if run is None or current is None else why_waiting(run, current, now)
    return DocumentStatus(
        document_id=document.id,
        status=document.status,
        searchable=document.searchable,
        run_id=run.id if run else None,
        run_state=run.state if run else None,
        failure_type=run.failure_type if run else None,
        stage=current.stage if current else None,
        stages=ladder(run, jobs, stages, now) if run else (),
        error=(run.error if run else None) or _last_error(current),
        waiting_for=waiting_for,
        waiting_until=until,
        resumes_run_id=run.resumes_run_id if run else None,
        updated_at=max([document.updated_at, *(job.updated_at for job in jobs)]),
    )


def current_job(jobs: Sequence[Job]) -> Job | None:
    """The job that is worked or waited for now, or the one at which the run ended."""
    live = [job for job in jobs if job.status in (JobStatus.PENDING, JobStatus.PROCESSING)]
    return live[0] if live else (jobs[-1] if jobs else None)


def ladder(
    run: Run, jobs: Sequence[Job], stages: Mapping[str, tuple[str, ...]], now: datetime
) -> tuple[StageStatus, ...]:
    made = {job.stage: job for job in jobs}
    names = [
        *stages.get(run.pipeline, ()),
        *(name for name in made if name not in stages.get(run.pipeline, ())),
    ]
    return tuple(_rung(name, made.get(name), run, now) for name in names)


def _rung(name: str, job: Job | None, run: Run, now: datetime) -> StageStatus:
    if job is None:
        ended = run.state not in (RunState.QUEUED, RunState.RUNNING)
        return StageStatus(name, "SKIPPED" if ended else "WAITING")
    progress = job.progress or {}
    calls = cast("dict[str, Any]", (job.result or {}).get("calls") or {})
    return StageStatus(
        name=name,
        status=job.status,
        attempts=job.attempts,
        crashes=job.crashes,
        seconds=_seconds(job, now),
        done=cast("int | None", progress.get("done")),
        total=cast("int | None", progress.get("total")),
        reused=job.reused_from is not None,
        calls_made=int(calls.get("made", 0)),
        calls_reused=int(calls.get("reused", 0)),
        cost=float(calls.get("cost", 0.0)),
        started_at=job.started_at,
        completed_at=job.completed_at,
        last_heartbeat=job.updated_at if job.status is JobStatus.PROCESSING else None,
        job_id=job.id,
    )


def _seconds(job: Job, now: datetime) -> float | None:
    if job.reused_from is not None:
        return 0.0
    if job.started_at is None:
        return None
    end = job.completed_at or (now if job.status is JobStatus.PROCESSING else None)
    return None if end is None else max(0.0, (end - job.started_at).total_seconds())


def why_waiting(run: Run, job: Job, now: datetime) -> tuple[str | None, datetime | None]:
    """Why a job is not being worked, in words, and until when."""
    if job.status is not JobStatus.PENDING:
        return None, None
    if job.waiting_for is not None:
        until = job.available_at if job.available_at.year < 9999 else None
        return f"waiting for {job.waiting_for}", until
    if job.available_at > now:
        return (
            f"trying again after an error (attempt {job.attempts + 1} of {job.max_attempts})",
            job.available_at,
        )
    return "waiting for a free worker", None


def _last_error(job: Job | None) -> str | None:
    if job is None or not job.error_log:
        return None
    return job.error_log.rsplit("\n", 1)[-1].split(" ", 1)[-1]
