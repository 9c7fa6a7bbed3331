"""The contract of the queries about documents, jobs and operations. `documents.py` implements it."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

from towpath.model.document import Artifact, Document
from towpath.model.job import Job, Progress
from towpath.model.json_types import Json
from towpath.queries.waiting import Waiting


@dataclass(frozen=True, slots=True)
class DocumentPage:
    documents: Sequence[Document]
    next_cursor: str | None
    total: int


@dataclass(frozen=True, slots=True)
class StageStatus:
    """One stage of a run as the API shows it."""

    name: str
    status: str
    attempts: int = 0
    crashes: int = 0
    seconds: float | None = None
    progress: Progress | None = None
    reused: bool = False
    calls_made: int = 0
    calls_reused: int = 0
    cost: float = 0.0
    started_at: datetime | None = None
    completed_at: datetime | None = None
    last_heartbeat: datetime | None = None
    job_id: str | None = None


@dataclass(frozen=True, slots=True)
class DocumentStatus:
    document_id: str
    status: str
    searchable: bool
    run_id: str | None
    run_state: str | None
    failure_type: str | None
    stage: str | None
    stages: Sequence[StageStatus]
    error: str | None
    waiting: Waiting | None
    progress: Progress | None
    resumes_run_id: str | None
    deadline_seconds: float | None
    updated_at: datetime


@dataclass(frozen=True, slots=True)
class Match:
    """A document, run or job found by the beginning of its id or by its name."""

    kind: str
    id: str
    document_id: str
    document_name: str


@dataclass(frozen=True, slots=True)
class Costs:
    cost: float
    calls: int
    reused: int
    repeated: int
    units: Json
    by_provider: Sequence[Json]


@dataclass(frozen=True, slots=True)
class ConnectionSide:
    """One of the two chunks of a connection."""

    document_id: str
    chunk_id: str
    text: str
    anchor: Json
    document_name: str | None = None


@dataclass(frozen=True, slots=True)
class ShownConnection:
    """A connection as seen from one of its two documents."""

    id: str
    score: float
    kind: str
    reason: str
    pinned: bool
    hidden: bool
    this: ConnectionSide
    other: ConnectionSide


@dataclass(frozen=True, slots=True)
class QueueRow:
    """The number of jobs of a stage in a state, and the due time of the oldest."""

    stage: str
    status: str
    jobs: int
    oldest: datetime | None


@dataclass(frozen=True, slots=True)
class Overview:
    """Queue, workers, failures, throughput and costs."""

    queue: Sequence[QueueRow] = ()
    providers: Sequence[Json] = ()
    throttles: Sequence[Json] = ()
    workers: Sequence[Json] = ()
    failures: Sequence[Json] = ()
    throughput: Sequence[Json] = ()
    documents: Json = field(default_factory=dict[str, object])


@dataclass(frozen=True, slots=True)
class HourlyMetrics:
    """Metrics of the last hour over all organizations, for Prometheus."""

    events: Mapping[str, int] = field(default_factory=dict[str, int])
    foreign_key_violations: int = 0
    expired_leases: Mapping[str, int] = field(default_factory=dict[str, int])
    run_seconds: Mapping[str, float] = field(default_factory=dict[str, float])
    runs: Mapping[str, int] = field(default_factory=dict[str, int])
    retried_calls: Mapping[str, int] = field(default_factory=dict[str, int])
    chunks: Mapping[str, int] = field(default_factory=dict[str, int])
    stages_reused: int = 0


class DocumentQueries(Protocol):
    """Read queries about the documents of an organization, and the edits that the API offers."""

    async def documents(
        self,
        org_id: str,
        *,
        status: str | None = None,
        kind: str | None = None,
        q: str | None = None,
        cursor: str | None = None,
        limit: int = 50,
    ) -> DocumentPage: ...

    async def document(self, org_id: str, document_id: str) -> Document: ...
    async def statuses(
        self, org_id: str, document_ids: Sequence[str], now: datetime
    ) -> list[DocumentStatus]: ...
    async def by_idempotency_key(self, org_id: str, key: str) -> Document | None: ...
    async def markdown_key(self, org_id: str, document_id: str) -> str | None: ...
    async def artifact(self, org_id: str, document_id: str, kind: str) -> Artifact | None:
        """The newest artifact of this kind."""
        ...

    async def chunks(self, org_id: str, document_id: str, after: int, limit: int) -> list[Json]: ...
    async def fields(self, org_id: str, document_id: str) -> list[Json]: ...
    async def connections(
        self, org_id: str, document_id: str, after: str | None, limit: int
    ) -> list[ShownConnection]: ...
    async def mark_connection(
        self, org_id: str, connection_id: str, *, pinned: bool | None, hidden: bool | None, now: datetime
    ) -> ShownConnection:
        """Pins or hides a connection; None leaves the value unchanged."""
        ...

    async def costs(self, org_id: str, document_id: str) -> Costs: ...
    async def lookup(self, org_id: str, text: str, limit: int) -> list[Match]:
        """Documents, runs and jobs by the beginning of their id, and documents by name."""
        ...

    async def document_names(self, org_id: str, document_ids: Collection[str]) -> Mapping[str, str]: ...
    async def jobs(
        self, org_id: str, *, status: str | None, stage: str | None, after: str | None, limit: int
    ) -> list[Job]: ...
    async def waiting_runs(self, org_id: str, run_ids: Sequence[str], now: datetime) -> Mapping[str, Waiting]:
        """Why each of these runs waits; runs that do not wait are left out."""
        ...

    async def overview(self, org_id: str | None, now: datetime) -> Overview: ...
    async def hourly_metrics(self, now: datetime) -> HourlyMetrics: ...

    async def delete(self, org_id: str, document_id: str) -> list[str]:
        """Deletes every row of the document; returns the keys of its blobs."""
        ...

    async def blob_keys(self) -> set[str]:
        """The blob keys that any row refers to."""
        ...
