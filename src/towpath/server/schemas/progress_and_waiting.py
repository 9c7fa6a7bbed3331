"""Response models that several resources share: progress, and why and until when a job waits."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from pydantic import Field

from towpath.model.job import ProgressUnit, WaitingReason
from towpath.queries.waiting_reason import Waiting
from towpath.server.schemas.base import View


class ProgressView(View):
    done: int
    total: int
    unit: ProgressUnit


class WaitingView(View):
    """The waiting codes of a job; all of them null if nothing waits."""

    waiting_reason: WaitingReason | None = Field(description="Why the job waits; null if it does not wait")
    waiting_provider: str | None = Field(description="The provider that the job waits for")
    waiting_until: datetime | None = Field(description="When the job becomes due, if known")
    waiting_run_id: str | None = Field(description="The earlier run of the same document")
    waiting_detail: str | None = Field(description="The provider's own message, for people only")


def waiting_fields(waiting: Waiting | None) -> dict[str, Any]:
    """The values of the fields of ``WaitingView``."""
    return {
        "waiting_reason": waiting and waiting.reason,
        "waiting_provider": waiting and waiting.provider,
        "waiting_until": waiting and waiting.until,
        "waiting_run_id": waiting and waiting.run_id,
        "waiting_detail": waiting and waiting.detail,
    }
