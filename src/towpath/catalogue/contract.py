"""What people ask about documents: lists, status, content, costs. `sql.py` answers on both engines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

from towpath.model.work import Job, Json


@dataclass(frozen=True, slots=True)
class Document:
    id: str
    org_id: str
    kind: str
    name: str
    media_type: str
    size: int
    sha256: str
    blob_key: str
    status: str
    searchable: bool
    summary: Json
    created_at: datetime
    updated_at: datetime


@dataclass(frozen=True, slots=True)
class Artifact:
    """A blob that was made of a document."""

    kind: str
    key: str
    media_type: str
    size: int
    sha256: str


@dataclass(frozen=True, slots=True)
class DocumentPage:
    documents: Sequence[Document]
    next_cursor: str | None
    total: int


@dataclass(frozen=True, slots=True)
class StageStatus:
    """One rung of the ladder."""

    name: str
    status: str
    attempts: int = 0
    crashes: int = 0
    seconds: float | None = None
    done: int | None = None
    total: int | None = None
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
    waiting_for: str | None
    waiting_until: datetime | None
    resumes_run_id: str | None
    updated_at: datetime


@dataclass(frozen=True, slots=True)
class Costs:
    cost: float
    calls: int
    reused: int
    reopened: int
    units: Json
    by_provider: Sequence[Json]


@dataclass(frozen=True, slots=True)
class ConnectionSide:
    """One of the two passages, and where it stands."""

    document_id: str
    chunk_id: str
    text: str
    anchor: Json
    document_name: str | None = None


@dataclass(frozen=True, slots=True)
class ShownConnection:
    """Two passages that speak of the same thing, seen from one of their documents."""

    id: str
    score: float
    kind: str
    reason: str
    pinned: bool
    hidden: bool
    here: ConnectionSide
    there: ConnectionSide


@dataclass(frozen=True, slots=True)
class QueueRow:
    """How many jobs of a stage are in a state, and how long the oldest of them has been due."""

    stage: str
    status: str
    jobs: int
    oldest: datetime | None


@dataclass(frozen=True, slots=True)
class Overview:
    """The state of the whole: what waits, who works, what failed, what was paid."""

    queue: Sequence[QueueRow] = ()
    providers: Sequence[Json] = ()
    gates: Sequence[Json] = ()
    workers: Sequence[Json] = ()
    failures: Sequence[Json] = ()
    throughput: Sequence[Json] = ()
    documents: Json = field(default_factory=dict[str, object])


@dataclass(frozen=True, slots=True)
class Figures:
    """The last hour of all organizations, for Prometheus."""

    events: Mapping[str, int] = field(default_factory=dict[str, int])
    foreign_key_violations: int = 0
    silent: Mapping[str, int] = field(default_factory=dict[str, int])
    run_seconds: Mapping[str, float] = field(default_factory=dict[str, float])
    runs: Mapping[str, int] = field(default_factory=dict[str, int])
    retried_calls: Mapping[str, int] = field(default_factory=dict[str, int])
    chunks: Mapping[str, int] = field(default_factory=dict[str, int])
    stages_reused: int = 0


class Catalogue(Protocol):
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
        """The newest of this kind that was made of the document."""
        ...

    async def chunks(self, org_id: str, document_id: str, after: int, limit: int) -> list[Json]: ...
    async def fields(self, org_id: str, document_id: str) -> list[Json]: ...
    async def connections(
        self, org_id: str, document_id: str, after: str | None, limit: int
    ) -> list[ShownConnection]: ...
    async def mark_connection(
        self, org_id: str, connection_id: str, *, pinned: bool | None, hidden: bool | None, now: datetime
    ) -> ShownConnection:
        """Pin or hide; what is None stays as it is."""
        ...

    async def costs(self, org_id: str, document_id: str) -> Costs: ...
    async def jobs(
        self, org_id: str, *, status: str | None, stage: str | None, after: str | None, limit: int
    ) -> list[Job]: ...
    async def overview(self, org_id: str | None, now: datetime) -> Overview: ...
    async def figures(self, now: datetime) -> Figures: ...

    async def delete(self, org_id: str, document_id: str) -> list[str]:
        """Remove every row of the document; give the keys of the blobs that nothing needs any more."""
        ...

    async def blob_keys(self) -> set[str]:
        """Every key that some row still points to."""
        ...
