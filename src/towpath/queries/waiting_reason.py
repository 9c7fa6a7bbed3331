"""Finds out why a job is not running: the reason stored with it, or the one that follows from its state."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from towpath.model.job import JobStatus, WaitingReason
from towpath.model.json_types import Json
from towpath.model.provider_wait import ProviderWait


class WaitingJob(Protocol):
    """What decides why a job waits: of a whole job, or of the columns that a status shows."""

    @property
    def run_id(self) -> str: ...
    @property
    def status(self) -> JobStatus: ...
    @property
    def payload(self) -> Json: ...
    @property
    def available_at(self) -> datetime: ...
    @property
    def waiting_reason(self) -> WaitingReason | None: ...
    @property
    def waiting_provider(self) -> str | None: ...
    @property
    def waiting_until(self) -> datetime | None: ...
    @property
    def waiting_run_id(self) -> str | None: ...
    @property
    def waiting_detail(self) -> str | None: ...


@dataclass(frozen=True, slots=True)
class Waiting:
    """The reason, and the provider, time or run that is waited for. ``detail`` is for people only."""

    reason: WaitingReason
    provider: str | None = None
    until: datetime | None = None
    run_id: str | None = None
    detail: str | None = None


def why_waiting(job: WaitingJob, now: datetime) -> Waiting | None:
    """Why a PENDING job is not being worked, or which provider a PROCESSING job has waited for; otherwise None."""
    if job.status is JobStatus.PROCESSING and (wait := ProviderWait.read(job.payload)):
        # The reason stays visible while a worker calls the provider again.
        return Waiting(wait.reason, wait.provider, detail=wait.detail) if wait.run_id == job.run_id else None
    if job.status is not JobStatus.PENDING:
        return None
    if job.waiting_reason is not None and not _is_over(job, now):
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


def _is_over(job: WaitingJob, now: datetime) -> bool:
    """Whether the wait for another job's call has ended: that call is not asked about again before a worker is free."""
    reason, until = job.waiting_reason, job.waiting_until
    return reason is WaitingReason.SAME_CALL_ELSEWHERE and until is not None and until <= now
