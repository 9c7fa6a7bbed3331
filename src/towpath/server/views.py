"""What the API answers, as models: the OpenAPI document and the generated client are made of these."""

from __future__ import annotations

from datetime import datetime, timedelta

from pydantic import BaseModel, ConfigDict, Field

from towpath.catalogue.contract import Document, DocumentStatus
from towpath.model.payload import payload_of
from towpath.model.work import Event, Job, Run, RunState


class View(BaseModel):
    model_config = ConfigDict(from_attributes=True)


class DocumentView(View):
    id: str
    name: str
    kind: str
    media_type: str
    size: int
    sha256: str
    status: str = Field(description="PROCESSING, COMPLETED, FAILED, TIMED_OUT or CANCELLED")
    searchable: bool = Field(
        description="Whether complete content answers searches, perhaps of an earlier run"
    )
    title: str | None = None
    language: str | None = None
    pages: int | None = None
    words: int | None = None
    chunks: int | None = None
    seconds: float | None = Field(None, description="How long a recording is")
    speakers: int | None = None
    warnings: list[str] = []
    created_at: datetime
    updated_at: datetime


class UploadView(DocumentView):
    run_id: str | None
    duplicate: bool = Field(description="The same bytes were here already; this is the same document")


class DocumentPageView(View):
    documents: list[DocumentView]
    next_cursor: str | None
    total: int


class StageView(View):
    name: str
    status: str = Field(description="WAITING, PENDING, PROCESSING, COMPLETED, FAILED, CANCELLED or SKIPPED")
    attempts: int
    crashes: int
    seconds: float | None
    done: int | None
    total: int | None
    reused: bool
    calls_made: int
    calls_reused: int
    cost: float
    started_at: datetime | None = Field(
        description="When its work began; of a reused stage, in the run that did it"
    )
    completed_at: datetime | None
    last_heartbeat: datetime | None = Field(
        description="When its worker was last heard of; only while it works"
    )
    job_id: str | None


class RunView(View):
    id: str
    state: str
    failure_type: str | None
    error: str | None
    pipeline: str
    pipeline_version: int
    resumes_run_id: str | None
    deadline_at: datetime | None
    created_at: datetime
    started_at: datetime | None
    ended_at: datetime | None


class RunBrief(View):
    id: str
    state: str
    failure_type: str | None
    resumes_run_id: str | None


class StatusView(View):
    document_id: str
    status: str
    searchable: bool
    run: RunBrief | None
    stage: str | None
    stages: list[StageView]
    error: str | None
    waiting_for: str | None = Field(description="Why it is not moving, in words")
    waiting_until: datetime | None
    poll_after_ms: int | None = Field(
        description="When to ask again; null when nothing will change by itself"
    )
    updated_at: datetime


class EventView(View):
    id: int
    kind: str
    at: datetime
    stage: str | None
    job_id: str | None
    detail: dict[str, object]


class RunHistoryView(RunView):
    events: list[EventView]


class PayloadView(View):
    """What a queue carries for a stage; see docs/reference/payloads.md."""

    version: int
    organization: str
    document: str
    run: str
    stage: str
    arguments: dict[str, object]


class JobView(View):
    id: str
    document_id: str
    run_id: str
    stage: str
    status: str
    attempts: int
    max_attempts: int
    crashes: int
    payload: PayloadView
    waiting_for: str | None
    error_log: str | None
    available_at: datetime
    locked_by: str | None
    lease_until: datetime | None
    created_at: datetime
    started_at: datetime | None
    completed_at: datetime | None
    updated_at: datetime


class ReprocessRequest(BaseModel):
    from_stage: str | None = Field(
        None, description="Take over the stages before this one from the last success"
    )
    fresh: bool = Field(False, description="Take over nothing")


class RunStarted(View):
    run_id: str


class Retried(View):
    run_ids: list[str]


class ChunkView(View):
    id: str
    ordinal: int
    text: str
    tokens: int
    anchor: dict[str, object]
    model: str | None


