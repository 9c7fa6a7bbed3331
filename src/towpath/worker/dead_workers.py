"""Decides which workers have died: those whose session lock was free at every check for some time."""

from __future__ import annotations

from collections.abc import Sequence

from towpath.ledger.contract.ledger import BusyWorker

#: Seconds for which a lock must be free: a live worker that lost its session opens another one sooner.
GRACE_SECONDS = 0.8
#: Seconds between two looks while other workers have jobs in process.
LOOK_SECONDS = 0.4


class MissingWorkers:
    """The workers without a session, and since when."""

    def __init__(self) -> None:
        self._since: dict[str, float] = {}

    def update(self, workers: Sequence[BusyWorker], at: float) -> list[str]:
        """The workers that have died, given the state of all busy ones at the second ``at``."""
        self._since = {
            worker.id: self._since.get(worker.id, at) for worker in workers if not worker.connected
        }
        return sorted(name for name, since in self._since.items() if at - since >= GRACE_SECONDS)
