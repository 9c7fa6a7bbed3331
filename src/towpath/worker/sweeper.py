"""The sweep loop: rescues jobs whose leases expired and times out runs that are past their deadline."""

from __future__ import annotations

import asyncio
import logging
import random
import time
from collections.abc import Callable, Sequence
from datetime import timedelta

from towpath.clock import Clock
from towpath.errors import DatabaseUnavailable
from towpath.job_queue.contract import JobQueue
from towpath.ledger.contract.ledger import BusyWorker, Ledger
from towpath.worker.dead_workers import LOOK_SECONDS, MissingWorkers
from towpath.worker.heartbeat import Heartbeater
from towpath.worker.registration import WorkerRegistration
from towpath.worker.settings import WorkerSettings

log = logging.getLogger(__name__)

#: Upper limit in seconds: a lease may last half an hour, but deadlines must be noticed sooner.
MAX_PAUSE = 30.0


def sweep_pause(lease_seconds: float, due: float | None, jitter: float) -> float:
    """Seconds until the next sweep, when the next lease or deadline expires in ``due`` seconds.

    ``jitter`` (0 to 1) keeps workers from sweeping at the same moment. An expired lease is found within two seconds.
    """
    longest = min(lease_seconds, MAX_PAUSE)
    pause = longest if due is None else max(0.25, min(longest, due + 0.05))
    return pause + jitter * min(0.5, pause / 10)


class Sweeper:
    """Sweeps the ledger and refreshes the worker's registration. Any number of workers may sweep at once."""

    def __init__(
        self,
        ledger: Ledger,
        queue: JobQueue,
        clock: Clock,
        settings: WorkerSettings,
        registration: WorkerRegistration,
        heartbeater: Heartbeater,
        worker: str,
        on_run_ended: Callable[[], None] = lambda: None,
    ) -> None:
        """``worker`` is the name of the worker that sweeps."""
        self._worker = worker
        self._on_run_ended = on_run_ended
        self._busy_workers: list[BusyWorker] = []
        self._missing = MissingWorkers()
        self._notified = asyncio.Event()
        #: The monotonic time of the next sweep.
        self._sweep_at = 0.0
        self._heartbeater = heartbeater
        self._ledger = ledger
        self._queue = queue
        self._clock = clock
        self._settings = settings
        self._registration = registration

    async def run(self) -> None:
        """Sweep until cancelled, each time just after the next lease or deadline expires or a worker has died."""
        while True:
            try:
                pause = await self._look()
            except DatabaseUnavailable as error:
                log.warning("sweep: the database is unavailable, retrying in 1 s: %s", error)
                pause = random.uniform(1.0, 1.1)
            except Exception:
                log.exception("sweep failed")
                pause = sweep_pause(self._settings.lease_seconds, None, random.random())
            await self._pause(pause)

    def wake(self) -> None:
        """Look soon for workers that have died: another worker may have taken the jobs that became due."""
        self._notified.set()

    async def _renew_own_leases(self) -> bool:
        """Renew the leases of this worker before a sweep; False if that is not certain.

        Leases that expired while the database did not answer are those of this worker, which is alive. A renewal
        that had to wait is computed from the time before the wait, so it may have expired as well.
        """
        asked_at = time.monotonic()
        renewed = await asyncio.to_thread(self._heartbeater.renew_all)
        return renewed and time.monotonic() - asked_at < self._settings.lease_seconds / 2

    async def _look(self) -> float:
        """Sweep if it is due or a worker has died; the seconds to wait before the next look."""
        dead = [] if self._settings.sole_worker else await self._dead_workers()
        if dead or time.monotonic() >= self._sweep_at:
            self._sweep_at = time.monotonic() + await self._sweep(dead)
        pause = max(0.0, self._sweep_at - time.monotonic())
        return min(pause, LOOK_SECONDS * random.uniform(0.9, 1.1)) if self._busy_workers else pause

    async def _sweep(self, dead: Sequence[str]) -> float:
        """Sweep once; the seconds to wait before the next sweep."""
        if self._settings.sole_worker and not await self._renew_own_leases():
            return 1.0
        now = self._clock.now()
        swept = await self._ledger.sweep(now, limit=self._settings.sweep_limit, dead_workers=dead)
        if swept.rescued or swept.timed_out:
            log.info(
                "rescued %d jobs, timed out %d runs, %d of them continued",
                *(swept.rescued, swept.timed_out, swept.continued),
            )
            self._queue.enqueue()
        if swept.timed_out or swept.failed:
            self._on_run_ended()
        await self._registration.refresh(now)
        if swept.rescued == self._settings.sweep_limit:
            return 0.0
        due = None if swept.next_at is None else (swept.next_at - now) / timedelta(seconds=1)
        return sweep_pause(self._settings.lease_seconds, due, random.random())

    async def _dead_workers(self) -> list[str]:
        """The workers that have died with jobs in process."""
        self._busy_workers = await self._ledger.busy_workers(except_for=self._worker)
        dead = self._missing.update(self._busy_workers, time.monotonic())
        if dead:
            log.warning("workers that have died: %s; their jobs are worked again", ", ".join(dead))
        return dead

    async def _pause(self, seconds: float) -> None:
        """Wait for ``seconds``, or after a notification until the next look for dead workers."""
        try:
            async with asyncio.timeout(seconds):
                await self._notified.wait()
        except TimeoutError:
            return
        self._notified.clear()
        await asyncio.sleep(min(seconds, LOOK_SECONDS))
