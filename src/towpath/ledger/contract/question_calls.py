"""The contract of the paid calls for questions: each is made once and its answer is cached, like those of jobs.

A question has no job and so no lease. Its call is held by the process that makes it, for a limited time.
"""

from __future__ import annotations

from datetime import datetime
from typing import Protocol

from towpath.ledger.contract.provider_calls import (
    CallAnswer,
    CallCached,
    CallInProgress,
    CallRequest,
    CallReserved,
)

#: The document of a question that is not about one document; also the run of every question.
NO_DOCUMENT = "00000000-0000-0000-0000-000000000000"

QuestionCallState = CallReserved | CallCached | CallInProgress


class QuestionCalls(Protocol):
    """The paid calls of questions: each is reserved before it is made, and its answer is cached."""

    async def begin(
        self, org_id: str, request: CallRequest, document_id: str | None, now: datetime
    ) -> QuestionCallState:
        """Reserve the call for this process, or return its cached answer, or say who is making it."""
        ...

    async def save_answer(self, org_id: str, key: str, answer: CallAnswer, now: datetime) -> None: ...
    async def fail(self, org_id: str, key: str, error: str) -> None:
        """Record that the call was not answered; it may be made again."""
        ...
