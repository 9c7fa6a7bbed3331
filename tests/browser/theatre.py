"""Documents in states that are hard to meet by chance, brought about by the ledger's own verbs.

The server on this stage works on nothing (`worker_stages` names one that no document here comes to), so that what
a test arranges stays as it was arranged. One document at a time: a claim takes everything that waits.
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
from towpath.ledger.contract import Advance, CallAnswer, Fail, Settled, Settlement, Suspended
from towpath.ledger.ledger import SqlLedger
from towpath.ledger.sqlite.database import SqliteDatabase
from towpath.model.work import FailureType, Lease
from towpath.pipelines.document import STAGES

T = TypeVar("T")

#: These stories are about what is seen; a slow machine may take its time.
PATIENT = {"TOWPATH_RUN_DEADLINE_SECONDS": "3000"}
IDLE = {
    **PATIENT,
    "TOWPATH_WORKER_STAGES": "transcribe_poll",
    "TOWPATH_MAX_UPLOAD_BYTES": "1000000",
}
_LEASE = 3000.0
_ONWARD = ("save_markdown", "chunk", "embed")


@dataclass(frozen=True, slots=True)
class Stage:
    """The ledger of a running server, with the test as its only worker."""

    data: Path
    client: Client

    def upload(self, name: str, body: bytes | None = None) -> str:
        return str(self.client.upload(name, body or f"The text of {name}.".encode())["id"])

    def begin(self, document_id: str, *, started: datetime | None = None, lease: float = _LEASE) -> Lease:
        """Claim the document's job, as a worker would."""
        now = started or datetime.now(UTC)
        claimed = self._with(
            lambda ledger: ledger.claim("workshop:4711", limit=100, lease_seconds=lease, now=now)
        )
        return next(job.lease for job in claimed if job.document_id == document_id)

    def reach_embed(self, document_id: str) -> Lease:
        lease = self.begin(document_id)
        for following in _ONWARD:
            lease = self.settle(Advance(lease, following, max_attempts=2))
        return lease

    def at_work(self, document_id: str, done: int, total: int) -> None:
        lease, call, now = self.reach_embed(document_id), a_call(document_id), datetime.now(UTC)
        paid = CallAnswer({}, None, {"tokens": 9000.0}, 0.0012)
        self._with(lambda ledger: ledger.call_begin(lease, call, now))
        self._with(lambda ledger: ledger.call_answer(lease, call.key, paid, now))
        self._with(lambda ledger: ledger.progress(lease, done, total, now))

    def throttled(self, document_id: str, seconds: float) -> None:
        lease, call, now = self.reach_embed(document_id), a_call(document_id), datetime.now(UTC)
        said = "openai, which answered 429 Too Many Requests"
        self._with(lambda ledger: ledger.call_begin(lease, call, now))
        self._with(lambda ledger: ledger.call_failed(lease, call.key, said))
        self.settle(Suspended(lease, now + timedelta(seconds=seconds), said))

    def failed(self, document_id: str, error: str, kind: FailureType = FailureType.STAGE_FAILED) -> None:
        lease = self.reach_embed(document_id)
        self.settle(Fail(lease, error, datetime.now(UTC), final=True, failure_type=kind))

    def timed_out(self, name: str) -> str:
        """A document of its own plan, with a deadline that a sweep soon finds passed."""
        submission = a_submission(name, plan=a_plan(STAGES, deadline_seconds=1))
        submitted = self._with(lambda ledger: ledger.submit(submission, datetime.now(UTC)))
        self.begin(submitted.document_id)
        self._with(lambda ledger: ledger.sweep(datetime.now(UTC) + timedelta(seconds=5)))
        return submitted.document_id

    def quarantined(self, document_id: str) -> None:
        """Its worker fell silent, once too often."""
        lease = self.begin(document_id, lease=30)
        late = lease.until + timedelta(seconds=1)
        self._with(lambda ledger: ledger.sweep(late, max_crashes=0))

    def settle(self, settlement: Settlement) -> Lease:
        now = datetime.now(UTC)
        [answer] = self._with(lambda ledger: ledger.settle([settlement], now, lease_seconds=_LEASE))
        assert isinstance(answer, Settled)
        return answer.next or settlement.lease

    def _with(self, act: Callable[[SqlLedger], Coroutine[Any, Any, T]]) -> T:
        """Playwright's loop runs on this thread, so the ledger's verbs get a thread and a loop of their own."""
        database = SqliteDatabase(self.data / "towpath.db")
        try:
            with ThreadPoolExecutor(1) as thread:
                return thread.submit(lambda: asyncio.run(act(SqlLedger(database)))).result()
        finally:
            database.close()
