"""A run: one processing of one document by one pipeline."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from towpath.model.json_types import Json


class RunState(StrEnum):
    QUEUED = "QUEUED"
    RUNNING = "RUNNING"
    COMPLETED = "COMPLETED"
    FAILED = "FAILED"
    TIMED_OUT = "TIMED_OUT"
    CANCELLED = "CANCELLED"


class RunReason(StrEnum):
    """Why a run was queued."""

    SUBMITTED = "submitted"
    REPROCESSED = "reprocessed"
    RETRIED = "retried"
    #: The embedded server stopped during the run before.
    RESUMED = "resumed"
    #: The run before reached its deadline after progress.
    CONTINUED = "continued"


class FailureType(StrEnum):
    PROCESS_TERMINATED = "PROCESS_TERMINATED"
    STAGE_FAILED = "STAGE_FAILED"
    REJECTED = "REJECTED"
    QUARANTINED = "QUARANTINED"
    PROVIDER_REFUSED = "PROVIDER_REFUSED"
    PROVIDER_UNAVAILABLE = "PROVIDER_UNAVAILABLE"


@dataclass(frozen=True, slots=True)
class Run:
    """One processing of one document. Its history is append-only and its state never goes back."""

    id: str
    org_id: str
    document_id: str
    pipeline: str
    pipeline_version: int
    state: RunState
    created_at: datetime
    failure_type: FailureType | None = None
    error: str | None = None
    #: Why the input was rejected: the `code` of `Rejected`.
    rejection_code: str | None = None
    resumes_run_id: str | None = None
    reason: RunReason | None = None
    options: Json = field(default_factory=dict[str, object])
    deadline_at: datetime | None = None
    started_at: datetime | None = None
    ended_at: datetime | None = None
