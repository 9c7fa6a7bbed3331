"""Response and request models for runs and their events."""

from __future__ import annotations

from datetime import datetime

from pydantic import BaseModel, Field, SecretStr

from towpath.model.event import Event
from towpath.model.run import Run
from towpath.queries.waiting_reason import Waiting
from towpath.server.schemas.base import View
from towpath.server.schemas.progress_and_waiting import WaitingView, waiting_fields


class RunView(WaitingView):
    id: str
    state: str = Field(description="QUEUED, RUNNING, COMPLETED, FAILED, TIMED_OUT or CANCELLED")
    failure_type: str | None
    error: str | None
    rejection_code: str | None = Field(
        description="Why the input was rejected, such as `encrypted`; null unless `failure_type` is REJECTED"
    )
    pipeline: str
    pipeline_version: int
    resumes_run_id: str | None = Field(description="The earlier run whose completed stages this run reuses")
    reason: str | None = Field(
        description="Why the run was queued: submitted, reprocessed, retried, resumed (the server stopped during the "
        "run before) or continued (the run before reached its deadline after progress)"
    )
    deadline_at: datetime | None
    created_at: datetime
    started_at: datetime | None
    ended_at: datetime | None


class RunSummaryView(View):
    id: str
    document_id: str
    document_name: str
    state: str
    failure_type: str | None
    error: str | None
    reason: str | None
    pipeline: str
    stage: str | None = Field(description="The stage where the run is, or where it ended")
    created_at: datetime
    started_at: datetime | None
    ended_at: datetime | None


class EventView(View):
    id: int
    kind: str
    at: datetime
    stage: str | None
    job_id: str | None
    detail: dict[str, object]


class RunHistoryView(RunView):
    events: list[EventView]


class ReprocessRequest(BaseModel):
    from_stage: str | None = Field(
        None, description="First stage to execute; the results of the stages before it are reused"
    )
    fresh: bool = Field(False, description="Reuse no results and no cached answers; providers are paid again")
    full_text: bool = Field(
        False, description="Read a web page as a whole, with its navigation, not only its main content"
    )
    pipeline: str | None = Field(
        None, description="Pipeline of the new run; without it, that of the document's last run"
    )
    password: SecretStr | None = Field(
        None,
        min_length=1,
        max_length=500,
        description="Password of a locked PDF. It is stored encrypted until the file is read, and never returned",
    )


class RunStartedView(View):
    run_id: str


def run_view(run: Run, waiting: Waiting | None) -> RunView:
    names = RunView.model_fields.keys() - WaitingView.model_fields.keys()
    return RunView.model_validate({name: getattr(run, name) for name in names} | waiting_fields(waiting))


def run_history_view(run: Run, waiting: Waiting | None, events: list[Event]) -> RunHistoryView:
    return RunHistoryView(
        **run_view(run, waiting).model_dump(), events=[EventView.model_validate(event) for event in events]
    )
