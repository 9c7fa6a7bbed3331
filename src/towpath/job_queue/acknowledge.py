"""Tells the queue what became of a job, after the ledger has committed it."""

from __future__ import annotations

from datetime import datetime

from towpath.job_queue.contract import JobQueue
from towpath.ledger.contract.settlements import Fail, Release, Settlement, Suspended
from towpath.model.job import Lease


def acknowledge(queue: JobQueue, lease: Lease, settlement: Settlement | None, now: datetime) -> None:
    """``settlement`` is None if nothing could be written, because the lease is lost.

    A failure without attempts left is told as one that is tried again; nothing is due then, so nothing is offered.
    """
    match settlement:
        case Fail(final=False, retry_at=due) | Suspended(until=due):
            queue.fail(lease, max(0.0, (due - now).total_seconds()))
        case Release():
            queue.release(lease)
        case _:
            queue.complete(lease)
