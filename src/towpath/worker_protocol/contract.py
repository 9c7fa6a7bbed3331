"""The contract of workers that speak HTTP: the routes of the server call it, `worker/remote_jobs.py` implements it.

Every method takes the lease of the job. A worker that lost it gets LeaseLost, and nothing is changed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from towpath.errors import UserError
from towpath.ledger.contract.provider_calls import CallCached, CallInProgress, CallReserved, CallRunning
from towpath.ledger.contract.settlements import Settled
from towpath.model.job import ClaimedJob, Progress
from towpath.model.outcome import Outcome, Suspend
from towpath.model.provider_answer import Answer
from towpath.model.writes import KeepArtifact
from towpath.stages.contract import ProviderCall

#: Stages that write chunks, vectors or connections: only the workers of this program can settle them.
OWN_STAGES = frozenset({"publish", "connect", "reembed"})


class StageForbidden(UserError):
    """The key may not claim jobs of this stage."""


@dataclass(frozen=True, slots=True)
class RemoteWorker:
    """The organization of a worker, and the stages that its key allows; None is every stage."""

    org_id: str
    stages: frozenset[str] | None = None


@dataclass(frozen=True, slots=True)
class RemoteClaim:
    """At most ``limit`` due jobs of these stages for the worker ``name``; ``job_ids``: only these."""

    name: str
    stages: Sequence[str]
    limit: int = 1
    lease_seconds: float | None = None
    job_ids: Sequence[str] | None = None
    #: How long to wait for a job if none is due.
    wait_seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class LeaseId:
    """The job and the epoch of a lease."""

    job_id: str
    epoch: int


@dataclass(frozen=True, slots=True)
class CallBegun:
    """The key of a call and its state. With ``answer`` it was answered before; Suspend: it must not be made now."""

    key: str
    state: CallReserved | CallCached | CallRunning | CallInProgress | Suspend
    answer: Answer | None = None


@dataclass(frozen=True, slots=True)
class CallFailure:
    """Why a call has no answer. ``answer_lost``: it was sent, and its answer was lost."""

    error: str
    provider: str | None = None
    throttled: bool = False
    refused: bool = False
    retry_after: float | None = None
    answer_lost: bool = False


@dataclass(frozen=True, slots=True)
class Failed:
    """The attempt failed; the job is tried again after the backoff, or after ``retry_after`` seconds."""

    error: str
    retry_after: float | None = None


@dataclass(frozen=True, slots=True)
class Released:
    """The worker gives the job back; it uses no attempt."""


class RemoteJobs(Protocol):
    @property
    def lease_seconds(self) -> float:
        """The duration of a lease if the worker names none."""
        ...

    async def claim(self, worker: RemoteWorker, request: RemoteClaim) -> list[ClaimedJob]: ...
    async def heartbeat(self, worker: RemoteWorker, lease: LeaseId, lease_seconds: float | None) -> datetime:
        """Renew the lease; returns its new end."""
        ...

    async def progress(self, worker: RemoteWorker, lease: LeaseId, progress: Progress) -> None: ...
    async def leased_job(self, worker: RemoteWorker, lease: LeaseId) -> ClaimedJob:
        """The job with the results of the stages before, if the worker holds it."""
        ...

    async def keep_artifact(self, worker: RemoteWorker, lease: LeaseId, artifact: KeepArtifact) -> None:
        """Record a stored blob as an artifact of the document."""
        ...

    async def begin_call(self, worker: RemoteWorker, lease: LeaseId, call: ProviderCall) -> CallBegun: ...
    async def save_operation_id(
        self, worker: RemoteWorker, lease: LeaseId, key: str, operation_id: str
    ) -> None: ...
    async def save_answer(self, worker: RemoteWorker, lease: LeaseId, key: str, answer: Answer) -> None: ...
    async def fail_call(
        self, worker: RemoteWorker, lease: LeaseId, key: str, failure: CallFailure
    ) -> Suspend | None:
        """Record that the call has no answer. The outcome to settle with, if the provider is throttled by it."""
        ...

    async def settle(
        self, worker: RemoteWorker, lease: LeaseId, outcome: Outcome | Failed | Released
    ) -> Settled: ...
