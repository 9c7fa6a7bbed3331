"""Brings documents into states that are hard to produce otherwise, with the ledger's own verbs.

The server's worker is idle (`worker_stages` names a stage that no document of these tests has), so that the states
stay as they were built. Build one document at a time: a claim takes every pending job.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, TypeVar

from tests.support.factories import a_call, a_plan, a_submission
from tests.support.servers import Client
from towpath.ledger.contract.ledger import ClaimRequest
from towpath.ledger.contract.provider_calls import CallAnswer
from towpath.ledger.contract.settlements import Advance, Fail, Settled, Settlement, Suspended
from towpath.ledger.sql_ledger import SqlLedger
from towpath.ledger.sqlite.database import SqliteDatabase
from towpath.model.job import Lease, Progress, ProgressUnit, WaitingReason
from towpath.model.run import FailureType
from towpath.pipelines.document_pipeline import STAGES

T = TypeVar("T")

#: Long enough for a slow machine: these tests are about the page.
LONG_DEADLINE = {"TOWPATH_RUN_DEADLINE_SECONDS": "3000"}
IDLE_WORKER = {
    **LONG_DEADLINE,
    "TOWPATH_WORKER_STAGES": "transcribe_poll",
    "TOWPATH_MAX_UPLOAD_BYTES": "1000000",
}
_LEASE = 3000.0
_STAGES_BEFORE_EMBED = ("save_markdown", "chunk", "embed")


@dataclass(frozen=True, slots=True)
class DocumentStateBuilder:
    """The ledger of a running server, with the test as its only worker."""

    data: Path
    client: Client

    def upload(self, name: str, body: bytes | None = None) -> str:
        return str(self.client.upload(name, body or f"The text of {name}.".encode())["id"])

    def claim(self, document_id: str, *, started: datetime | None = None, lease: float = _LEASE) -> Lease:
        """Claims the document's job, as a worker does."""
        now = started or datetime.now(UTC)
        claimed = self._run(
            lambda ledger: ledger.claim(ClaimRequest("test-worker:4711", limit=100, lease_seconds=lease), now)
        )
        return next(job.lease for job in claimed if job.document_id == document_id)

    def reach_embed(self, document_id: str) -> Lease:
        lease = self.claim(document_id)
        for next_stage in _STAGES_BEFORE_EMBED:
            lease = self.settle(Advance(lease, next_stage, max_attempts=2))
        return lease

    def in_progress(self, document_id: str, done: int, total: int) -> None:
        lease, call, now = self.reach_embed(document_id), a_call(document_id), datetime.now(UTC)
        paid = CallAnswer({}, None, {"tokens": 9000.0}, 0.0012)
        self._run(lambda ledger: ledger.begin_call(lease, call, now))
        self._run(lambda ledger: ledger.save_answer(lease, call.key, paid, now))
        self._run(lambda ledger: ledger.progress(lease, Progress(done, total, ProgressUnit.CHUNK), now))

    def throttled(self, document_id: str, seconds: float) -> None:
        lease, call, now = self.reach_embed(document_id), a_call(document_id), datetime.now(UTC)
        message = "OpenAI answered 429 Too Many Requests"
        self._run(lambda ledger: ledger.begin_call(lease, call, now))
        self._run(lambda ledger: ledger.fail_call(lease, call.key, message))
        until = now + timedelta(seconds=seconds)
        self.settle(Suspended(lease, until, WaitingReason.PROVIDER_THROTTLED, "openai", message))

    def failed(self, document_id: str, error: str, kind: FailureType = FailureType.STAGE_FAILED) -> None:
        lease = self.reach_embed(document_id)
        self.settle(Fail(lease, error, datetime.now(UTC), final=True, failure_type=kind))

    def timed_out(self, name: str) -> str:
        """Submits a document with a deadline of 1 s and lets a sweep end its run."""
        submission = a_submission(name, plan=a_plan(STAGES, deadline_seconds=1))
        submitted = self._run(lambda ledger: ledger.submit(submission, datetime.now(UTC)))
        self.claim(submitted.document_id)
        self._run(lambda ledger: ledger.sweep(datetime.now(UTC) + timedelta(seconds=5)))
        return submitted.document_id

    def quarantined(self, document_id: str) -> None:
        """Settles the only crash that is allowed."""
        lease = self.claim(document_id, lease=30)
        error = "The child process was ended by SIGSEGV."
        failure = FailureType.QUARANTINED
        self.settle(Fail(lease, error, datetime.now(UTC), failure_type=failure, crashed=True, max_crashes=1))

    def settle(self, settlement: Settlement) -> Lease:
        now = datetime.now(UTC)
        [answer] = self._run(lambda ledger: ledger.settle([settlement], now, lease_seconds=_LEASE))
        assert isinstance(answer, Settled)
        return answer.next or settlement.lease

    def _run(self, verb: Callable[[SqlLedger], Coroutine[Any, Any, T]]) -> T:
        """Runs a verb in another thread with its own event loop: Playwright's loop runs on this thread."""
        database = SqliteDatabase(self.data / "towpath.db")
        try:
            with ThreadPoolExecutor(1) as thread:
                return thread.submit(lambda: asyncio.run(verb(SqlLedger(database)))).result()
        finally:
            database.close()
