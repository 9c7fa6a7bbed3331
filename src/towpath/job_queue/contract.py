"""The contract of the job queue, which delivers due jobs to workers.

The ledger alone decides who holds a job: it stores the jobs, grants the leases, and refuses every write under an
old epoch. A queue only tells a worker which jobs to claim, and learns what became of them after the ledger's
commit. It may deliver a job twice, late or not at all without harm: a job that is not due is not claimed, and a job
that got lost is offered again.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

from towpath.ledger.contract.ledger import ClaimRequest
from towpath.model.job import ClaimedJob, Lease


class JobQueue(Protocol):
    """Delivers due jobs to one worker. Only `claim` and `wait` wait; the other verbs return at once."""

    def enqueue(self) -> None:
        """Jobs became due: offer them to the workers. Called after the commit that made them due."""
        ...

    async def claim(self, request: ClaimRequest, now: datetime) -> list[ClaimedJob]:
        """Take the leases of delivered jobs in the ledger, at most ``request.limit``."""
        ...

    async def wait(self, seconds: float) -> bool:
        """Wait for at most ``seconds`` until there may be a job to claim; return whether there may be one."""
        ...

    def complete(self, lease: Lease) -> None:
        """The job needs no other delivery: it is done, has failed for good, or its lease is lost."""
        ...

    def fail(self, lease: Lease, delay_seconds: float) -> None:
        """The job is PENDING again and due after ``delay_seconds``: its attempt failed, or it was suspended."""
        ...

    def release(self, lease: Lease) -> None:
        """The worker gave the job back; it is due now."""
        ...

    def extend(self, leases: Sequence[Lease]) -> None:
        """The ledger renewed these leases. Called in the thread of the heartbeat."""
        ...

    async def run(self) -> None:
        """Do the work in the background until cancelled."""
        ...
