"""A job: one stage of one run, claimed by a worker under a lease."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from towpath.model.json_types import Json


class JobStatus(StrEnum):
    PENDING = "PENDING"
    PROCESSING = "PROCESSING"
    COMPLETED = "COMPLETED"
    FAILED = "FAILED"
    CANCELLED = "CANCELLED"


class WaitingReason(StrEnum):
    """Why a PENDING job is not being worked."""

    FREE_WORKER = "free_worker"
    """It is due; every worker is busy."""
    EARLIER_RUN = "earlier_run"
    """Another run of the same document goes first."""
    RETRY = "retry"
    """An attempt failed; the next one starts after the backoff."""
    PROVIDER_THROTTLED = "provider_throttled"
    """The provider asked for a pause."""
    PROVIDER_REFUSED = "provider_refused"
    """The provider refused the account: key, credit or permission."""
    PROVIDER_LIMIT = "provider_limit"
    """This worker's share of the provider's rate or concurrency limit is used up."""
    PROVIDER_OPERATION = "provider_operation"
    """An operation was started at the provider and is still running."""
    SAME_CALL_ELSEWHERE = "same_call_elsewhere"
    """Another job is making the same provider call; its answer will be reused."""
    STORAGE = "storage"
    """The blob storage does not answer."""
    UNKNOWN_STAGE = "unknown_stage"
    """No running worker has this stage."""
    PAUSED = "paused"
    """A person paused the stage or the provider."""
    WORKER_STOPPED = "worker_stopped"
    """The worker was shut down and gave the job back."""


class ProgressUnit(StrEnum):
    """What `Progress` counts."""

    PAGE = "page"
    CHUNK = "chunk"
    BATCH = "batch"
    WINDOW = "window"
    DOCUMENT = "document"
    BYTE = "byte"
    SECOND = "second"


@dataclass(frozen=True, slots=True)
class Progress:
    """How much of a stage is done: ``done`` of ``total`` units."""

    done: int
    total: int
    unit: ProgressUnit


@dataclass(frozen=True, slots=True)
class Lease:
    """Permission to write about one job. Every claim raises the epoch; an old epoch writes nothing."""

    job_id: str
    epoch: int
    worker: str
    until: datetime


@dataclass(frozen=True, slots=True)
class ClaimedJob:
    """A job claimed by a worker, with the options of its run and the results of the stages before."""

    lease: Lease
    org_id: str
    document_id: str
    run_id: str
    pipeline: str
    stage: str
    payload: Json
    options: Json
    results: Mapping[str, Json]
    attempts: int
    max_attempts: int
    crashes: int
    follow_up: bool = False
    #: The process that worked on it died: run it alone in a process, so that a crash can be attributed.
    suspect: bool = False
    #: The policy of the run.
    policy: Json = field(default_factory=dict[str, object])
    #: The encrypted password of a locked PDF.
    sealed_password: str | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class DueJob:
    """A PENDING job that is due, with what a queue carries for it. ``epoch`` is that of its last claim."""

    id: str
    epoch: int
    org_id: str
    document_id: str
    run_id: str
    stage: str
    payload: Json


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
    progress: Progress | None = None
    follow_up: bool = False
    suspect: bool = False
    reused_from: str | None = None
    waiting_reason: WaitingReason | None = None
    waiting_provider: str | None = None
    waiting_until: datetime | None = None
    waiting_run_id: str | None = None
    waiting_detail: str | None = None
    error_log: str | None = None
    locked_by: str | None = None
    locked_at: datetime | None = None
    lease_until: datetime | None = None
    last_heartbeat: datetime | None = None
    started_at: datetime | None = None
    completed_at: datetime | None = None
