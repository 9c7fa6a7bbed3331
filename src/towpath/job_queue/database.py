"""The job queue in the ledger's own database: a PENDING row is the offer, and one statement claims it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from towpath.ledger.contract.ledger import ClaimRequest, Ledger
from towpath.model.job import ClaimedJob, Lease
from towpath.notify.contract import Notifier


class DatabaseQueue:
    """Claims due jobs in fair order. The ledger's commits are all that it needs to know about a job."""

    def __init__(self, ledger: Ledger, notifier: Notifier) -> None:
        self._ledger = ledger
        self._notifier = notifier

    def enqueue(self) -> None:
        self._notifier.notify()

    async def claim(self, request: ClaimRequest, now: datetime) -> list[ClaimedJob]:
        return await self._ledger.claim(request, now)

    async def wait(self, seconds: float) -> bool:
        return await self._notifier.wait(seconds)

    def complete(self, lease: Lease) -> None:
        pass

    def fail(self, lease: Lease, delay_seconds: float) -> None:
        pass

    def release(self, lease: Lease) -> None:
        pass

    def extend(self, leases: Sequence[Lease]) -> None:
        pass

    async def run(self) -> None:
        pass
