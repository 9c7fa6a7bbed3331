"""Computes the status of a document and of the stages of its run, from the run and its jobs. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, cast

from towpath.model.job import JobStatus
from towpath.model.json_types import Json
from towpath.model.run import RunState
from towpath.queries.contract import DocumentStatus, StageStatus
from towpath.queries.status_rows import StatusDocument, StatusJob, StatusRun
from towpath.queries.waiting_reason import why_waiting


def status_of(
    document: StatusDocument,
    run: StatusRun | None,
    jobs: Sequence[StatusJob],
    stages: Mapping[str, tuple[str, ...]],
    now: datetime,
) -> DocumentStatus:
    current = current_job(jobs)
    waiting = None if current is None else why_waiting(current, now)
    return DocumentStatus(
        document_id=document.id,
        status=document.status,
        searchable=document.searchable,
        run_id=run.id if run else None,
        run_state=run.state if run else None,
        failure_type=run.failure_type if run else None,
        rejection_code=run.rejection_code if run else None,
        stage=current.stage if current else None,
        stages=stage_timeline(run, jobs, stages, now) if run else (),
        error=(run.error if run else None) or _last_error(current),
        waiting=waiting,
        progress=current.progress if current else None,
        resumes_run_id=run.resumes_run_id if run else None,
        deadline_seconds=_deadline_seconds(run),
        updated_at=max([document.updated_at, *(job.updated_at for job in jobs)]),
    )


def _deadline_seconds(run: StatusRun | None) -> float | None:
    """How many seconds a started run may take; None without a deadline."""
    if run is None or run.deadline_at is None or run.started_at is None:
        return None
    return (run.deadline_at - run.started_at).total_seconds()


def current_job(jobs: Sequence[StatusJob]) -> StatusJob | None:
    """The pending or processing job, else the last job of the run."""
    unfinished = [job for job in jobs if job.status in (JobStatus.PENDING, JobStatus.PROCESSING)]
    return unfinished[0] if unfinished else (jobs[-1] if jobs else None)


def stage_timeline(
    run: StatusRun, jobs: Sequence[StatusJob], stages: Mapping[str, tuple[str, ...]], now: datetime
) -> tuple[StageStatus, ...]:
    by_stage = {job.stage: job for job in jobs}
    order = stages.get(run.pipeline, ()) if run.order is None else run.order
    names = [*order, *(name for name in by_stage if name not in order)]
    return tuple(_stage_status(name, by_stage.get(name), run, now) for name in names)


def _stage_status(name: str, job: StatusJob | None, run: StatusRun, now: datetime) -> StageStatus:
    if job is None:
        ended = run.state not in (RunState.QUEUED, RunState.RUNNING)
        return StageStatus(name, "SKIPPED" if ended else "WAITING")
    calls = cast("dict[str, Any]", job.calls)
    return StageStatus(
        name=name,
        status=job.status,
        attempts=job.attempts,
        crashes=job.crashes,
        seconds=_seconds(job, now),
        progress=job.progress,
        reused=job.reused,
        calls_made=int(calls.get("made", 0)),
        calls_reused=int(calls.get("reused", 0)),
        cost=float(calls.get("cost", 0.0)),
        started_at=job.started_at,
        completed_at=job.completed_at,
        last_heartbeat=job.last_heartbeat if job.status is JobStatus.PROCESSING else None,
        job_id=job.id,
        result=_shown_result(job),
    )


def _shown_result(job: StatusJob) -> Json | None:
    """The result of a stage that a package offers; results of shipped stages are keys of files."""
    if job.own_result is None:
        return None
    return {name: value for name, value in job.own_result.items() if name not in ("calls", "towpath")}


def _seconds(job: StatusJob, now: datetime) -> float | None:
    if job.reused:
        return 0.0
    if job.started_at is None:
        return None
    end = job.completed_at or (now if job.status is JobStatus.PROCESSING else None)
    return None if end is None else max(0.0, (end - job.started_at).total_seconds())


def _last_error(job: StatusJob | None) -> str | None:
    if job is None or not job.error_log:
        return None
    return job.error_log.rsplit("\n", 1)[-1].split(" ", 1)[-1]
