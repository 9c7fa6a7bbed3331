"""Why a job waits, from what is stored with it."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from towpath.model.job import JobStatus, WaitingReason
from towpath.model.json_types import Json
from towpath.queries.waiting_reason import why_waiting

NOW = datetime(2026, 11, 19, 12, 0, tzinfo=UTC)


@dataclass(frozen=True)
class Job:
    waiting_reason: WaitingReason | None
    waiting_until: datetime | None
    run_id: str = "run"
    status: JobStatus = JobStatus.PENDING
    payload: Json = field(default_factory=dict[str, object])
    available_at: datetime = NOW
    waiting_provider: str | None = "local"
    waiting_run_id: str | None = None
    waiting_detail: str | None = None


def test_after_the_call_of_another_job_a_job_waits_for_a_worker() -> None:
    elsewhere = WaitingReason.SAME_CALL_ELSEWHERE
    before = why_waiting(Job(elsewhere, NOW + timedelta(seconds=1)), NOW)
    after = why_waiting(Job(elsewhere, NOW), NOW)

    assert before is not None
    assert before.reason is elsewhere
    assert after is not None
    assert (after.reason, after.provider, after.until) == (WaitingReason.FREE_WORKER, None, None)


def test_a_throttled_provider_stays_the_reason() -> None:
    waiting = why_waiting(Job(WaitingReason.PROVIDER_THROTTLED, NOW), NOW)

    assert waiting is not None
    assert (waiting.reason, waiting.provider) == (WaitingReason.PROVIDER_THROTTLED, "local")
