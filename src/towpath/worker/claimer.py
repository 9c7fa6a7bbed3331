"""The claim loop: takes due jobs from the queue while the worker has free slots."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import random
import time
from collections.abc import Callable, Sequence

from towpath.clock import Clock
from towpath.errors import DatabaseBusy, DatabaseUnavailable, LeaseLost
from towpath.job_queue.contract import JobQueue
from towpath.ledger.contract.ledger import ClaimRequest, Ledger
from towpath.model.event import EventKind
from towpath.model.job import ClaimedJob, Lease
from towpath.notify.contract import Notifier
from towpath.worker.settings import WorkerSettings

log = logging.getLogger(__name__)

#: While no run is active, follow-ups are claimed as long as fewer than this are running: one waits for the disk or
#: its child process while the other computes.
MAX_FOLLOW_UPS = 2


class Claimer:
    """Claims jobs and counts the slots that running jobs use.

    Follow-ups (`connect`) use no slot of the runs. While runs are active, claim follow-ups at most once per
    `follow_up_pause`, and only when none is running.
    """

    def __init__(
        self,
        ledger: Ledger,
        queue: JobQueue,
        notifier: Notifier,
        clock: Clock,
        settings: WorkerSettings,
        worker: str,
        run_stages: Sequence[str],
        any_lease: Callable[[], Lease | None] = lambda: None,
        on_notified: Callable[[], None] = lambda: None,
    ) -> None:
        """``any_lease`` returns a lease that the worker holds; events are written about its job.

        ``on_notified`` is called when jobs became due somewhere, also if another worker takes them.
        """
        self._any_lease = any_lease
        self._on_notified = on_notified
        self._ledger = ledger
        self._queue = queue
        self._notifier = notifier
        self._clock = clock
        self._settings = settings
        self._worker = worker
        self._all_run_stages = frozenset(run_stages)
        #: The stages of runs that this worker serves; empty for a worker that serves follow-ups only.
        self._run_stages = tuple(
            stage for stage in run_stages if settings.stages is None or stage in settings.stages
        )
        self._running = 0
        self._follow_ups = 0
        self._max_follow_ups = min(MAX_FOLLOW_UPS, settings.concurrency)
        self._follow_ups_skipped = False
        self._follow_up_allowed_at = time.monotonic() + settings.follow_up_pause
        self._stopping = False
        self._slot_freed = asyncio.Event()

    async def run(self, start: Callable[[ClaimedJob, float], None]) -> None:
        """Claim until `stop`. ``start`` gets each job and the monotonic time just before it was claimed."""
        idle = contention = 0
        lock_waits = self._ledger.lock_waits
        while not self._stopping:
            free = self._settings.concurrency - self._used_slots()
            if free <= 0:
                await self._wait_for_slot()
                continue
            # Claim half of the slots at a time, so that a claim and a settlement can be in progress together.
            limit = min(free, max(1, self._settings.concurrency // 2))
            asked_at = time.monotonic()
            try:
                jobs = await self._claim(limit)
            except DatabaseUnavailable as error:
                log.warning("claim: the database is unavailable, retrying: %s", error)
                contention += isinstance(error, DatabaseBusy)
                await self._wait(random.uniform(0.2, self._settings.poll_seconds))
                continue
            except Exception:
                log.exception("claim failed")
                await self._wait(self._settings.idle_seconds)
                continue
            contention += self._ledger.lock_waits - lock_waits
            lock_waits = self._ledger.lock_waits
            if contention and await self._record_contention(jobs, contention):
                contention = 0
            for job in jobs:
                start(job, asked_at)
            if len(jobs) == limit:
                idle = 0
                continue
            idle = 0 if jobs else idle + 1
            if await self._wait(self._poll_delay(idle)):
                idle = 0
                self._on_notified()

    def stop(self) -> None:
        """End `run` without another claim."""
        self._stopping = True
        self._slot_freed.set()
        self._notifier.notify()

    def job_started(self, job: ClaimedJob) -> None:
        self._running += 1
        self._follow_ups += self._is_follow_up(job)

    def job_ended(self, job: ClaimedJob) -> None:
        self._running -= 1
        self._slot_freed.set()
        if self._is_follow_up(job):
            self._follow_ups -= 1
            self._follow_up_allowed_at = time.monotonic() + self._settings.follow_up_pause
        if self._follow_ups_skipped and not self._used_slots() and self._follow_ups < self._max_follow_ups:
            # The last claim excluded follow-ups; some may be due now.
            self._follow_ups_skipped = False
            self._notifier.notify()

    async def _claim(self, limit: int) -> list[ClaimedJob]:
        return await self._queue.claim(
            ClaimRequest(
                self._worker,
                limit=limit,
                lease_seconds=self._settings.lease_seconds,
                stages=self._claimable_stages(),
            ),
            self._clock.now(),
        )

    async def _record_contention(self, jobs: Sequence[ClaimedJob], times: int) -> bool:
        """Write the event about a claimed or a running job, if there is one; whether it was written.

        While the database was busy it could not be written.
        """
        lease = jobs[0].lease if jobs else self._any_lease()
        if lease is None:
            return False
        with contextlib.suppress(DatabaseUnavailable, LeaseLost):
            await self._ledger.add_event(
                lease, EventKind.SCHEDULER_CONTENTION, {"times": times}, self._clock.now()
            )
            return True
        return False

    def _claimable_stages(self) -> tuple[str, ...] | None:
        """The stages of the next claim, with or without follow-ups; None is every stage."""
        if self._used_slots():
            allowed = not self._follow_ups and time.monotonic() >= self._follow_up_allowed_at
        else:
            allowed = self._follow_ups < self._max_follow_ups
        if allowed or not self._run_stages:
            return self._settings.stages
        self._follow_ups_skipped = True
        return self._run_stages

    def _used_slots(self) -> int:
        """Running jobs without follow-ups; a worker that serves follow-ups only counts those."""
        return self._running - (self._follow_ups if self._run_stages else 0)

    def _is_follow_up(self, job: ClaimedJob) -> bool:
        return job.stage not in self._all_run_stages

    def _poll_delay(self, idle: int) -> float:
        return poll_delay(self._settings, idle, self._notifier.is_listening, random.random())

    async def _wait(self, seconds: float) -> bool:
        """Wait for a notification, at most ``seconds``; whether there was one."""
        return False if self._stopping else await self._queue.wait(seconds)

    async def _wait_for_slot(self) -> None:
        self._slot_freed.clear()
        await self._slot_freed.wait()


def poll_delay(settings: WorkerSettings, idle: int, is_listening: bool, jitter: float) -> float:
    """Seconds until the next claim after ``idle`` claims without jobs: `poll_seconds` first, then longer.

    ``jitter`` (0 to 1) spreads the claims of several workers. With `fixed_poll` it is always `poll_seconds`.
    """
    if settings.fixed_poll:
        return settings.poll_seconds
    longest = settings.idle_seconds_with_notifier if is_listening else settings.idle_seconds
    seconds = settings.poll_seconds if idle < 3 else min(longest, settings.poll_seconds * 1.5 ** (idle - 2))
    return seconds * (0.8 + 0.4 * jitter)
