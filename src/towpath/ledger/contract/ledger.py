"""The contract of the ledger: the Ledger protocol, with its requests and results. `sql_ledger.py` implements it.

A verb that writes about a claimed job takes its Lease and ``now``. If the lease no longer holds the job, the verb
raises (or returns) LeaseLost and changes no row.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

from towpath.errors import LeaseLost
from towpath.ledger.contract.provider_calls import CallAnswer, CallRequest, CallState
from towpath.ledger.contract.settlements import Settled, Settlement
from towpath.ledger.contract.throttling import ProviderThrottle
from towpath.model.audit import Actor
from towpath.model.document import Document, NewDocument
from towpath.model.event import Event, EventKind
from towpath.model.job import ClaimedJob, DueJob, Job, JobStatus, Lease, Progress, WaitingReason
from towpath.model.json_types import Json
from towpath.model.labels import NO_LABELS, Labels
from towpath.model.run import Run


@dataclass(frozen=True, slots=True)
class RunPlan:
    """The pipeline, stages and options of a run. Stored with the run, so that a resumed run has the same options."""

    pipeline: str
    version: int
    stages: tuple[str, ...]
    options: Json = field(default_factory=dict[str, object])
    payload: Json = field(default_factory=dict[str, object])
    max_attempts: int = 5
    deadline_seconds: float | None = None
    #: Whether a run that reaches its deadline after progress is continued by a new run.
    continue_after_timeout: bool = False
    #: What the run is promised: a `RunPolicy` as JSON. Empty: the settings of the worker hold.
    policy: Json = field(default_factory=dict[str, object])


@dataclass(frozen=True, slots=True)
class Submission:
    """A document and the plan for its run."""

    document: NewDocument
    plan: RunPlan
    idempotency_key: str | None = None
    #: Who submits it; None writes no audit row.
    actor: Actor | None = None
    #: A document that exists keeps its own collection and gets these tags and metadata in addition.
    labels: Labels = NO_LABELS
    #: The id of the document whose next version this is; None: the key of the document or its bytes decide.
    replaces: str | None = None


@dataclass(frozen=True, slots=True)
class Submitted:
    """The result of a submission. ``duplicate``: the organization already had these bytes."""

    document_id: str
    run_id: str | None
    duplicate: bool = False
    #: The document uses the blob of this upload now.
    adopted: bool = False
    #: The blob that is used instead of this upload's, of the same bytes; the one that is no longer in use if the new
    #: one was adopted.
    known_blob_key: str = ""
    #: The version of the document that has these bytes.
    version: int = 1
    #: The document, if the submission created it and the caller knows all of it.
    document: Document | None = None


@dataclass(frozen=True, slots=True)
class ClaimRequest:
    """At most ``limit`` due jobs for ``worker``, of the given ``stages``; None is every stage."""

    worker: str
    limit: int
    lease_seconds: float
    stages: Sequence[str] | None = None
    #: Claim only those of these jobs that are due; None claims in fair order.
    job_ids: Sequence[str] | None = None
    #: Claim only jobs of this organization; None claims those of all.
    org_id: str | None = None


@dataclass(frozen=True, slots=True)
class SweepResult:
    """The counts of a sweep, and the time at which the next lease or deadline can expire."""

    rescued: int = 0
    timed_out: int = 0
    #: How many of the timed-out runs are continued by a new run.
    continued: int = 0
    next_at: datetime | None = None
    #: Runs that ended because their worker was lost and their policy is not to resume.
    failed: int = 0


@dataclass(frozen=True, slots=True)
class RecoveryResult:
    """The numbers of runs that a recovery failed and resumed."""

    failed: int = 0
    resumed: int = 0


@dataclass(frozen=True, slots=True)
class PruneResult:
    """The counts of removed rows, the keys of unused blobs, and the cursor ``after`` of the next batch."""

    runs: int = 0
    jobs: int = 0
    events: int = 0
    answers: int = 0
    blobs: tuple[str, ...] = ()
    after: str | None = None
    deliveries: int = 0


@dataclass(frozen=True, slots=True)
class WorkerInfo:
    """A worker, its number of job slots, and the stages it serves; an empty tuple means every stage."""

    id: str
    host: str
    pid: int
    slots: int
    stages: tuple[str, ...]
    started_at: datetime
    #: The settings that should be the same in every process.
    settings: Json = field(default_factory=dict[str, object])
    #: Whether its database session holds a lock, which is free as soon as the worker has died.
    session_lock: bool = False


@dataclass(frozen=True, slots=True)
class BusyWorker:
    """A worker with a session lock that has jobs in process; ``connected`` while the lock is held."""

    id: str
    connected: bool


class Ledger(Protocol):
    """Stores runs, jobs, leases and provider calls. Every verb is one transaction."""

    @property
    def lock_waits(self) -> int:
        """How often a transaction of this process found the database locked by another process."""
        ...

    async def submit(self, submission: Submission, now: datetime, *, notify: bool = False) -> Submitted:
        """``notify``: send the notification inside the transaction, where the engine supports it."""
        ...

    async def submit_many(
        self, submissions: Sequence[Submission], now: datetime, *, notify: bool = False
    ) -> list[Submitted]: ...
    async def reprocess(
        self,
        document_id: str,
        plan: RunPlan,
        now: datetime,
        *,
        org_id: str,
        from_stage: str | None = None,
        fresh: bool = False,
        sealed_password: str | None = None,
    ) -> str: ...

    async def claim(self, request: ClaimRequest, now: datetime) -> list[ClaimedJob]: ...
    async def due_jobs(
        self, now: datetime, *, limit: int, stages: Sequence[str] | None = None, after_org: str | None = None
    ) -> list[DueJob]:
        """The next jobs in the order of fair claims, which starts after ``after_org``. Claims nothing."""
        ...

    def heartbeat(self, leases: Sequence[Lease], lease_seconds: float, now: datetime) -> set[str]:
        """Extend the leases; return the ids of the jobs still held. Blocking: call it in a separate thread."""
        ...

    async def progress(self, lease: Lease, progress: Progress, now: datetime) -> None: ...
    async def postpone_deadline(self, lease: Lease, seconds: float) -> None:
        """Move the deadline of the run of the leased job; nothing changes without a deadline or without the lease."""
        ...

    async def add_event(self, lease: Lease, kind: EventKind, detail: Json, now: datetime) -> None:
        """Add an event to the run of the leased job."""
        ...

    async def write(self, lease: Lease, writes: Sequence[object]) -> None:
        """Apply writes before the stage is done, in a separate transaction."""
        ...

    async def settle(
        self, settlements: Sequence[Settlement], now: datetime, *, lease_seconds: float = 30.0
    ) -> list[Settled | LeaseLost]: ...

    async def sweep(
        self, now: datetime, *, limit: int = 100, dead_workers: Sequence[str] = ()
    ) -> SweepResult:
        """Rescue jobs whose leases have expired or whose workers have died, and end runs past their deadline."""
        ...

    async def busy_workers(self, *, except_for: str) -> list[BusyWorker]:
        """The other workers with jobs in process and a session lock; none on SQLite, which has one process."""
        ...

    async def recover(self, now: datetime, *, resume_runs: bool = True) -> RecoveryResult: ...

    async def index_vectors(self, limit: int) -> int:
        """Put up to ``limit`` published vectors into the search index; how many there were."""
        ...

    async def index_words(self) -> int:
        """Index the words of some published documents that are not in the word index; how many there were."""
        ...

    async def merge_words(self) -> bool:
        """Merge some small segments of the word index; False if there were none to merge."""
        ...

    async def prune(
        self, what: str, before: datetime, *, after: str | None = None, limit: int = 500
    ) -> PruneResult:
        """Remove one batch of old ``runs``, ``events``, ``answers`` or ``deliveries`` that no document needs."""
        ...

    async def cancel(self, run_id: str, now: datetime, *, org_id: str) -> None: ...
    async def retry(self, job_id: str, now: datetime, *, org_id: str) -> str: ...
    async def retry_many(
        self,
        now: datetime,
        *,
        org_id: str,
        stage: str | None = None,
        error: str | None = None,
        job_ids: Sequence[str] | None = None,
        limit: int = 1000,
    ) -> list[str]: ...

    async def begin_call(self, lease: Lease, request: CallRequest, now: datetime) -> CallState: ...
    async def save_operation_id(self, lease: Lease, key: str, operation_id: str) -> None: ...
    async def save_answer(self, lease: Lease, key: str, answer: CallAnswer, now: datetime) -> None: ...
    async def fail_call(self, lease: Lease, key: str, error: str) -> None: ...

    async def answered_calls(self, org_id: str, keys: Sequence[str]) -> set[str]:
        """Those of the keys whose calls have a cached answer."""
        ...

    async def has_answer(self, org_id: str, key: str) -> bool:
        """Whether the call with this key has a cached answer."""
        ...

    async def batch_limit(self, provider: str, endpoint: str, now: datetime) -> int | None:
        """The inputs per request that the server accepts, as found in the last 30 days."""
        ...

    async def save_batch_limit(self, provider: str, endpoint: str, inputs: int, now: datetime) -> None: ...

    async def published_vectors(
        self, document_id: str, model: str, *, org_id: str
    ) -> Mapping[str, Sequence[float]]:
        """The vectors of this model of the document's published chunks, by chunk id."""
        ...

    async def throttle_provider(
        self, provider: str, until: datetime, reason: WaitingReason, detail: str, now: datetime
    ) -> None:
        """Let no worker call this provider before ``until``; of two throttles the longer one counts."""
        ...

    async def resume_provider(self, provider: str, now: datetime, *, due: datetime) -> None:
        """End the throttle. Jobs that wait for it are due at ``due``, when all workers have read the new state."""
        ...

    async def provider_throttle(
        self, provider: str, now: datetime, *, user: str | None = None
    ) -> ProviderThrottle:
        """The throttle state of a provider. ``user`` is recorded as a worker that shares the provider's limits."""
        ...

    async def release_share(self, user: str) -> None:
        """Remove this user's share of all limits, so that the shares of the others grow."""
        ...

    async def register_worker(self, worker: WorkerInfo, now: datetime) -> None:
        """Insert or refresh the row of a live worker, also while it is idle."""
        ...

    async def deregister_worker(self, worker_id: str) -> None:
        """Remove the row of a worker that stops."""
        ...

    async def job_of_worker(self, job_id: str, *, org_id: str) -> tuple[JobStatus, ClaimedJob]:
        """The status of a job, and the job as its last claim returned it, with its present lease."""
        ...

    async def run(self, run_id: str, *, org_id: str) -> Run: ...
    async def runs(self, document_id: str, *, org_id: str) -> list[Run]: ...
    async def jobs(self, run_id: str, *, org_id: str) -> list[Job]: ...
    async def events(self, run_id: str, *, org_id: str) -> list[Event]: ...
    def close(self) -> None: ...
