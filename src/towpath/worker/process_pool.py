"""A pool of child processes for CPU-heavy or crash-prone functions, with limits on time and memory.

A segmentation fault, an endless loop or excessive memory use in a parser fails one job and not the worker. Child
processes are reused, and replaced after ``JOBS_PER_CHILD`` jobs by default, or when their memory has grown.
"""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Callable
from typing import Any, TypeVar

from towpath.process_runner import ChildAborted, ChildOutOfMemory, CpuBudget, work_origin
from towpath.process_sandbox import SandboxPaths
from towpath.worker.child_process import JOBS_PER_CHILD, ChildProcess
from towpath.worker.fair_slots import FairSlots

T = TypeVar("T")


class ProcessPool:
    """At most ``size`` child processes, each for one job at a time. ``niceness`` lowers their CPU priority."""

    def __init__(
        self,
        size: int,
        *,
        memory_bytes: int = 2 << 30,
        niceness: int = 0,
        jobs_per_child: int = JOBS_PER_CHILD,
        sandboxed: bool = True,
    ) -> None:
        self._slots = FairSlots(size)
        self._memory_bytes = memory_bytes
        self._niceness = niceness
        self._jobs_per_child = jobs_per_child
        self._sandboxed = sandboxed
        self._paths: SandboxPaths | None = None
        self._idle: list[ChildProcess] = []
        self._busy: set[ChildProcess] = set()
        self._closed = False
        self._lock = threading.Lock()

    def restrict_files(self, paths: SandboxPaths) -> None:
        """Let child processes that start from now on open these paths only, and files that are handed over."""
        paths.create()
        self._paths = paths

    async def run(
        self,
        function: Callable[..., T],
        *arguments: object,
        seconds: float,
        memory_bytes: int | None = None,
        on_progress: Callable[[int, int], None] | None = None,
        budget: CpuBudget | None = None,
    ) -> T:
        """Run a module-level function in a child process, which is killed when the caller is cancelled."""
        request = (
            function.__module__,
            function.__qualname__,
            arguments,
            memory_bytes or self._memory_bytes,
            on_progress is not None,
        )
        loop = asyncio.get_running_loop()
        report = None if on_progress is None else report_from_thread(loop, on_progress)
        async with self._slots.acquire(work_origin.get()):
            child = await self._acquire_child()
            try:
                return await self._run_in(child, request, seconds, report, budget)
            except (ChildOutOfMemory, ChildAborted):
                if child.jobs == 1:
                    raise
            # Earlier calls left memory in that process. What this call needs shows in a new one only.
            fresh = await self._acquire_child(new=True)
            return await self._run_in(fresh, request, seconds, report, budget)

    async def _run_in(
        self,
        child: ChildProcess,
        request: tuple[object, ...],
        seconds: float,
        report: Callable[[int, int], None] | None,
        budget: CpuBudget | None,
    ) -> Any:
        self._busy.add(child)
        loop = asyncio.get_running_loop()
        work = loop.run_in_executor(None, child.call, request, seconds, report, budget)
        try:
            return await asyncio.shield(work)
        except asyncio.CancelledError:
            child.process.kill()
            # Wait until the thread ends; its result or error is not needed.
            with contextlib.suppress(Exception):
                await work
            raise
        finally:
            self._busy.discard(child)
            self._release_child(child)

    def terminate(self) -> None:
        """Send SIGTERM to the child processes that run a function. They ignore it, unless the function handles it."""
        for child in self._busy:
            child.process.terminate()

    def close(self) -> None:
        with self._lock:
            self._closed = True
            idle, self._idle = self._idle, []
        for child in idle:
            child.kill()

    async def _acquire_child(self, *, new: bool = False) -> ChildProcess:
        """An idle child process; a new one in a thread, because a start takes some milliseconds."""
        idle = None if new else self._idle_child()
        if idle is not None:
            return idle
        # If this is cancelled, the child process becomes idle.
        taking = asyncio.ensure_future(asyncio.to_thread(self._new_child if new else self._idle_or_new_child))
        try:
            return await asyncio.shield(taking)
        except asyncio.CancelledError:
            taking.add_done_callback(self._release_unused)
            raise

    def _release_unused(self, taken: asyncio.Task[ChildProcess]) -> None:
        if not taken.cancelled() and taken.exception() is None:
            self._release_child(taken.result())

    def _idle_child(self) -> ChildProcess | None:
        with self._lock:
            if self._idle and self._idle[-1].usable:
                return self._idle.pop()
        return None

    def _idle_or_new_child(self) -> ChildProcess:
        with self._lock:
            while self._idle:
                child = self._idle.pop()
                if child.usable:
                    return child
                child.kill()
        return self._new_child()

    def _new_child(self) -> ChildProcess:
        return ChildProcess(
            self._niceness, self._jobs_per_child, sandboxed=self._sandboxed, paths=self._paths
        )

    def _release_child(self, child: ChildProcess) -> None:
        with self._lock:
            reusable = child.usable and not self._closed
            if reusable:
                self._idle.append(child)
        if not reusable:
            child.kill()


def report_from_thread(
    loop: asyncio.AbstractEventLoop, report: Callable[[int, int], None]
) -> Callable[[int, int], None]:
    """A function that other threads may call to report progress on the event loop."""
    return lambda done, total: loop.call_soon_threadsafe(report, done, total) and None
