"""What a ledger promises. `sqlite/` and `postgres/` hold the two engines that keep it.

Every writing verb takes the Lease it writes under, and ``now``. A verb whose lease is no longer the
job's raises (or returns) LeaseLost and changes no row.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Protocol

from towpath.errors import LeaseLost
from towpath.model.work import Claimed, Event, EventKind, FailureType, Job, Json, Lease, Run


@dataclass(frozen=True, slots=True)
class NewDocument:
    """Bytes that are safely stored, and what is known of them."""

    org_id: str
    name: str
    kind: str
    media_type: str
    size: int
    sha256: str
    blob_key: str


@dataclass(frozen=True, slots=True)
class Plan:
    """How a run is to be worked: frozen with the run, so that a resume drops no option."""

    pipeline: str
    version: int
    stages: tuple[str, ...]
    options: Json = field(default_factory=dict[str, object])
    payload: Json = field(default_factory=dict[str, object])
    max_attempts: int = 5
    deadline_seconds: float | None = None


@dataclass(frozen=True, slots=True)
class Submission:
    """A document and the plan for its run."""

    document: NewDocument
    plan: Plan
    idempotency_key: str | None = None


@dataclass(frozen=True, slots=True)
class Submitted:
    document_id: str
    run_id: str | None
    duplicate: bool = False
    #: The document had lost its bytes, and those of this upload are its own now.
    adopted: bool = False


# What a worker can say about a job it holds. Each is one verb; a batch of them is one transaction.


@dataclass(frozen=True, slots=True)
class Advance:
    """This stage is done; here is the next. ``keep`` holds on to the lease and saves a claim."""

    lease: Lease
    next_stage: str
    max_attempts: int
    result: Json = field(default_factory=dict[str, object])
    next_payload: Json = field(default_factory=dict[str, object])
    keep: bool = True
    writes: Sequence[object] = ()


@dataclass(frozen=True, slots=True)
class Finish:
    """The last stage is done: the run is COMPLETED and its follow-ups are queued."""

    lease: Lease
    result: Json = field(default_factory=dict[str, object])
    follow_ups: tuple[str, ...] = ()
    max_attempts: int = 5
    writes: Sequence[object] = ()


@dataclass(frozen=True, slots=True)
class Fail:
    """An error: try again at ``retry_at``, or, when ``final`` or out of attempts, give up."""

    lease: Lease
    error: str
    retry_at: datetime
    final: bool = False
    failure_type: FailureType = FailureType.STAGE_FAILED


@dataclass(frozen=True, slots=True)
class Suspended:
    """Not now; burns no attempt. ``payload`` replaces the job's when given."""

    lease: Lease
    until: datetime
    waiting_for: str
    payload: Json | None = None


@dataclass(frozen=True, slots=True)
class Release:
    """Given back unharmed, to be claimed by anyone at once."""

    lease: Lease


Settlement = Advance | Finish | Fail | Suspended | Release


@dataclass(frozen=True, slots=True)
class Settled:
    """The settlement is durable. ``next`` is the lease kept on the following stage's job."""

    job_id: str
    status: str
    next: Lease | None = None


@dataclass(frozen=True, slots=True)
class Swept:
    """What a sweep did, and when the next lease or deadline can run out."""

    rescued: int = 0
    quarantined: int = 0
    timed_out: int = 0
    next_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Recovered:
    failed: int = 0
    resumed: int = 0
    quarantined: int = 0


@dataclass(frozen=True, slots=True)
class Pruned:
    """What one batch of pruning removed, the blobs that nothing needs now, and where the next batch begins."""

    runs: int = 0
    jobs: int = 0
    events: int = 0
    answers: int = 0
    blobs: tuple[str, ...] = ()
    after: str | None = None


@dataclass(frozen=True, slots=True)
class CallRequest:
    """A paid or slow call as it is remembered: ``key`` hashes provider, model, parameters and input."""

    key: str
    provider: str
    model: str


@dataclass(frozen=True, slots=True)
class CallYours:
    """Nobody has made this call: make it now. ``reopened`` says that an earlier try may have been paid."""

    reopened: bool = False


@dataclass(frozen=True, slots=True)
class CallAnswered:
    """The call was made before; here is its answer, for free."""

    answer: Json | None
    artifact: str | None


@dataclass(frozen=True, slots=True)
class CallOperation:
    """The call was started and runs at the provider: poll this operation."""

    operation_id: str


@dataclass(frozen=True, slots=True)
class CallBusy:
    """A living worker is making this very call: come back at ``until``."""

    until: datetime


CallState = CallYours | CallAnswered | CallOperation | CallBusy


