"""The nouns of the work itself: runs, jobs, leases, and what a stage may answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

Json = Mapping[str, object]


class RunState(StrEnum):
    QUEUED = "QUEUED"
    RUNNING = "RUNNING"
    COMPLETED = "COMPLETED"
    FAILED = "FAILED"
    TIMED_OUT = "TIMED_OUT"
    CANCELLED = "CANCELLED"


class JobStatus(StrEnum):
    PENDING = "PENDING"
    PROCESSING = "PROCESSING"
    COMPLETED = "COMPLETED"
    FAILED = "FAILED"
    CANCELLED = "CANCELLED"


class FailureType(StrEnum):
    PROCESS_TERMINATED = "PROCESS_TERMINATED"
    STAGE_FAILED = "STAGE_FAILED"
    REJECTED = "REJECTED"
    QUARANTINED = "QUARANTINED"
    PROVIDER_REFUSED = "PROVIDER_REFUSED"


class EventKind(StrEnum):
    RUN_QUEUED = "RUN_QUEUED"
    RUN_STARTED = "RUN_STARTED"
    STEP_STARTED = "STEP_STARTED"
    STEP_COMPLETED = "STEP_COMPLETED"
    STEP_RETRIED = "STEP_RETRIED"
    STEP_SUSPENDED = "STEP_SUSPENDED"
    STEP_FAILED = "STEP_FAILED"
    LEASE_EXPIRED = "LEASE_EXPIRED"
    RUN_COMPLETED = "RUN_COMPLETED"
    RUN_FAILED = "RUN_FAILED"
    RUN_TIMED_OUT = "RUN_TIMED_OUT"
    RUN_CANCELLED = "RUN_CANCELLED"
    SCHEDULER_CONTENTION = "SCHEDULER_CONTENTION"


@dataclass(frozen=True, slots=True)
class Lease:
    """Permission to write about one job. Every claim raises the epoch; an old epoch writes nothing."""

    job_id: str
    epoch: int
    worker: str
    until: datetime


@dataclass(frozen=True, slots=True)
class Claimed:
    """A job in a worker's hands, with all that is known of its run so far."""

    lease: Lease
    org_id: str
    document_id: str
    run_id: str
    pipeline: str
    stage: str
    payload: Json
    options: Json
    known: Mapping[str, Json]
    attempts: int
    max_attempts: int
    crashes: int
    follow_up: bool = False


@dataclass(frozen=True, slots=True)
class Run:
    """One processing of one document. Its history is append-only and its state never goes back."""

    id: str
    org_id: str
    document_id: str
    pipeline: str
    pipeline_version: int
    state: RunState
    created_at: datetime
    failure_type: FailureType | None = None
    error: str | None = None
    resumes_run_id: str | None = None
    options: Json = field(default_factory=dict[str, object])
    deadline_at: datetime | None = None
    started_at: datetime | None = None
    ended_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Job:
    """One stage of one run in the queue. A completed job is the checkpoint of its stage."""

    id: str
    org_id: str
    document_id: str
    run_id: str
    stage: str
    status: JobStatus
    attempts: int
    max_attempts: int
    crashes: int
    lease_epoch: int
    available_at: datetime
    created_at: datetime
    updated_at: datetime
    payload: Json = field(default_factory=dict[str, object])
    result: Json | None = None
    progress: Json | None = None
    follow_up: bool = False
    reused_from: str | None = None
    waiting_for: str | None = None
    error_log: str | None = None
    locked_by: str | None = None
    locked_at: datetime | None = None
    lease_until: datetime | None = None
    started_at: datetime | None = None
    completed_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened to a run, never changed afterwards."""

    id: int
    run_id: str
    kind: EventKind
    at: datetime
    stage: str | None = None
    job_id: str | None = None
    detail: Json = field(default_factory=dict[str, object])


@dataclass(frozen=True, slots=True)
class Done:
    """The stage is finished. ``result`` is kept in the ledger; ``writes`` land in the same transaction."""

    result: Json = field(default_factory=dict[str, object])
    writes: Sequence[object] = ()


@dataclass(frozen=True, slots=True)
class Suspend:
    """Not now: come back at ``until`` with this payload. Burns no attempt."""

    until: datetime
    waiting_for: str
    payload: Json | None = None


@dataclass(frozen=True, slots=True)
class Reject:
    """This input can never work; the reason is a sentence for a person."""

    reason: str
    failure_type: FailureType = FailureType.REJECTED


Outcome = Done | Suspend | Reject
