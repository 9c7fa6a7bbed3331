"""Events: what happened to a run. Events are appended and never changed."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from towpath.model.json_types import Json


class EventKind(StrEnum):
    RUN_QUEUED = "RUN_QUEUED"
    RUN_STARTED = "RUN_STARTED"
    STEP_STARTED = "STEP_STARTED"
    STEP_COMPLETED = "STEP_COMPLETED"
    STEP_RETRIED = "STEP_RETRIED"
    STEP_SUSPENDED = "STEP_SUSPENDED"
    STEP_FAILED = "STEP_FAILED"
    LEASE_EXPIRED = "LEASE_EXPIRED"
    RUN_COMPLETED = "RUN_COMPLETED"
    RUN_FAILED = "RUN_FAILED"
    RUN_TIMED_OUT = "RUN_TIMED_OUT"
    RUN_CANCELLED = "RUN_CANCELLED"
    SCHEDULER_CONTENTION = "SCHEDULER_CONTENTION"


@dataclass(frozen=True, slots=True)
class Event:
    """One event of a run. Events are never changed."""

    id: int
    run_id: str
    kind: EventKind
    at: datetime
    stage: str | None = None
    job_id: str | None = None
    detail: Json = field(default_factory=dict[str, object])
