"""The contract of the queries about documents, jobs and operations. `documents.py` implements it."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Any, Literal, NamedTuple, Protocol

from towpath.model.audit import Actor
from towpath.model.document import Artifact, Document, DocumentLink
from towpath.model.document_filters import NO_FILTERS, Filters
from towpath.model.document_version import DocumentVersion
from towpath.model.job import Job, Progress
from towpath.model.json_types import Json
from towpath.model.speaker_name import SpeakerNames
from towpath.queries.waiting_reason import Waiting

#: The order of a list of documents; with `-` the largest, newest or last one is first.
Sort = Literal["created", "-created", "name", "-name", "size", "-size", "status", "-status"]


@dataclass(frozen=True, slots=True)
class DocumentPage:
    documents: Sequence[Document]
    next_cursor: str | None
    total: int


@dataclass(frozen=True, slots=True)
class DocumentLinks:
    """The documents that contain a document, and the documents inside it."""

    parents: Sequence[DocumentLink]
    children: Sequence[DocumentLink]


class StageStatus(NamedTuple):
    """One stage of a run as the API shows it. A tuple, because polls make hundreds of them."""

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
    #: What the stage of a package returned.
    result: Json | None = None


@dataclass(frozen=True, slots=True)
class DocumentStatus:
    document_id: str
    status: str
    searchable: bool
    run_id: str | None
    run_state: str | None
    failure_type: str | None
    rejection_code: str | None
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
    similarity: float | None
    shared_terms: Sequence[str]
    shared_identifiers: Sequence[str]
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
    """Metrics of the last hour, of one organization or of all, for Prometheus."""

    events: Mapping[str, int] = field(default_factory=dict[str, int])
    foreign_key_violations: int = 0
    expired_leases: Mapping[str, int] = field(default_factory=dict[str, int])
    run_seconds: Mapping[str, float] = field(default_factory=dict[str, float])
    runs: Mapping[str, int] = field(default_factory=dict[str, int])
    retried_calls: Mapping[str, int] = field(default_factory=dict[str, int])
    chunks: Mapping[str, int] = field(default_factory=dict[str, int])
    stages_reused: int = 0


def anonymous_workers(workers: Sequence[Json]) -> list[Json]:
    """The workers that hold a job of the organization, numbered, without their names, hosts and process ids."""
    busy = [worker for worker in workers if worker["jobs"]]
    hidden: Json = {
        "host": None,
        "pid": None,
        "slots": None,
        "started_at": None,
        "stages": [],
        "settings": {},
    }
    return [{**worker, **hidden, "worker": f"worker {number}"} for number, worker in enumerate(busy, 1)]


@dataclass(frozen=True, slots=True)
class RunFilter:
    """Which runs are listed. ``name`` and ``error`` are parts of the document's name and of the error."""

    name: str = ""
    error: str = ""
    stage: str = ""
    state: str = ""
    created_from: datetime | None = None
    created_before: datetime | None = None
    #: Runs older than this one.
    after: str | None = None


@dataclass(frozen=True, slots=True)
class DayFigures:
    """Runs that ended and US dollars that were paid on one day (UTC)."""

    day: date
    completed: int
    failed: int
    cost: float


@dataclass(frozen=True, slots=True)
class StageTimes:
    """Seconds that the newest jobs of a stage worked, and that they waited before they started."""

    stage: str
    jobs: int
    p50: float
    p95: float
    longest: float
    waited_p50: float
    waited_p95: float


@dataclass(frozen=True, slots=True)
class OperationsHistory:
    days: Sequence[DayFigures]
    stages: Sequence[StageTimes]


@dataclass(frozen=True, slots=True)
class WorkedDocument:
    """A document of which a worker holds a job."""

    document_id: str
    name: str
    stage: str


@dataclass(frozen=True, slots=True)
class LibraryActivity:
    """A version of the library, which changes with its documents, and what is being processed."""

    version: str
    waiting: int
    running: int
    worked: tuple[WorkedDocument, ...]


class DocumentQueries(Protocol):
    """Read queries about the documents of an organization, and the edits that the API offers."""

    async def documents(
        self,
        org_id: str,
        filters: Filters = NO_FILTERS,
        *,
        sort: Sort = "-created",
        cursor: str | None = None,
        limit: int = 50,
    ) -> DocumentPage:
        """The documents that pass the filters, in this order; the cursor of a page is valid for its order only."""
        ...

    async def list_runs(self, org_id: str, wanted: RunFilter, limit: int) -> list[dict[str, Any]]: ...
    async def operations_history(self, org_id: str, now: datetime) -> OperationsHistory: ...
    async def library_activity(self, org_id: str) -> LibraryActivity: ...
    async def document(self, org_id: str, document_id: str) -> Document: ...
    async def statuses(
        self, org_id: str, document_ids: Sequence[str], now: datetime
    ) -> list[DocumentStatus]: ...
    async def newest_version(self, org_id: str, document_id: str) -> Document:
        """The document with name, type, size and blob of its newest version, which may not be published yet."""
        ...

    async def versions(self, org_id: str, document_id: str) -> list[DocumentVersion]:
        """The versions of a document, oldest first. A document without a key has one."""
        ...

    async def sha256_of_idempotency_key(self, org_id: str, key: str) -> str | None:
        """The hash of the bytes that were uploaded with this Idempotency-Key."""
        ...

    async def markdown_key(self, org_id: str, document_id: str) -> str | None: ...
    async def extraction_reference(self, org_id: str, document_id: str) -> str | None:
        """Where the pages of the published text are: a blob, or in the reference itself; None for a call."""
        ...

    async def speaker_names(self, org_id: str, document_id: str) -> SpeakerNames:
        """The names that people gave to the speakers of a call."""
        ...

    async def artifact(self, org_id: str, document_id: str, kind: str) -> Artifact | None:
        """The newest artifact of this kind; of a document with versions the one of the published version."""
        ...

    async def chunks(self, org_id: str, document_id: str, after: int, limit: int) -> list[Json]: ...
    async def fields(self, org_id: str, document_id: str) -> list[Json]:
        """The fields of a document, with the values that people gave them."""
        ...

    async def connections(
        self, org_id: str, document_id: str, after: str | None, limit: int, kind: str | None = None
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
    async def hourly_metrics(self, org_id: str | None, now: datetime) -> HourlyMetrics: ...

    async def links(self, org_id: str, document_id: str) -> DocumentLinks:
        """Parents and children: the mail or archive that contains the document, and the files inside it."""
        ...

    async def stored_bytes(self, org_id: str) -> int:
        """The sum of the sizes of the organization's originals, of all versions."""
        ...

    async def delete(self, org_id: str, document_id: str, actor: Actor, now: datetime) -> list[str]:
        """Deletes every row of the document, and its children unless they were uploaded or have another parent.

        Returns the keys of the blobs that are no longer used.
        """
        ...

    async def blob_keys(self) -> set[str]:
        """The blob keys that any row refers to."""
        ...
