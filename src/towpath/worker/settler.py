"""Settles finished jobs in batches. While one batch is committed, new settlements collect for the next one.

A settlement is never delayed in order to fill a batch.
"""

from __future__ import annotations

import asyncio
import logging

from towpath.clock import Clock
from towpath.errors import DatabaseUnavailable, LeaseLost
from towpath.ledger.contract.ledger import Ledger
from towpath.ledger.contract.settlements import Settled, Settlement
from towpath.worker.heartbeat import HeldLease

log = logging.getLogger(__name__)

MAX_BATCH = 500


class SettlementAnswer(asyncio.Future[Settled | LeaseLost]):
    """The ledger's answer. It cannot be cancelled: a task that awaits it is cancelled after the answer.

    `asyncio.shield` would do the same with one more future and three more callbacks for each job.
    """

    def cancel(self, msg: object = None) -> bool:
        return False


_Waiting = tuple[Settlement, HeldLease, SettlementAnswer]


class Settler:
    """Collects settlements and writes them to the ledger, at most ``MAX_BATCH`` per transaction."""

    def __init__(self, ledger: Ledger, clock: Clock, lease_seconds: float) -> None:
        self._ledger = ledger
        self._clock = clock
        self._lease_seconds = lease_seconds
        self._waiting: list[_Waiting] = []
        self._has_work = asyncio.Event()

    def settle(self, settlement: Settlement, held: HeldLease) -> SettlementAnswer:
        """Queue a settlement; the future gets the ledger's answer."""
        future = SettlementAnswer()
        self._waiting.append((settlement, held, future))
        self._has_work.set()
        return future

    async def run(self) -> None:
        """Settle until cancelled; the worker cancels this after its last job was settled."""
        while True:
            await self._has_work.wait()
            self._has_work.clear()
            while self._waiting:
                batch, self._waiting = self._waiting[:MAX_BATCH], self._waiting[MAX_BATCH:]
                await self._settle(batch)

    async def _settle(self, batch: list[_Waiting]) -> None:
        for _, held, future in batch:
            if not held.alive and not future.done():
                future.set_result(LeaseLost(f"Job {held.lease.job_id} was not renewed in time."))
        unsettled = [item for item in batch if not item[2].done()]
        if not unsettled:
            return
        try:
            answers = await self._ledger.settle(
                [settlement for settlement, _, _ in unsettled],
                self._clock.now(),
                lease_seconds=self._lease_seconds,
            )
        except DatabaseUnavailable as error:
            # Settling is idempotent: retry for as long as the leases are valid.
            log.warning("settling %d jobs: the database is unavailable, retrying: %s", len(unsettled), error)
            self._waiting = unsettled + self._waiting
            await asyncio.sleep(0.5)
            return
        except Exception as error:
            log.exception("settling %d jobs failed", len(unsettled))
            await self._settle_separately(unsettled, error)
            return
        for (_, _, future), answer in zip(unsettled, answers, strict=True):
            if not future.done():
                future.set_result(answer)

    async def _settle_separately(self, batch: list[_Waiting], error: Exception) -> None:
        """Settle each job in its own transaction, so that one invalid settlement does not fail the others."""
        if len(batch) == 1:
            if not batch[0][2].done():
                batch[0][2].set_exception(error)
            return
        for item in batch:
            await self._settle([item])
