"""The worker: runs claimed jobs, settles them, and releases unfinished ones at shutdown.

Any number of workers may run at once. Claiming is in claimer.py, rescuing in sweeper.py, renewing in heartbeat.py.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Sequence
from dataclasses import replace

from towpath.clock import Clock
from towpath.errors import LeaseLost
from towpath.ledger.contract.ledger import Ledger
from towpath.ledger.contract.settlements import Advance, Fail, Finish, Release, Settled, Settlement
from towpath.model.job import ClaimedJob
from towpath.notify.contract import Notifier
from towpath.worker.claimer import Claimer
from towpath.worker.executor import Executor
from towpath.worker.heartbeat import Heartbeater, HeldLease
from towpath.worker.isolation import ExecutorFactory, IsolatedExecutor
from towpath.worker.job_logging import job_context, log_lease_lost, log_resumed, log_settled
from towpath.worker.registration import WorkerRegistration, worker_name
from towpath.worker.settings import WorkerSettings
from towpath.worker.settler import Settler
from towpath.worker.sweeper import Sweeper
from towpath.worker.vector_indexer import VectorIndexer

log = logging.getLogger(__name__)


class Worker:
    """Claims, executes and settles jobs until it is stopped."""

    def __init__(
        self,
        ledger: Ledger,
        executor: Executor,
        notifier: Notifier,
        clock: Clock,
        settings: WorkerSettings,
        factory: ExecutorFactory | None = None,
    ) -> None:
        """``factory`` opens an executor in a child process for suspects; without it they run like all other jobs."""
        self.name = worker_name()
        self._executor = executor
        self._isolated = None if factory is None else IsolatedExecutor(factory, settings)
        self._notifier = notifier
        self._settings = settings
        self._heartbeater = Heartbeater(
            ledger,
            clock,
            settings.lease_seconds,
            settings.heartbeat_seconds,
            sole_worker=settings.sole_worker,
        )
        self._settler = Settler(ledger, clock, settings.lease_seconds)
        self._registration = WorkerRegistration(
            ledger, self.name, settings.concurrency, settings.stages or (), clock.now(), settings.shared
        )
        self._claimer = Claimer(
            ledger, notifier, clock, settings, self.name, executor.stages, self._heartbeater.any_lease
        )
        self._vector_indexer = VectorIndexer(ledger)
        self._sweeper = Sweeper(ledger, notifier, clock, settings, self._registration, self._heartbeater)
        self._tasks: dict[asyncio.Task[None], ClaimedJob] = {}
        self._stopping = asyncio.Event()
        self._stop_now = asyncio.Event()

    async def run(self) -> None:
        """Work until `stop`; then release the jobs that are not finished within `grace_seconds`."""
        self._heartbeater.start()
        background = [
            asyncio.create_task(part.run()) for part in (self._settler, self._sweeper, self._vector_indexer)
        ]
        try:
            await self._claimer.run(self._start)
            await self._drain()
        finally:
            for task in background:
                task.cancel()
            await asyncio.gather(*background, return_exceptions=True)
            self._heartbeater.stop()
            if self._isolated is not None:
                self._isolated.close()
            await self._registration.end()

    def stop(self, *, now: bool = False) -> None:
        """Claim nothing more, start no provider call, and release what is left after `grace_seconds`, or ``now``."""
        if now:
            self._stop_now.set()
        self._stopping.set()
        self._executor.stop()
        if self._isolated is not None:
            self._isolated.stop()
        self._claimer.stop()

    @property
    def running_jobs(self) -> Sequence[ClaimedJob]:
        return list(self._tasks.values())

    def _start(self, job: ClaimedJob, asked_at: float) -> None:
        log_resumed(job)
        task = asyncio.create_task(self._work(job, asked_at))
        self._tasks[task] = job
        self._claimer.job_started(job)
        task.add_done_callback(self._ended)

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._claimer.job_ended(self._tasks.pop(task))
        if not task.cancelled() and (error := task.exception()):
            log.error("the task of a job failed", exc_info=error)

    async def _work(self, job: ClaimedJob, asked_at: float) -> None:
        """Execute and settle the job, then the following stages of its run for which the lease is kept."""
        task = asyncio.current_task()
        assert task is not None
        loop = asyncio.get_running_loop()

        def cancel() -> None:
            loop.call_soon_threadsafe(task.cancel)

        next_job: ClaimedJob | None = job
        while next_job is not None:
            job = next_job
            held = self._heartbeater.hold(job.lease, asked_at, cancel)
            with job_context(job):
                try:
                    settlement = await self._execute(job, held)
                    if settlement is None:
                        log_lease_lost(job)
                        return
                    asked_at = time.monotonic()
                    settled = await self._settle(job, settlement, held)
                finally:
                    self._heartbeater.drop(held)
                next_job = self._next_job(job, settlement, settled)
                log_settled(job, settlement, settled)

    async def _execute(self, job: ClaimedJob, held: HeldLease) -> Settlement | None:
        """The job's settlement; None when its lease is lost."""
        if self._stopping.is_set():
            return Release(job.lease)
        try:
            if job.suspect and self._isolated is not None:
                return await self._isolated.execute(job, self._executor, keep=self._keeps_lease_for)
            return await self._executor.execute(job, held, keep=self._keeps_lease_for)
        except asyncio.CancelledError:
            if held.alive and self._stopping.is_set():
                return Release(job.lease)
            return None

    def _keeps_lease_for(self, stage: str) -> bool:
        """Whether to keep the lease for the next stage: not while stopping, nor for a stage not served here."""
        served = self._settings.stages is None or stage in self._settings.stages
        return served and not self._stopping.is_set()

    async def _settle(self, job: ClaimedJob, settlement: Settlement, held: HeldLease) -> Settled | LeaseLost:
        held.mark_settling()
        try:
            return await self._settle_shielded(settlement, held)
        except Exception as error:
            if isinstance(settlement, Fail):
                raise
            # The stage's outcome cannot be written: this attempt failed like any other.
            return await self._settle_shielded(self._executor.failed(job, error), held)

    async def _settle_shielded(self, settlement: Settlement, held: HeldLease) -> Settled | LeaseLost:
        """Settle, also when cancelled: a half-finished settlement could leave a kept lease that no worker uses."""
        settling = self._settler.settle(settlement, held)
        try:
            return await asyncio.shield(settling)
        except asyncio.CancelledError:
            await asyncio.wait({settling})
            return settling.result()

    def _next_job(
        self, job: ClaimedJob, settlement: Settlement, settled: Settled | LeaseLost
    ) -> ClaimedJob | None:
        """The job of the next stage, if its lease was kept."""
        if isinstance(settled, LeaseLost):
            log_lease_lost(job)
            return None
        if isinstance(settlement, Finish) and settlement.follow_ups:
            self._notifier.notify()
        if isinstance(settlement, Finish) and settlement.writes:
            self._vector_indexer.wake()
        if isinstance(settlement, Advance) and not settlement.keep:
            self._notifier.notify()
        if settled.next is None or not isinstance(settlement, Advance):
            return None
        return replace(
            job,
            lease=settled.next,
            stage=settlement.next_stage,
            payload=settlement.next_payload,
            results={**job.results, job.stage: settlement.result},
            attempts=0,
            crashes=0,
            suspect=False,
            max_attempts=settlement.max_attempts,
        )

    async def _drain(self) -> None:
        """Wait for the running jobs for `grace_seconds`, then cancel them."""
        if not self._tasks:
            return
        stop_now = asyncio.create_task(self._stop_now.wait())
        all_jobs = asyncio.gather(*self._tasks, return_exceptions=True)
        await asyncio.wait(
            {stop_now, all_jobs}, timeout=self._settings.grace_seconds, return_when=asyncio.FIRST_COMPLETED
        )
        stop_now.cancel()
        for task in list(self._tasks):
            task.cancel()
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=5.0)
