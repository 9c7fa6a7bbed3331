"""Gathers what running jobs have to say and settles it in batches: while one transaction is on its
way to disk, the next batch grows. Nothing waits for company."""

from __future__ import annotations

import asyncio
import logging

from towpath.clock import Clock
from towpath.errors import DatabaseUnavailable, LeaseLost
from towpath.ledger.contract import Ledger, Settled, Settlement
from towpath.worker.pulse import Held

log = logging.getLogger(__name__)

MOST_AT_ONCE = 500


class Settler:
    def __init__(self, ledger: Ledger, clock: Clock, lease_seconds: float) -> None:
        self._ledger = ledger
        self._clock = clock
        self._lease_seconds = lease_seconds
        self._waiting: list[tuple[Settlement, Held, asyncio.Future[Settled | LeaseLost]]] = []
        self._wanted = asyncio.Event()

    def settle(self, settlement: Settlement, held: Held) -> asyncio.Future[Settled | LeaseLost]:
        """Hand a settlement in; the future tells how it ended."""
        future: asyncio.Future[Settled | LeaseLost] = asyncio.get_running_loop().create_future()
        self._waiting.append((settlement, held, future))
        self._wanted.set()
        return future

    async def run(self) -> None:
        """Settle for ever; the worker cancels this when all its jobs have been settled."""
        while True:
            await self._wanted.wait()
            self._wanted.clear()
            while self._waiting:
                batch, self._waiting = self._waiting[:MOST_AT_ONCE], self._waiting[MOST_AT_ONCE:]
                await self._settle(batch)

    async def _settle(
        self, batch: list[tuple[Settlement, Held, asyncio.Future[Settled | LeaseLost]]]
    ) -> None:
        for _, held, future in batch:
            if not held.alive and not future.done():
                future.set_result(
                    LeaseLost(f"Job {held.lease.job_id} was held for too long without renewal.")
                )
        living = [item for item in batch if not item[2].done()]
        if not living:
            return
        try:
            answers = await self._ledger.settle(
                [settlement for settlement, _, _ in living],
                self._clock.now(),
                lease_seconds=self._lease_seconds,
            )
        except DatabaseUnavailable as error:
            # Settling twice is harmless, so it is tried for as long as the leases are trusted.
            log.warning("settling %d jobs waits for the database: %s", len(living), error)
            self._waiting = living + self._waiting
            await asyncio.sleep(0.5)
            return
        except Exception as error:
            log.exception("settling %d jobs failed", len(living))
            await self._one_by_one(living, error)
            return
        for (_, _, future), answer in zip(living, answers, strict=True):
            if not future.done():
                future.set_result(answer)

    async def _one_by_one(
        self, batch: list[tuple[Settlement, Held, asyncio.Future[Settled | LeaseLost]]], error: Exception
    ) -> None:
        """One settlement that cannot be written must not take its neighbours down with it."""
        if len(batch) == 1:
            if not batch[0][2].done():
                batch[0][2].set_exception(error)
            return
        for item in batch:
            await self._settle([item])
