"""The worker: claim, execute, settle; heartbeat and sweep beside it. Any number may run at once."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import random
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import timedelta

from towpath.clock import Clock
from towpath.errors import DatabaseBusy, DatabaseUnavailable, LeaseLost
from towpath.ledger.contract import Advance, Fail, Finish, Ledger, Release, Settled, Settlement
from towpath.model.work import Claimed, EventKind
from towpath.queue.contract import Bell
from towpath.worker.execute import Executor
from towpath.worker.presence import Presence, worker_name
from towpath.worker.pulse import Held, Pulse
from towpath.worker.settler import Settler
from towpath.worker.telling import about, say_lost, say_resumed, say_settled

log = logging.getLogger(__name__)

#: Leases may last for half an hour, but deadlines are to be noticed sooner than that.
LONGEST_PAUSE = 30.0


def sweep_pause(lease_seconds: float, due: float | None, luck: float) -> float:
    """How long to wait before sweeping again, when the next lease or deadline is ``due`` in so many seconds.

    Workers should not sweep in step, yet a lost job is to be found within two seconds of any lease's end.
    """
    longest = min(lease_seconds, LONGEST_PAUSE)
    pause = longest if due is None else max(0.25, min(longest, due + 0.05))
    return pause + luck * min(0.5, pause / 10)


@dataclass(frozen=True, slots=True)
class Pace:
    """How much a worker takes on, and how often it looks."""

    concurrency: int = 8
    lease_seconds: float = 30.0
    heartbeat_seconds: float = 10.0
    poll_seconds: float = 1.0
    idle_seconds: float = 2.0
    idle_seconds_with_bell: float = 5.0
    max_crashes: int = 2
    sweep_limit: int = 100
    grace_seconds: float = 5.0
    follow_up_pause: float = 30.0
    stages: tuple[str, ...] | None = None


class Worker:
    def __init__(self, ledger: Ledger, executor: Executor, bell: Bell, clock: Clock, pace: Pace) -> None:
        self.name = worker_name()
        self._ledger = ledger
        self._executor = executor
        self._bell = bell
        self._clock = clock
        self._pace = pace
        self._pulse = Pulse(ledger, clock, pace.lease_seconds, pace.heartbeat_seconds)
        self._settler = Settler(ledger, clock, pace.lease_seconds)
        self._tasks: dict[asyncio.Task[None], Claimed] = {}
        self._follow_ups = 0
        self._passed_over = False
        self._rested_at = time.monotonic() + pace.follow_up_pause
        self._of_runs = tuple(name for name in executor.stages if pace.stages is None or name in pace.stages)
        self._stopping = asyncio.Event()
        self._hurry = asyncio.Event()
        self._slot_freed = asyncio.Event()
        self._presence = Presence(ledger, self.name, pace.concurrency, pace.stages or (), clock.now())

    async def run(self) -> None:
        """Work until asked to stop; then give back what is not finished."""
        self._pulse.start()
        settling = asyncio.create_task(self._settler.run())
        sweeping = asyncio.create_task(self._sweep())
        try:
            await self._take_jobs()
            await self._wind_down()
        finally:
            for task in (settling, sweeping):
                task.cancel()
            await asyncio.gather(settling, sweeping, return_exceptions=True)
            self._pulse.stop()
            await self._presence.end()

    def stop(self) -> None:
        """Take nothing new and finish; asked a second time, give everything back now."""
        if self._stopping.is_set():
            self._hurry.set()
        self._stopping.set()
        self._slot_freed.set()
        self._bell.ring()

    @property
    def holding(self) -> Sequence[Claimed]:
        return list(self._tasks.values())

    # Claim

    async def _take_jobs(self) -> None:
        idle = contention = 0
        while not self._stopping.is_set():
            free = self._pace.concurrency - self._taken()
            if free <= 0:
                await self._slot()
                continue
            # Half at a time: one half is claimed while the other is on its way to disk.
            wanted = min(free, max(1, self._pace.concurrency // 2))
            asked_at = time.monotonic()
            try:
                jobs = await self._claim(wanted)
            except DatabaseUnavailable as error:
                log.warning("claiming waits for the database: %s", error)
                contention += isinstance(error, DatabaseBusy)
                await self._rest(random.uniform(0.2, self._pace.poll_seconds))
                continue
            except Exception:
                log.exception("claiming failed")
                await self._rest(self._pace.idle_seconds)
                continue
            if jobs and contention:
                contention = await self._note_contention(jobs[0], contention)
            for job in jobs:
                self._start(job, asked_at)
            if len(jobs) == wanted:
                idle = 0
                continue
            idle = 0 if jobs else idle + 1
            if await self._rest(self._patience(idle)):
                idle = 0

    async def _note_contention(self, job: Claimed, times: int) -> int:
        """What could not be written while the database was busy is told by the next run that starts."""
        with contextlib.suppress(DatabaseUnavailable, LeaseLost):
            await self._ledger.note(
                job.lease, EventKind.SCHEDULER_CONTENTION, {"times": times}, self._clock.now()
            )
        return 0

    async def _claim(self, limit: int) -> list[Claimed]:
        return await self._ledger.claim(
            self.name,
            limit=limit,
            lease_seconds=self._pace.lease_seconds,
            now=self._clock.now(),
            stages=self._open_to(),
        )

    def _open_to(self) -> tuple[str, ...] | None:
        """One follow-up at a time, and beside runs only now and then: nobody waits for them."""
        resting = self._taken() > 0 and time.monotonic() < self._rested_at
        if not self._of_runs or not (self._follow_ups or resting):
            return self._pace.stages
        self._passed_over = True
        return self._of_runs

    def _taken(self) -> int:
        """Follow-ups take no slot from runs, but from each other where a worker serves nothing else."""
        return len(self._tasks) - (self._follow_ups if self._of_runs else 0)

    def _patience(self, idle: int) -> float:
        """Poll every second with jitter; after a while without work, more slowly."""
        longest = self._pace.idle_seconds_with_bell if self._bell.reliable else self._pace.idle_seconds
        seconds = (
            self._pace.poll_seconds if idle < 3 else min(longest, self._pace.poll_seconds * 1.5 ** (idle - 2))
        )
        return seconds * random.uniform(0.8, 1.2)

    async def _rest(self, seconds: float) -> bool:
        return False if self._stopping.is_set() else await self._bell.wait(seconds)

    async def _slot(self) -> None:
        self._slot_freed.clear()
        await self._slot_freed.wait()

    # Execute and settle

    def _start(self, job: Claimed, asked_at: float) -> None:
        say_resumed(job)
        task = asyncio.create_task(self._work(job, asked_at))
        self._tasks[task] = job
        self._follow_ups += job.stage not in self._executor.stages
        task.add_done_callback(self._ended)

    def _ended(self, task: asyncio.Task[None]) -> None:
        job = self._tasks.pop(task, None)
        self._slot_freed.set()
        if job is not None and job.stage not in self._executor.stages:
            self._follow_ups -= 1
            self._rested_at = time.monotonic() + self._pace.follow_up_pause
        if self._passed_over and not self._taken():
            # Follow-ups may have been left waiting.
            self._passed_over = False
            self._bell.ring()
        if not task.cancelled() and (error := task.exception()):
            log.error("a job ended badly", exc_info=error)

    async def _work(self, job: Claimed, asked_at: float) -> None:
        task = asyncio.current_task()
        assert task is not None
        loop = asyncio.get_running_loop()

        def cancel() -> None:
            loop.call_soon_threadsafe(task.cancel)

        following: Claimed | None = job
        while following is not None:
            job = following
            held = self._pulse.hold(job.lease, asked_at, cancel)
            with about(job):
                try:
                    settlement = await self._settlement(job, held)
                    if settlement is None:
                        say_lost(job)
                        return
                    asked_at = time.monotonic()
                    settled = await self._settle(job, settlement, held)
                finally:
                    self._pulse.drop(held)
                following = self._following(job, settlement, settled)
                say_settled(job, settlement, settled)

    async def _settlement(self, job: Claimed, held: Held) -> Settlement | None:
        if self._stopping.is_set():
            return Release(job.lease)
        try:
            return await self._executor.execute(job, held, keep=self._goes_on_to)
        except asyncio.CancelledError:
            if held.alive and self._stopping.is_set():
                return Release(job.lease)
            return None

    def _goes_on_to(self, stage: str) -> bool:
        """Whether the lease is kept for the next stage: not on the way out, nor for what this worker does not serve."""
        return not self._stopping.is_set() and (self._pace.stages is None or stage in self._pace.stages)

    async def _settle(self, job: Claimed, settlement: Settlement, held: Held) -> Settled | LeaseLost:
        held.hand_over()
        try:
            return await self._see_through(settlement, held)
        except Exception as error:
            if isinstance(settlement, Fail):
                raise
            # What the stage answered cannot be written: an error of this attempt, like any other.
            return await self._see_through(self._executor.failed(job, error), held)

    async def _see_through(self, settlement: Settlement, held: Held) -> Settled | LeaseLost:
        """Settle, also when cancelled: abandoned half-way, it may leave a kept lease that nobody uses."""
        settling = self._settler.settle(settlement, held)
        try:
            return await asyncio.shield(settling)
        except asyncio.CancelledError:
            await asyncio.wait({settling})
            return settling.result()

    def _following(
        self, job: Claimed, settlement: Settlement, settled: Settled | LeaseLost
    ) -> Claimed | None:
        if isinstance(settled, LeaseLost):
            say_lost(job)
            return None
        if isinstance(settlement, Finish) and settlement.follow_ups:
            self._bell.ring()
        if isinstance(settlement, Advance) and not settlement.keep:
            self._bell.ring()
        if settled.next is None or not isinstance(settlement, Advance):
            return None
        return replace(
            job,
            lease=settled.next,
            stage=settlement.next_stage,
            payload=settlement.next_payload,
            known={**job.known, job.stage: settlement.result},
            attempts=0,
            crashes=0,
            max_attempts=settlement.max_attempts,
        )

    async def _wind_down(self) -> None:
        if not self._tasks:
            return
        hurry = asyncio.create_task(self._hurry.wait())
        everything = asyncio.gather(*self._tasks, return_exceptions=True)
        await asyncio.wait(
            {hurry, everything}, timeout=self._pace.grace_seconds, return_when=asyncio.FIRST_COMPLETED
        )
        hurry.cancel()
        for task in list(self._tasks):
            task.cancel()
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=5.0)

    # Sweep

    async def _sweep(self) -> None:
        """Rescue what others dropped, and end what is overdue, just after it can first be found so."""
        while True:
            pause = sweep_pause(self._pace.lease_seconds, None, random.random())
            try:
                now = self._clock.now()
                swept = await self._ledger.sweep(
                    now, limit=self._pace.sweep_limit, max_crashes=self._pace.max_crashes
                )
                if swept.rescued or swept.timed_out:
                    log.info("rescued %d jobs, timed out %d runs", swept.rescued, swept.timed_out)
                    self._bell.ring()
                if swept.next_at is not None:
                    due = (swept.next_at - now) / timedelta(seconds=1)
                    pause = sweep_pause(self._pace.lease_seconds, due, random.random())
                if swept.rescued == self._pace.sweep_limit:
                    pause = 0.0
                await self._presence.tell(now)
            except DatabaseUnavailable as error:
                log.warning("sweeping waits for the database: %s", error)
                pause = random.uniform(1.0, 1.1)
            except Exception:
                log.exception("a sweep failed")
            await asyncio.sleep(pause)