@dataclass(frozen=True, slots=True)
class CallAnswer:
    answer: Json | None = None
    artifact: str | None = None
    units: Mapping[str, float] = field(default_factory=dict[str, float])
    cost: float = 0.0


NEVER_CHANGED = datetime.min.replace(tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Gate:
    """A provider's gate, and the asker's place among those who share the provider's limits."""

    closed_until: datetime | None
    reason: str
    place: int
    users: int
    since: datetime
    """When the asker became one of them."""
    changed_at: datetime = NEVER_CHANGED
    """When it was last closed or opened."""


@dataclass(frozen=True, slots=True)
class SignOfLife:
    """A worker, how many jobs it takes on at once, and which stages it serves; none named means all."""

    id: str
    host: str
    pid: int
    slots: int
    stages: tuple[str, ...]
    started_at: datetime


class Ledger(Protocol):
    """Runs, jobs, leases and the memory of what was paid for."""

    async def submit(self, submission: Submission, now: datetime, *, ring: bool = False) -> Submitted:
        """``ring``: let the news ride along in the same transaction, where the engine can carry it."""
        ...

    async def submit_many(
        self, submissions: Sequence[Submission], now: datetime, *, ring: bool = False
    ) -> list[Submitted]: ...
    async def reprocess(
        self,
        document_id: str,
        plan: Plan,
        now: datetime,
        *,
        org_id: str,
        from_stage: str | None = None,
        fresh: bool = False,
    ) -> str: ...

    async def claim(
        self,
        worker: str,
        *,
        limit: int,
        lease_seconds: float,
        now: datetime,
        stages: Sequence[str] | None = None,
    ) -> list[Claimed]: ...

    def heartbeat(self, leases: Sequence[Lease], lease_seconds: float, now: datetime) -> set[str]:
        """Extend the leases; return the ids of the jobs still held. Blocking: for a thread of its own."""
        ...

    async def progress(self, lease: Lease, done: int, total: int, now: datetime) -> None: ...
    async def note(self, lease: Lease, kind: EventKind, detail: Json, now: datetime) -> None:
        """Add an event to the history of the run that is held."""
        ...

    async def write(self, lease: Lease, writes: Sequence[object]) -> None:
        """Write now, before the stage is done, in a transaction of its own."""
        ...

    async def settle(
        self, settlements: Sequence[Settlement], now: datetime, *, lease_seconds: float = 30.0
    ) -> list[Settled | LeaseLost]: ...

    async def sweep(self, now: datetime, *, limit: int = 100, max_crashes: int = 2) -> Swept: ...
    async def recover(
        self, now: datetime, *, resume_runs: bool = True, max_crashes: int = 2
    ) -> Recovered: ...

    async def prune(
        self, what: str, before: datetime, *, after: str | None = None, limit: int = 500
    ) -> Pruned:
        """Remove one batch of old ``runs``, ``events`` or ``answers`` that no existing document needs."""
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
        limit: int = 1000,
    ) -> list[str]: ...

    async def call_begin(self, lease: Lease, request: CallRequest, now: datetime) -> CallState: ...
    async def call_operation(self, lease: Lease, key: str, operation_id: str) -> None: ...
    async def call_answer(self, lease: Lease, key: str, answer: CallAnswer, now: datetime) -> None: ...
    async def call_failed(self, lease: Lease, key: str, error: str) -> None: ...

    async def close_gate(self, provider: str, until: datetime, reason: str, now: datetime) -> None:
        """Nobody asks this provider before ``until``; of two complaints the longer one holds."""
        ...

    async def open_gate(self, provider: str, now: datetime, *, due: datetime) -> None:
        """This provider may be asked again; the jobs that wait for it return at ``due``, when all workers know."""
        ...

    async def gate(self, provider: str, now: datetime, *, user: str | None = None) -> Gate:
        """Whether a provider may be asked. ``user`` is noted as one who shares its limits."""
        ...

    async def leave_gates(self, user: str) -> None:
        """Give the share of this user back to the others."""
        ...

    async def sign(self, worker: SignOfLife, now: datetime) -> None:
        """Say that a worker is alive, whether or not it has something to do."""
        ...

    async def leave(self, worker_id: str) -> None:
        """A worker that stops does not wait to be forgotten."""
        ...

    async def run(self, run_id: str, *, org_id: str) -> Run: ...
    async def runs(self, document_id: str, *, org_id: str) -> list[Run]: ...
    async def jobs(self, run_id: str, *, org_id: str) -> list[Job]: ...
    async def events(self, run_id: str, *, org_id: str) -> list[Event]: ...
    def close(self) -> None: ...
