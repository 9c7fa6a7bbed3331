"""Request and response models for jobs."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from pydantic import BaseModel, Field

from towpath.model.job import Job
from towpath.model.job_payload import payload_of
from towpath.queries.waiting_reason import why_waiting
from towpath.server.schemas.base import View
from towpath.server.schemas.progress_and_waiting import ProgressView, WaitingView, waiting_fields


class PayloadView(View):
    """The message that a queue carries for a job; see docs/reference/payloads.md."""

    version: int
    organization: str
    document: str
    run: str
    stage: str
    arguments: dict[str, object]


class JobView(WaitingView):
    id: str
    document_id: str
    document_name: str | None
    run_id: str
    stage: str
    status: str = Field(description="PENDING, PROCESSING, COMPLETED, FAILED or CANCELLED")
    attempts: int = Field(description="Failed attempts so far")
    max_attempts: int
    crashes: int = Field(description="Crashes of this job while it ran alone in a process")
    payload: PayloadView
    progress: ProgressView | None
    error_log: str | None
    available_at: datetime = Field(description="The earliest time at which a worker may claim the job")
    locked_by: str | None = Field(
        description="The worker that holds the lease; null for callers without the scope `operate`"
    )
    lease_until: datetime | None
    created_at: datetime
    started_at: datetime | None
    completed_at: datetime | None
    updated_at: datetime


class RetryRequest(BaseModel):
    job_ids: list[Annotated[str, Field(max_length=36)]] | None = Field(
        default=None, max_length=1000, description="Retry only these jobs"
    )


class RetriedView(View):
    run_ids: list[str]


def job_view(job: Job, document_name: str | None, now: datetime) -> JobView:
    computed = {"payload": payload_of(job), "document_name": document_name}
    values = {name: getattr(job, name) for name in JobView.model_fields.keys() - computed}
    waiting = waiting_fields(why_waiting(job, now))
    return JobView.model_validate(values | waiting | computed)
