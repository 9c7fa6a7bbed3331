"""Response models for operations: queue, workers, providers, failures and throughput."""

from __future__ import annotations

from datetime import date, datetime

from pydantic import Field

from towpath.ledger.contract.pauses import PauseKind
from towpath.model.job import WaitingReason
from towpath.server.schemas.base import View
from towpath.server.schemas.progress_and_waiting import ProgressView


class HealthView(View):
    status: str
    version: str
    commit: str | None = Field(description="Commit that the program was built from, if it is known")
    schema_version: str = Field(description="Schema of the database, such as 0006")


class SettingDifferenceView(View):
    """A setting whose value in a worker differs from that of this server."""

    setting: str
    value: object = Field(description="The value in this server")
    worker: str
    worker_value: object


class ReadyView(View):
    status: str = Field(description="`ready`")
    differences: list[SettingDifferenceView] = Field(
        description="Settings that are not the same in this server and in a worker; runs keep what they were promised. "
        "Shown to operators only"
    )
    sandbox: dict[str, bool] = Field(
        description="Limits of the child processes that read files, and whether each holds on this machine"
    )


class QueueView(View):
    stage: str
    status: str
    jobs: int
    oldest: datetime | None = Field(description="When the oldest of these jobs became due")


class WorkerJobView(View):
    """A job that a worker holds a lease for."""

    document_id: str
    document_name: str
    stage: str
    since: datetime | None
    progress: ProgressView | None


class WorkerView(View):
    worker: str
    host: str | None
    pid: int | None
    slots: int | None = Field(description="Maximum number of concurrent jobs")
    stages: list[str] = Field(description="Stages that the worker claims; empty means all")
    started_at: datetime | None
    seen_at: datetime = Field(
        description="Last heartbeat; a worker without one for two minutes is not listed"
    )
    jobs: list[WorkerJobView] = Field(description="Jobs of this organization that the worker holds")


class ProviderView(View):
    provider: str
    model: str
    made: int = Field(description="Calls that the provider answered")
    reused: int = Field(description="Cached answers used at no cost")
    repeated: int = Field(
        description="Calls repeated because an earlier one may have been paid for before its answer was lost"
    )
    cost: float = Field(description="US dollars")
    waiting_jobs: int = Field(description="Jobs that wait for the provider")
    waiting_until: datetime | None = Field(description="When the last of these jobs is retried")


class ThrottleView(View):
    provider: str
    throttled_until: datetime
    reason: WaitingReason = Field(description="`provider_throttled` or `provider_refused`")
    detail: str = Field(description="The provider's own message, for people only")


class FailedDocumentView(View):
    document_id: str
    name: str


class PauseRequest(View):
    kind: PauseKind
    name: str = Field(pattern=r"^[a-z][a-z0-9_-]{0,49}$", description="Name of the stage or of the provider")


class PauseView(PauseRequest):
    paused_at: datetime
    paused_by: str = Field(
        description="Name of the key, or `local`; empty for callers without the scope `operate`"
    )


class DiskView(View):
    free_bytes: int
    total_bytes: int


class DayView(View):
    day: date
    completed: int
    failed: int = Field(description="Runs that failed, timed out or were cancelled")
    cost: float = Field(description="US dollars")


class StageTimesView(View):
    stage: str
    jobs: int = Field(description="Number of newest jobs that are counted, at most 5,000 of all stages")
    p50: float = Field(description="Half of the jobs worked at most this many seconds")
    p95: float
    longest: float
    waited_p50: float = Field(
        description="Half of the jobs waited at most this many seconds before their start"
    )
    waited_p95: float


class OperationsHistoryView(View):
    days: list[DayView] = Field(description="The last 14 days (UTC), of the newest 20,000 runs and calls")
    stages: list[StageTimesView]


class FailureView(View):
    stage: str
    error: str
    failure_type: str | None
    jobs: int
    job_ids: list[str] = Field(
        description="Ids of these jobs, for `POST /jobs/retry`; empty if it cannot help"
    )
    can_retry: bool = Field(description="Whether a retry can help: a rejected file would be rejected again")
    documents: list[FailedDocumentView] = Field(description="The latest 50 of these documents")


class ThroughputView(View):
    at: datetime
    queued: int
    completed: int
    failed: int


class OperationsView(View):
    queue: list[QueueView]
    workers: list[WorkerView]
    providers: list[ProviderView]
    throttles: list[ThrottleView] = Field(
        description="Providers that no worker calls at present, until when, and why"
    )
    failures: list[FailureView]
    throughput: list[ThroughputView] = Field(
        description="Runs queued and ended in each minute of the last hour"
    )
    documents: dict[str, int] = Field(description="Number of documents by status")
    pauses: list[PauseView] = Field(default=[], description="Stages and providers that a person paused")
    version: str = Field(default="", description="Version of the server")
    disk: DiskView | None = Field(default=None, description="Space of the data folder; for operators only")
