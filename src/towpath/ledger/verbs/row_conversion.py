"""Converts rows of either engine to ClaimedJob, Run, Job and Event."""

from __future__ import annotations

from datetime import datetime
from typing import Any, cast

from sqlalchemy import Row

from towpath.ledger.columns import to_instant, to_instant_or_none, to_json
from towpath.model.event import Event, EventKind
from towpath.model.job import ClaimedJob, DueJob, Job, JobStatus, Lease, Progress, ProgressUnit, WaitingReason
from towpath.model.json_types import Json
from towpath.model.run import FailureType, Run, RunReason, RunState


def text_or_none(value: object) -> str | None:
    return None if value is None else str(value)


def claimed(row: Row[Any], worker: str, until: datetime) -> ClaimedJob:
    # By position: at a thousand jobs a second, access by name would cost as much as the rest of a claim.
    values = cast("tuple[Any, ...]", row)
    job_id, org_id, document_id, run_id, stage, payload, attempts, max_attempts = values[:8]
    crashes, suspect, epoch, follow_up, pipeline, options, policy, results, sealed_password = values[8:]
    return ClaimedJob(
        lease=Lease(job_id, epoch, worker, until),
        org_id=org_id,
        document_id=document_id,
        run_id=run_id,
        pipeline=pipeline,
        stage=stage,
        payload=to_json(payload),
        options=to_json(options),
        policy=to_json(policy),
        results=cast("dict[str, Json]", to_json(results)),
        attempts=attempts,
        max_attempts=max_attempts,
        crashes=crashes,
        suspect=bool(suspect),
        follow_up=bool(follow_up),
        sealed_password=sealed_password,
    )


def due(row: Row[Any]) -> DueJob:
    job_id, org_id, document_id, run_id, stage, payload, epoch = cast("tuple[Any, ...]", row)
    return DueJob(job_id, epoch, org_id, document_id, run_id, stage, to_json(payload))


def run(row: Row[Any]) -> Run:
    return Run(
        id=str(row.id),
        org_id=str(row.org_id),
        document_id=str(row.document_id),
        pipeline=row.pipeline,
        pipeline_version=row.pipeline_version,
        state=RunState(row.state),
        failure_type=None if row.failure_type is None else FailureType(row.failure_type),
        error=row.error,
        rejection_code=row.rejection_code,
        resumes_run_id=text_or_none(row.resumes_run_id),
        reason=None if row.reason is None else RunReason(row.reason),
        options=to_json(row.options),
        deadline_at=to_instant_or_none(row.deadline_at),
        created_at=to_instant(row.created_at),
        started_at=to_instant_or_none(row.started_at),
        ended_at=to_instant_or_none(row.ended_at),
    )


def job(row: Row[Any]) -> Job:
    return Job(
        id=str(row.id),
        org_id=str(row.org_id),
        document_id=str(row.document_id),
        run_id=str(row.run_id),
        stage=row.stage,
        status=JobStatus(row.status),
        attempts=row.attempts,
        max_attempts=row.max_attempts,
        crashes=row.crashes,
        suspect=bool(row.suspect),
        lease_epoch=row.lease_epoch,
        available_at=to_instant(row.available_at),
        created_at=to_instant(row.created_at),
        updated_at=to_instant(row.updated_at),
        payload=to_json(row.payload),
        result=None if row.result is None else to_json(row.result),
        progress=_progress(row.progress),
        follow_up=bool(row.follow_up),
        reused_from=text_or_none(row.reused_from),
        waiting_reason=None if row.waiting_reason is None else WaitingReason(row.waiting_reason),
        waiting_provider=row.waiting_provider,
        waiting_until=to_instant_or_none(row.waiting_until),
        waiting_run_id=text_or_none(row.waiting_run_id),
        waiting_detail=row.waiting_detail,
        error_log=row.error_log,
        locked_by=row.locked_by,
        locked_at=to_instant_or_none(row.locked_at),
        lease_until=to_instant_or_none(row.lease_until),
        last_heartbeat=to_instant_or_none(row.last_heartbeat),
        started_at=to_instant_or_none(row.started_at),
        completed_at=to_instant_or_none(row.completed_at),
    )


def _progress(value: object) -> Progress | None:
    if value is None:
        return None
    stored = cast("dict[str, Any]", to_json(value))
    return Progress(stored["done"], stored["total"], ProgressUnit(stored["unit"]))


def event(row: Row[Any]) -> Event:
    return Event(
        id=row.id,
        run_id=str(row.run_id),
        kind=EventKind(row.kind),
        at=to_instant(row.at),
        stage=row.stage,
        job_id=text_or_none(row.job_id),
        detail=to_json(row.detail),
    )
