"""Finds out why a job is not running: the reason stored with it, or the one that follows from its state."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from towpath.model.job import Job, JobStatus, WaitingReason
from towpath.model.provider_wait import ProviderWait


@dataclass(frozen=True, slots=True)
class Waiting:
    """The reason, and the provider, time or run that is waited for. ``detail`` is for people only."""

    reason: WaitingReason
    provider: str | None = None
    until: datetime | None = None
    run_id: str | None = None
    detail: str | None = None


def why_waiting(job: Job, now: datetime) -> Waiting | None:
    """Why a PENDING job is not being worked, or which provider a PROCESSING job has waited for; otherwise None."""
    if job.status is JobStatus.PROCESSING and (wait := ProviderWait.read(job.payload)):
        # The reason stays visible while a worker calls the provider again.
        return Waiting(wait.reason, wait.provider, detail=wait.detail) if wait.run_id == job.run_id else None
    if job.status is not JobStatus.PENDING:
        return None
    if job.waiting_reason is not None:
        return Waiting(
            job.waiting_reason,
            job.waiting_provider,
            job.waiting_until,
            job.waiting_run_id,
            job.waiting_detail,
        )
    if job.available_at > now:
        return Waiting(WaitingReason.RETRY, until=job.available_at)
    return Waiting(WaitingReason.FREE_WORKER)
