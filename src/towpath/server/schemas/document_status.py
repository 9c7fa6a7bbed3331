"""Response models for a document's status: its run, its stages, and when to poll again."""

from __future__ import annotations

from datetime import datetime, timedelta

from pydantic import Field
from pydantic_core import to_json

from towpath.model.run import RunState
from towpath.pipelines.stage_labels import stage_label
from towpath.queries.contract import DocumentStatus, StageStatus
from towpath.server.schemas.base import View
from towpath.server.schemas.progress_and_waiting import ProgressView, WaitingView, waiting_fields

MIN_POLL_MS = 1_000
MAX_POLL_MS = 15_000


class StageView(View):
    name: str = Field(description="Code of the stage")
    label: str = Field(description="Name of the stage for people")
    status: str = Field(description="WAITING, PENDING, PROCESSING, COMPLETED, FAILED, CANCELLED or SKIPPED")
    attempts: int = Field(description="Failed attempts so far")
    crashes: int = Field(description="Crashes of this stage while it ran alone in a process")
    seconds: float | None
    progress: ProgressView | None
    reused: bool = Field(description="True if the result was taken from an earlier run")
    calls_made: int
    calls_reused: int
    cost: float = Field(description="US dollars")
    started_at: datetime | None = Field(
        description="When the stage started; for a reused stage, in the run that executed it"
    )
    completed_at: datetime | None
    last_heartbeat: datetime | None = Field(
        description="Last heartbeat of its worker; null unless PROCESSING"
    )
    job_id: str | None
    result: dict[str, object] | None = Field(
        description="What the stage of a package returned; null for a shipped stage and before it is completed"
    )


class CurrentRunView(View):
    id: str
    state: str = Field(description="QUEUED, RUNNING, COMPLETED, FAILED, TIMED_OUT or CANCELLED")
    failure_type: str | None
    rejection_code: str | None = Field(
        description="Why the input was rejected, such as `encrypted`; null unless `failure_type` is REJECTED"
    )
    resumes_run_id: str | None
    deadline_seconds: float | None = Field(description="Time limit of the run; null if it has none")


class StatusView(WaitingView):
    document_id: str
    status: str = Field(description="PROCESSING, COMPLETED, FAILED, TIMED_OUT or CANCELLED")
    searchable: bool
    run: CurrentRunView | None
    stage: str | None = Field(description="Code of the current stage, or of the stage at which the run ended")
    stages: list[StageView]
    error: str | None
    progress: ProgressView | None = Field(description="Progress of the current stage")
    poll_after_ms: int | None = Field(
        description="Milliseconds until the next poll; null if the status changes only by a new request"
    )
    updated_at: datetime


def status_view(status: DocumentStatus, now: datetime) -> StatusView:
    return StatusView.model_validate(_status(status, now))


def status_json(status: DocumentStatus, now: datetime) -> bytes:
    """The JSON of a ``StatusView``. The model is left out: validating it takes most of a poll."""
    return to_json(_status(status, now))


def _status(status: DocumentStatus, now: datetime) -> dict[str, object]:
    """The values of a ``StatusView``."""
    run = None
    if status.run_id is not None:
        run = {
            "id": status.run_id,
            "state": status.run_state or "",
            "failure_type": status.failure_type,
            "rejection_code": status.rejection_code,
            "resumes_run_id": status.resumes_run_id,
            "deadline_seconds": status.deadline_seconds,
        }
    return {
        **waiting_fields(status.waiting),
        "document_id": status.document_id,
        "status": status.status,
        "searchable": status.searchable,
        "run": run,
        "stage": status.stage,
        "stages": [_stage(stage) for stage in status.stages],
        "error": status.error,
        "progress": status.progress,
        "poll_after_ms": poll_after_ms(status, now),
        "updated_at": status.updated_at,
    }


def _stage(stage: StageStatus) -> dict[str, object]:
    values = stage._asdict()
    values["label"] = stage_label(stage.name)
    return values


def poll_after_ms(status: DocumentStatus, now: datetime) -> int | None:
    """1 s while a run is active, up to 15 s while it waits until a known time, None when no run is active."""
    if status.run_state not in (RunState.QUEUED, RunState.RUNNING):
        # The document row is read just before the run row: PROCESSING here means that the run ended in between.
        return MIN_POLL_MS if status.status == "PROCESSING" else None
    until = None if status.waiting is None else status.waiting.until
    if until is not None and until > now:
        remaining_ms = (until - now) / timedelta(milliseconds=1)
        return int(min(MAX_POLL_MS, max(MIN_POLL_MS, remaining_ms)))
    return MIN_POLL_MS
