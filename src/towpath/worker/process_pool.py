"""A pool of child processes for CPU-heavy or crash-prone functions, with limits on time and memory.

A segmentation fault, an endless loop or excessive memory use in a parser fails one job and not the worker. Child
processes are reused, and replaced after ``JOBS_PER_CHILD`` jobs by default.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, TypeVar

from towpath.errors import TowpathError

T = TypeVar("T")

JOBS_PER_CHILD = 200


class ChildCrashed(TowpathError):
    """The child process died during a job."""


class ChildKilled(TowpathError):
    """The child process was killed from outside, and not because memory ran out: the job is not at fault."""


class ChildTimeout(TowpathError):
    """The child process exceeded its time limit and was killed."""


class ChildOutOfMemory(TowpathError):
    """The child process exceeded its memory limit."""


class ChildProcess:
    """One child process and its connection. Used by one job at a time."""

    def __init__(self, niceness: int = 0, max_jobs: int = JOBS_PER_CHILD) -> None:
        parent_socket, child_socket = socket.socketpair()
        pipe_reader, self._pipe_writer = os.pipe()
        self.process = subprocess.Popen(
            [
                sys.executable,
                "-m",
                "towpath.worker.pool_worker",
                *map(str, (child_socket.fileno(), pipe_reader, niceness)),
            ],
            pass_fds=(child_socket.fileno(), pipe_reader),
            stdin=subprocess.DEVNULL,
            env={**os.environ, "OMP_NUM_THREADS": "1", "OMP_THREAD_LIMIT": "1"},
        )
        child_socket.close()
        os.close(pipe_reader)
        self._channel = Connection(parent_socket.detach())
        self._kill_lock = threading.Lock()
        self._killed = False
        self.jobs = 0
        self._max_jobs = max_jobs

    def call(
        self, request: tuple[object, ...], seconds: float, on_progress: Callable[[int, int], None] | None
    ) -> Any:
        """Send one request and wait for its answer. Blocking: runs in a thread."""
        self.jobs += 1
        oom_kills = _oom_kills()
        deadline = time.monotonic() + seconds
        try:
            self._channel.send(request)
            while True:
                if not self._channel.poll(max(0.0, deadline - time.monotonic())):
                    self.kill()
                    raise ChildTimeout(f"The child process sent nothing for {seconds:.0f} seconds.")
                kind, value = self._channel.recv()
                if kind == "progress" and on_progress is not None:
                    deadline = time.monotonic() + seconds
                    on_progress(*value)
                elif kind == "done":
                    return value
                elif kind == "raised":
                    raise value
                elif kind == "memory":
                    self.kill()
                    raise ChildOutOfMemory("The child process exceeded its memory limit.")
        except (EOFError, ConnectionError) as error:
            # The connection closes before the process ends: wait, because a kill would hide the exit reason.
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.process.wait(1.0)
            killed_from_outside = self.process.poll() == -signal.SIGKILL and not self._killed
            self.kill()
            if killed_from_outside and oom_kills is not None and _oom_kills() == oom_kills:
                raise ChildKilled("The child process was killed from outside.") from error
            raise ChildCrashed(self._exit_reason()) from error

    def kill(self) -> None:
        with self._kill_lock:
            if self._killed:
                # The numbers of its file descriptors may have been reused.
                return
            self._killed = True
            self.process.kill()
            self.process.wait()
            self._channel.close()
            os.close(self._pipe_writer)

    def _exit_reason(self) -> str:
        code = self.process.returncode
        if code is not None and code < 0:
            return f"The child process was ended by {signal.Signals(-code).name}."
        return f"The child process ended with code {code}."

    @property
    def usable(self) -> bool:
        return self.process.poll() is None and not self._channel.closed and self.jobs < self._max_jobs


class ProcessPool:
    """At most ``size`` child processes, each for one job at a time. ``niceness`` lowers their CPU priority."""

    def __init__(
        self,
        size: int,
        *,
        memory_bytes: int = 2 << 30,
        niceness: int = 0,
        jobs_per_child: int = JOBS_PER_CHILD,
    ) -> None:
        self._slots = asyncio.Semaphore(size)
        self._memory_bytes = memory_bytes
        self._niceness = niceness
        self._jobs_per_child = jobs_per_child
        self._idle: list[ChildProcess] = []
        self._busy: set[ChildProcess] = set()
        self._closed = False
        self._lock = threading.Lock()

    async def run(
        self,
        function: Callable[..., T],
        *arguments: object,
        seconds: float,
        memory_bytes: int | None = None,
        on_progress: Callable[[int, int], None] | None = None,
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
        report = None if on_progress is None else threadsafe(loop, on_progress)
        async with self._slots:
            child = await self._acquire_child()
            self._busy.add(child)
            work = loop.run_in_executor(None, child.call, request, seconds, report)
            try:
                answer = await asyncio.shield(work)
            except asyncio.CancelledError:
                child.process.kill()
                # Wait until the thread ends; its result or error is not needed.
                with contextlib.suppress(Exception):
                    await work
                raise
            finally:
                self._busy.discard(child)
                self._release_child(child)
            return answer

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

    async def _acquire_child(self) -> ChildProcess:
        """Get a child process in a thread, because a start takes some milliseconds; if cancelled, it becomes idle."""
        taking = asyncio.ensure_future(asyncio.to_thread(self._idle_or_new_child))
        try:
            return await asyncio.shield(taking)
        except asyncio.CancelledError:
            taking.add_done_callback(self._release_unused)
            raise

    def _release_unused(self, taken: asyncio.Task[ChildProcess]) -> None:
        if not taken.cancelled() and taken.exception() is None:
            self._release_child(taken.result())

    def _idle_or_new_child(self) -> ChildProcess:
        with self._lock:
            while self._idle:
                child = self._idle.pop()
                if child.usable:
                    return child
                child.kill()
        return ChildProcess(self._niceness, self._jobs_per_child)

    def _release_child(self, child: ChildProcess) -> None:
        with self._lock:
            reusable = child.usable and not self._closed
            if reusable:
                self._idle.append(child)
        if not reusable:
            child.kill()


def _oom_kills() -> int | None:
    """How many processes the kernel has killed because memory ran out; None where it does not say."""
    with contextlib.suppress(OSError):
        for line in Path("/proc/vmstat").read_text("ascii").splitlines():
            name, _, value = line.partition(" ")
            if name == "oom_kill":
                return int(value)
    return None


def threadsafe(
    loop: asyncio.AbstractEventLoop, report: Callable[[int, int], None]
) -> Callable[[int, int], None]:
    return lambda done, total: loop.call_soon_threadsafe(report, done, total) and None
