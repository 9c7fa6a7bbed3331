"""A worker has died if its session lock is free at every look for the grace period."""

from __future__ import annotations

from towpath.ledger.contract.ledger import BusyWorker
from towpath.worker.dead_workers import GRACE_SECONDS, MissingWorkers

HERE, GONE = BusyWorker("anna", connected=True), BusyWorker("anna", connected=False)


def test_a_worker_without_a_session_is_dead_after_the_grace_period() -> None:
    missing = MissingWorkers()

    assert missing.update([GONE], 10.0) == []
    assert missing.update([GONE], 10.0 + GRACE_SECONDS / 2) == []
    assert missing.update([GONE], 10.0 + GRACE_SECONDS) == ["anna"]


def test_a_worker_that_opened_another_session_is_not_dead() -> None:
    missing = MissingWorkers()

    assert missing.update([GONE], 10.0) == []
    assert missing.update([HERE], 10.5) == []
    assert missing.update([GONE], 11.5) == []
    assert missing.update([], 12.0) == []
    assert missing.update([GONE], 20.0) == []