class FieldView(View):
    name: str
    value: str
    kind: str
    confidence: float
    anchor: dict[str, object]


class PassageView(View):
    document_id: str
    chunk_id: str
    text: str
    anchor: dict[str, object]


class OtherPassageView(PassageView):
    document_name: str | None


class ConnectionView(View):
    id: str
    score: float = Field(description="From 0.5, just above chance for the model, to 1, the same text")
    kind: str = Field(description="same_passage or same_topic")
    reason: str = Field(description="Why, in words that both passages have")
    pinned: bool
    hidden: bool
    here: PassageView
    there: OtherPassageView


class ConnectionChange(BaseModel):
    pinned: bool | None = Field(None, description="Keep it, and show it first")
    hidden: bool | None = Field(None, description="Do not show it again")


class CostsView(View):
    cost: float = Field(description="US dollars for calls this document was the first to need")
    calls: int
    reused: int = Field(description="Answers that were remembered and cost nothing")
    reopened: int = Field(
        description="Calls made again because an earlier try may have been lost after it was paid"
    )
    units: dict[str, float]
    by_provider: list[dict[str, object]]


class HitView(View):
    document_id: str
    document_name: str
    document_kind: str
    chunk_id: str
    ordinal: int
    score: float
    snippet: str
    highlights: list[tuple[int, int]] = Field(description="Spans of the snippet that match")
    anchor: dict[str, object]


class SearchView(View):
    query: str
    mode: str
    hits: list[HitView]


_SUMMARY = ("title", "language", "pages", "words", "chunks", "seconds", "speakers")


def document_view(document: Document) -> DocumentView:
    return DocumentView.model_validate(document_dict(document))


def document_dict(document: Document) -> dict[str, object]:
    summary = document.summary
    return {
        "id": document.id,
        "name": document.name,
        "kind": document.kind,
        "media_type": document.media_type,
        "size": document.size,
        "sha256": document.sha256,
        "status": document.status,
        "searchable": document.searchable,
        "created_at": document.created_at,
        "updated_at": document.updated_at,
        **{name: summary.get(name) for name in _SUMMARY},
        "warnings": summary.get("warnings") or [],
    }


def status_view(status: DocumentStatus, now: datetime) -> StatusView:
    run = None
    if status.run_id is not None:
        run = RunBrief(
            id=status.run_id,
            state=status.run_state or "",
            failure_type=status.failure_type,
            resumes_run_id=status.resumes_run_id,
        )
    return StatusView(
        document_id=status.document_id,
        status=status.status,
        searchable=status.searchable,
        run=run,
        stage=status.stage,
        stages=[StageView.model_validate(stage) for stage in status.stages],
        error=status.error,
        waiting_for=status.waiting_for,
        waiting_until=status.waiting_until,
        poll_after_ms=poll_after_ms(status, now),
        updated_at=status.updated_at,
    )


def poll_after_ms(status: DocumentStatus, now: datetime) -> int | None:
    """Soon while something moves, later while it waits for a known moment, never when it is over."""
    if status.run_state not in (RunState.QUEUED, RunState.RUNNING):
        # Read a moment before its run ended, the document still says PROCESSING: worth one more question.
        return 1_000 if status.status == "PROCESSING" else None
    if status.waiting_until is not None and status.waiting_until > now:
        return int(min(15_000, max(1_000, (status.waiting_until - now) / timedelta(milliseconds=1))))
    return 1_000


def run_view(run: Run) -> RunView:
    return RunView.model_validate(run)


def history_view(run: Run, events: list[Event]) -> RunHistoryView:
    return RunHistoryView(
        **run_view(run).model_dump(), events=[EventView.model_validate(event) for event in events]
    )


def job_view(job: Job) -> JobView:
    plain = {name: getattr(job, name) for name in JobView.model_fields if name != "payload"}
    return JobView.model_validate(plain | {"payload": payload_of(job)})
