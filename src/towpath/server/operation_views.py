"""What the API answers about the machinery: the queue, the workers, the failures and the providers."""

from __future__ import annotations

from datetime import datetime

from pydantic import Field

from towpath.server.views import View


class QueueView(View):
    stage: str
    status: str
    jobs: int
    oldest: datetime | None


class HeldView(View):
    """A job in a worker's hands."""

    document_id: str
    document_name: str
    stage: str
    since: datetime | None
    done: int | None
    total: int | None


class WorkerView(View):
    worker: str
    host: str | None
    pid: int | None
    slots: int | None = Field(description="How many jobs it takes on at once")
    stages: list[str] = Field(description="The stages it serves; empty for all of them")
    started_at: datetime | None
    seen_at: datetime = Field(
        description="Its last sign of life; after two minutes without one it is not listed"
    )
    jobs: list[HeldView] = Field(description="Jobs of this organization that it holds")


class ProviderView(View):
    provider: str
    model: str
    made: int
    reused: int
    paid_twice: int
    cost: float
    waiting: int = Field(description="Jobs that wait for it")
    busy_until: datetime | None = Field(description="When the last of them is tried again")


class GateView(View):
    provider: str
    closed_until: datetime
    reason: str


class FailureView(View):
    stage: str
    error: str
    failure_type: str | None
    jobs: int


class BarView(View):
    at: datetime
    queued: int
    completed: int
    failed: int


class OperationsView(View):
    queue: list[QueueView]
    workers: list[WorkerView]
    providers: list[ProviderView]
    gates: list[GateView] = Field(description="Providers that are busy or refuse us, until when, and why")
    failures: list[FailureView]
    throughput: list[BarView] = Field(
        description="Runs that came and ended, minute by minute, over the last hour"
    )
    documents: dict[str, int]
