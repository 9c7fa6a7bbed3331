"""Deletes runs, events and cached answers that are older than the retention settings, in small batches."""

from __future__ import annotations

import asyncio
import logging
import random
from dataclasses import dataclass
from datetime import timedelta

from towpath.clock import Clock
from towpath.errors import DatabaseUnavailable
from towpath.ledger.contract.ledger import Ledger, PruneResult
from towpath.storage.contract import BlobStore

log = logging.getLogger(__name__)

#: Rows per transaction: small, because others wait for it.
BATCH = 500
#: Seconds between two batches of a running server, so that jobs are not delayed.
PAUSE_BETWEEN_BATCHES = 0.2
#: Mean time between two passes of a worker.
INTERVAL_SECONDS = 3600.0


@dataclass(frozen=True, slots=True)
class RetentionPolicy:
    """How long history and cached answers are kept; None keeps them for ever."""

    history: timedelta | None = None
    answers: timedelta | None = None


class Pruner:
    """Deletes old rows and their blobs."""

    def __init__(self, ledger: Ledger, blobs: BlobStore, clock: Clock, keep: RetentionPolicy) -> None:
        self._ledger = ledger
        self._blobs = blobs
        self._clock = clock
        self._keep = keep

    async def run(self) -> None:
        """Prune about once per hour until cancelled. Any number of workers may do so at once."""
        while True:
            await asyncio.sleep(INTERVAL_SECONDS * random.uniform(0.5, 1.5))
            try:
                total = await self.prune_all(pause=PAUSE_BETWEEN_BATCHES)
            except DatabaseUnavailable as error:
                log.warning("prune: the database is unavailable, retrying later: %s", error)
            except Exception:
                log.exception("prune failed")
            else:
                if total != PruneResult():
                    log.info("pruned %d runs, %d events, %d answers", total.runs, total.events, total.answers)

    async def prune_all(self, *, limit: int = BATCH, pause: float = 0.0) -> PruneResult:
        """Delete everything that is too old, once; returns the counts."""
        total = PruneResult()
        for what, age in (
            ("runs", self._keep.history),
            ("events", self._keep.history),
            ("deliveries", self._keep.history),
            ("answers", self._keep.answers),
        ):
            if age is None:
                continue
            before, after = self._clock.now() - age, None
            while True:
                batch = await self._ledger.prune(what, before, after=after, limit=limit)
                # The rows are deleted already: `towpath check` finds a file that a crash leaves behind here.
                for key in batch.blobs:
                    await self._blobs.delete(key)
                total = _sum(total, batch)
                if (after := batch.after) is None:
                    break
                await asyncio.sleep(pause)
        return total


def _sum(one: PruneResult, other: PruneResult) -> PruneResult:
    return PruneResult(
        one.runs + other.runs,
        one.jobs + other.jobs,
        one.events + other.events,
        one.answers + other.answers,
        (*one.blobs, *other.blobs),
        deliveries=one.deliveries + other.deliveries,
    )
