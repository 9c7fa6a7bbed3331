"""Response models for operations: queue, workers, providers, failures and throughput."""

from __future__ import annotations

from datetime import datetime

from pydantic import Field

from towpath.model.job import WaitingReason
from towpath.server.schemas.base import View
from towpath.server.schemas.waiting import ProgressView


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
        description="Settings that are not the same in this server and in a worker; runs keep what they were promised"
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


class FailureView(View):
    stage: str
    error: str
    failure_type: str | None
    jobs: int
    job_ids: list[str] = Field(description="Ids of these jobs, for `POST /jobs/retry`")


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
