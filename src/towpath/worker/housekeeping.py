"""Housekeeping: once in a while a worker removes history that nobody needs, a little at a time."""

from __future__ import annotations

import asyncio
import logging
import random
from dataclasses import dataclass
from datetime import timedelta

from towpath.clock import Clock
from towpath.errors import DatabaseUnavailable
from towpath.ledger.contract import Ledger, Pruned
from towpath.storage.contract import BlobStore

log = logging.getLogger(__name__)

#: Rows looked at in one transaction; others wait for it, so it is short.
BATCH = 500
#: Between two batches of a running server, for the sake of those who work.
BREATH = 0.2
EVERY = 3600.0


@dataclass(frozen=True, slots=True)
class Keep:
    """How long things are kept; None is for ever."""

    history: timedelta | None = None
    answers: timedelta | None = None


class Housekeeper:
    def __init__(self, ledger: Ledger, blobs: BlobStore, clock: Clock, keep: Keep) -> None:
        self._ledger = ledger
        self._blobs = blobs
        self._clock = clock
        self._keep = keep

    async def run(self) -> None:
        """Clean up for as long as the worker lives. Any number may do so at once."""
        while True:
            await asyncio.sleep(EVERY * random.uniform(0.5, 1.5))
            try:
                total = await self.clean(breath=BREATH)
            except DatabaseUnavailable as error:
                log.warning("housekeeping waits for the database: %s", error)
            except Exception:
                log.exception("housekeeping failed")
            else:
                if total != Pruned():
                    log.info("pruned %d runs, %d events, %d answers", total.runs, total.events, total.answers)

    async def clean(self, *, limit: int = BATCH, breath: float = 0.0) -> Pruned:
        """One pass over everything that may be old; what it removed."""
        total = Pruned()
        for what, age in (
            ("runs", self._keep.history),
            ("events", self._keep.history),
            ("answers", self._keep.answers),
        ):
            if age is None:
                continue
            before, after = self._clock.now() - age, None
            while True:
                batch = await self._ledger.prune(what, before, after=after, limit=limit)
                # The rows are gone for good: a file that outlives a crash here is found by `towpath check`.
                for key in batch.blobs:
                    await self._blobs.delete(key)
                total = _sum(total, batch)
                if (after := batch.after) is None:
                    break
                await asyncio.sleep(breath)
        return total


def _sum(one: Pruned, other: Pruned) -> Pruned:
    return Pruned(
        one.runs + other.runs,
        one.jobs + other.jobs,
        one.events + other.events,
        one.answers + other.answers,
        (*one.blobs, *other.blobs),
    )
