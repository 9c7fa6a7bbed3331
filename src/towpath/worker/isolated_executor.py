"""Runs a suspect job alone in a child process, so that a crash is attributed to this job and to no other.

A job is a suspect when the process that worked on it died: a kill, a restart, or one of the jobs in it. The worker
waits for the child process and sees how it ends. If the worker itself dies, nothing is counted: the child ends with
it, and the job is still a suspect.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import signal
import sys
import time
from collections.abc import AsyncGenerator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from towpath.errors import DatabaseUnavailable
from towpath.ledger.contract.settlements import Advance, Release, Settlement
from towpath.model.job import ClaimedJob
from towpath.process_runner import ChildCrashed, ChildKilled
from towpath.worker.executor import Executor
from towpath.worker.heartbeat import Heartbeater
from towpath.worker.process_pool import ProcessPool
from towpath.worker.settings import WorkerSettings

log = logging.getLogger(__name__)

#: Upper limit in seconds: the deadline of a run and a lost lease end the child process sooner.
LONGEST_STAGE = 7 * 24 * 3600.0
#: The kernel ends the process with the highest value first when memory runs out: the child, and not the worker.
OOM_SCORE = "900"
#: Jobs of one worker that run alone at the same time. Each needs a process with the whole program, and after a kill
#: every job that ran is a suspect: a process for each of them at once would occupy the machine.
MAX_ALONE = 2
#: Seconds between two changes of the deadline of a run whose stage has not begun.
POSTPONE_SECONDS = 1.0


@dataclass(frozen=True, slots=True)
class ExecutorFactory:
    """How a child process opens an executor: a module-level function and its arguments, which are pickled."""

    open: Callable[..., AbstractAsyncContextManager[Executor]]
    arguments: tuple[object, ...]


class IsolatedExecutor:
    """Runs each job in a new child process, at most ``MAX_ALONE`` at a time; the others wait with their lease."""

    def __init__(self, factory: ExecutorFactory, settings: WorkerSettings) -> None:
        self._factory = factory
        self._settings = settings
        self._pool = ProcessPool(MAX_ALONE, memory_bytes=sys.maxsize, jobs_per_child=1, sandboxed=False)
        self._slots = asyncio.Semaphore(MAX_ALONE)
        self._stopping = False

    async def execute(
        self, job: ClaimedJob, executor: Executor, *, keep: Callable[[str], bool]
    ) -> Settlement | None:
        """Run the job's stage in a child process; None if the lease is lost. ``executor`` settles a crash."""
        async with _postponed_deadline(job, executor) as begun, self._slots:
            if self._stopping:
                return Release(job.lease)
            return await self._run_alone(job, executor, begun, keep=keep)

    async def _run_alone(
        self, job: ClaimedJob, executor: Executor, begun: asyncio.Event, *, keep: Callable[[str], bool]
    ) -> Settlement | None:
        log.info("stage %s of run %s runs alone: the process that ran it before died", job.stage, job.run_id)
        try:
            settlement = await self._pool.run(
                execute_alone,
                self._factory,
                job,
                self._settings,
                seconds=LONGEST_STAGE,
                on_progress=lambda _done, _total: begun.set(),
            )
        except ChildKilled:
            return Release(job.lease)
        except ChildCrashed as error:
            if begun.is_set():
                return executor.crashed(job, error)
            # The child died before the stage started: its environment is at fault, not the document.
            return executor.failed(job, RuntimeError(f"No process could be started for the job: {error}"))
        except Exception as error:
            return executor.failed(job, error)
        if isinstance(settlement, Advance):
            return replace(settlement, keep=keep(settlement.next_stage))
        return settlement

    def stop(self) -> None:
        """Let the running jobs start no more provider calls, like `Executor.stop`, and start no other job."""
        self._stopping = True
        self._pool.terminate()

    def close(self) -> None:
        self._pool.close()


@asynccontextmanager
async def _postponed_deadline(job: ClaimedJob, executor: Executor) -> AsyncGenerator[asyncio.Event]:
    """Until the event is set, move the deadline of the run by the time that passes.

    Other suspects may occupy the child processes for as long as a run may take, and on a busy machine a process takes
    long to start. A run that has not begun cannot make progress, so it would not be continued after its deadline.
    """
    begun = asyncio.Event()
    postponing = asyncio.create_task(_postpone_deadline(job, executor, begun))
    try:
        yield begun
    finally:
        postponing.cancel()
        (failure,) = await asyncio.gather(postponing, return_exceptions=True)
        if isinstance(failure, Exception):
            log.error("the deadline of run %s could not be postponed", job.run_id, exc_info=failure)


async def _postpone_deadline(job: ClaimedJob, executor: Executor, begun: asyncio.Event) -> None:
    since = time.monotonic()
    begun_at: float | None = None
    while True:
        if begun_at is None:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(begun.wait(), POSTPONE_SECONDS)
            begun_at = time.monotonic() if begun.is_set() else None
        else:
            # The database did not answer.
            await asyncio.sleep(POSTPONE_SECONDS)
        until = time.monotonic() if begun_at is None else begun_at
        with contextlib.suppress(DatabaseUnavailable):
            await executor.ledger.postpone_deadline(job.lease, until - since)
            since = until
            if begun_at is not None:
                return


def execute_alone(
    factory: ExecutorFactory,
    job: ClaimedJob,
    settings: WorkerSettings,
    *,
    progress: Callable[[int, int], None],
) -> Settlement | None:
    """Main function of the child process."""
    with contextlib.suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text(OOM_SCORE, "ascii")
    return asyncio.run(_execute(factory, job, settings, progress))


async def _execute(
    factory: ExecutorFactory, job: ClaimedJob, settings: WorkerSettings, progress: Callable[[int, int], None]
) -> Settlement | None:
    asked_at = time.monotonic()
    async with factory.open(*factory.arguments) as executor:
        task = asyncio.current_task()
        assert task is not None
        loop = asyncio.get_running_loop()
        # The worker renews the lease too. The child needs its own heartbeat to know how long it may write.
        heartbeater = Heartbeater(
            executor.ledger,
            executor.clock,
            settings.lease_seconds,
            settings.heartbeat_seconds,
            sole_worker=settings.sole_worker,
        )
        held = heartbeater.hold(job.lease, asked_at, lambda: loop.call_soon_threadsafe(task.cancel) and None)
        heartbeater.start()
        loop.add_signal_handler(signal.SIGTERM, executor.stop)
        progress(0, 1)
        try:
            return await executor.execute(job, held, keep=lambda _stage: False)
        except asyncio.CancelledError:
            return None
        finally:
            heartbeater.stop()
