"""The worker: runs claimed jobs, settles them, and releases unfinished ones at shutdown.

Any number of workers may run at once. Claiming is in claimer.py, rescuing in sweeper.py, renewing in heartbeat.py.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import NamedTuple

from towpath.clock import Clock
from towpath.errors import LeaseLost
from towpath.job_queue.acknowledge import acknowledge
from towpath.job_queue.contract import JobQueue
from towpath.job_queue.database import DatabaseQueue
from towpath.ledger.contract.ledger import Ledger
from towpath.ledger.contract.settlements import Advance, Fail, Finish, Release, Settled, Settlement
from towpath.ledger.contract.worker_session import WorkerSession
from towpath.model.ids import new_id
from towpath.model.job import ClaimedJob, Lease
from towpath.model.writes import Publish
from towpath.notify.contract import Notifier
from towpath.worker.claimer import Claimer
from towpath.worker.executor import Executor
from towpath.worker.heartbeat import Heartbeater, HeldLease
from towpath.worker.isolated_executor import ExecutorFactory, IsolatedExecutor
from towpath.worker.job_context import CheckpointNeeded
from towpath.worker.job_logging import (
    job_context,
    job_log_context,
    log_completed_stage,
    log_lease_lost,
    log_resumed,
)
from towpath.worker.registration import WorkerRegistration, worker_name
from towpath.worker.settings import WorkerSettings
from towpath.worker.settler import Settler
from towpath.worker.sweeper import Sweeper
from towpath.worker.vector_indexer import VectorIndexer
from towpath.worker.word_indexer import WordIndexer

log = logging.getLogger(__name__)


#: The next stage is not begun before the completed ones are settled if they took longer than this.
MAX_UNSETTLED_SECONDS = 0.5


class ExecutedStage(NamedTuple):
    """A stage that was executed and is not settled yet.

    Its lease is that of the first stage, or the one that the stage before it will keep.
    """

    job: ClaimedJob
    settlement: Settlement


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
        queue: JobQueue | None = None,
        session: WorkerSession | None = None,
        on_run_ended: Callable[[], None] = lambda: None,
    ) -> None:
        """``factory`` opens an executor in a child process for suspects; without it they run like all other jobs.

        Without a ``queue`` jobs are claimed from the database. Without a ``session`` other workers notice the death of
        this one when its leases have expired. ``on_run_ended`` is called after runs may have ended.
        """
        self._on_run_ended = on_run_ended
        self.name = worker_name()
        self._clock = clock
        self._session = session
        self._queue = queue or DatabaseQueue(ledger, notifier)
        self._executor = executor
        self._isolated = None if factory is None else IsolatedExecutor(factory, settings)
        self._settings = settings
        self._heartbeater = Heartbeater(
            ledger,
            clock,
            settings.lease_seconds,
            settings.heartbeat_seconds,
            sole_worker=settings.sole_worker,
            on_renewed=self._queue.extend,
        )
        self._settler = Settler(ledger, clock, settings.lease_seconds)
        self._registration = WorkerRegistration(
            ledger, self.name, settings.concurrency, settings.stages or (), clock.now(), settings.shared
        )
        self._sweeper = Sweeper(
            ledger,
            self._queue,
            clock,
            settings,
            self._registration,
            self._heartbeater,
            self.name,
            on_run_ended,
        )
        self._claimer = Claimer(
            ledger,
            self._queue,
            notifier,
            clock,
            settings,
            self.name,
            executor.stages,
            self._heartbeater.any_lease,
            self._sweeper.wake,
        )
        self._vector_indexer = VectorIndexer(ledger)
        self._word_indexer = WordIndexer(ledger)
        self._tasks: dict[asyncio.Task[None], ClaimedJob] = {}
        self._stopping = asyncio.Event()
        self._stop_now = asyncio.Event()

    async def run(self) -> None:
        """Work until `stop`; then release the jobs that are not finished within `grace_seconds`."""
        if self._session is not None:
            self._registration.session_lock = await self._session.open(self.name)
        self._heartbeater.start()
        background = [
            asyncio.create_task(part.run())
            for part in (self._queue, self._settler, self._sweeper, self._vector_indexer, self._word_indexer)
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
            if self._session is not None:
                await self._session.close()

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
            held = self._heartbeater.hold(next_job.lease, asked_at, cancel)
            executed: list[ExecutedStage] = []
            try:
                executed = await self._execute_stages(next_job, held)
                asked_at = time.monotonic()
                next_job = await self._settle_stages(executed, held) if executed else None
            finally:
                self._heartbeater.drop(held)
                settlement = executed[-1].settlement if executed else None
                acknowledge(self._queue, held.lease, settlement, self._clock.now())

    async def _execute_stages(self, job: ClaimedJob, held: HeldLease) -> list[ExecutedStage]:
        """Execute the job, and the short stages after it that need no checkpoint; nothing if the lease is lost.

        A stage that turns out to need the checkpoint of the one before it is not among them.
        """
        executed: list[ExecutedStage] = []
        started = time.monotonic()
        while True:
            with job_context(job):
                try:
                    settlement = await self._execute(job, held)
                except CheckpointNeeded:
                    return executed
                if settlement is None:
                    log_lease_lost(job)
                    return []
            if not isinstance(settlement, Advance) or not settlement.keep:
                return [*executed, ExecutedStage(job, settlement)]
            if time.monotonic() - started > MAX_UNSETTLED_SECONDS:
                return [*executed, ExecutedStage(job, settlement)]
            if not self._executor.needs_no_checkpoint(job, settlement):
                return [*executed, ExecutedStage(job, settlement)]
            settlement = replace(settlement, next_id=new_id())
            executed.append(ExecutedStage(job, settlement))
            assert settlement.next_id is not None
            job = _following(job, settlement, replace(job.lease, job_id=settlement.next_id, epoch=1))

    async def _settle_stages(self, executed: Sequence[ExecutedStage], held: HeldLease) -> ClaimedJob | None:
        """Settle the executed stages, in one transaction if all were completed; the next job if its lease is kept."""
        last = executed[-1]
        if len(executed) > 1 and isinstance(last.settlement, Advance | Finish):
            held.mark_settling()
            try:
                settled = await self._settle_shielded(_joined(executed), held)
            except Exception:
                log.exception("%d stages could not be settled together; settling each", len(executed))
            else:
                return [self._next_job(stage.job, stage.settlement, settled) for stage in executed][-1]
        next_job = None
        for job, settlement in executed:
            with job_log_context(job):
                settled = await self._settle(job, settlement, held)
            next_job = self._next_job(job, settlement, settled)
            if isinstance(settled, LeaseLost) or settled.next is None:
                break
        return next_job

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
            return await settling
        except asyncio.CancelledError:
            # Delivered with the answer, which cannot be cancelled itself.
            return settling.result()

    def _next_job(
        self, job: ClaimedJob, settlement: Settlement, settled: Settled | LeaseLost
    ) -> ClaimedJob | None:
        """The job of the next stage, if its lease was kept."""
        with job_log_context(job):
            if isinstance(settled, LeaseLost):
                log_lease_lost(job)
                return None
            log_completed_stage(job, settlement, settled)
        if isinstance(settlement, Finish | Fail):
            self._on_run_ended()
        if isinstance(settlement, Finish) and settlement.follow_ups:
            self._queue.enqueue()
        if isinstance(settlement, Advance | Finish) and any(
            isinstance(w, Publish) for w in settlement.writes
        ):
            self._vector_indexer.wake()
            self._word_indexer.wake()
        if isinstance(settlement, Advance) and not settlement.keep:
            self._queue.enqueue()
        if settled.next is None or not isinstance(settlement, Advance):
            return None
        return _following(job, settlement, settled.next)

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


def _following(job: ClaimedJob, settlement: Advance, lease: Lease) -> ClaimedJob:
    """The job of the next stage, held by this lease."""
    return replace(
        job,
        lease=lease,
        stage=settlement.next_stage,
        payload=settlement.next_payload,
        results={**job.results, job.stage: settlement.result},
        attempts=0,
        crashes=0,
        suspect=False,
        sealed_password=settlement.sealed_password,
        max_attempts=settlement.max_attempts,
    )


def _joined(executed: Sequence[ExecutedStage]) -> Settlement:
    """One settlement of all stages."""
    joined = executed[-1].settlement
    for _, settlement in reversed(executed[:-1]):
        assert isinstance(settlement, Advance)
        assert isinstance(joined, Advance | Finish)
        joined = replace(settlement, then=joined)
    return joined
