"""Child processes for CPU-heavy or crash-prone work, with caps of time and memory.

A segfault, a runaway loop or a memory bomb in a parser is an error of that one job, never the end of
the worker. Children are kept warm and replaced after a number of jobs.
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
from typing import Any, TypeVar

from towpath.errors import TowpathError

T = TypeVar("T")

JOBS_PER_CHILD = 200


class ChildCrashed(TowpathError):
    """The child process died while it worked."""


class ChildTimeout(TowpathError):
    """The child process took longer than it was allowed to, and was killed."""


class ChildOutOfMemory(TowpathError):
    """The child process asked for more memory than it was allowed."""


class Child:
    """One process and the channel to it. Used by one job at a time."""

    def __init__(self, niceness: int = 0) -> None:
        ours, theirs = socket.socketpair()
        watch, self._lifeline = os.pipe()
        self.process = subprocess.Popen(
            [sys.executable, "-m", "towpath.worker.child", *map(str, (theirs.fileno(), watch, niceness))],
            pass_fds=(theirs.fileno(), watch),
            stdin=subprocess.DEVNULL,
            env={**os.environ, "OMP_NUM_THREADS": "1", "OMP_THREAD_LIMIT": "1"},
        )
        theirs.close()
        os.close(watch)
        self._channel = Connection(ours.detach())
        self._ending = threading.Lock()
        self._ended = False
        self.jobs = 0

    def exchange(
        self, request: tuple[object, ...], seconds: float, on_progress: Callable[[int, int], None] | None
    ) -> Any:
        """Send one request and wait for its answer. Blocking: runs in a thread."""
        self.jobs += 1
        deadline = time.monotonic() + seconds
        try:
            self._channel.send(request)
            while True:
                if not self._channel.poll(max(0.0, deadline - time.monotonic())):
                    self.kill()
                    raise ChildTimeout(f"Nothing was heard of it for {seconds:.0f} seconds.")
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
                    raise ChildOutOfMemory("It needed more memory than it was given.")
        except (EOFError, ConnectionError) as error:
            # It hangs up before it is gone: a kill in between would hide what it died of.
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.process.wait(1.0)
            self.kill()
            raise ChildCrashed(self._how_it_died()) from error

    def kill(self) -> None:
        with self._ending:
            if self._ended:
                # Its descriptors' numbers may be somebody else's by now.
                return
            self._ended = True
            self.process.kill()
            self.process.wait()
            self._channel.close()
            os.close(self._lifeline)

    def _how_it_died(self) -> str:
        code = self.process.returncode
        if code is not None and code < 0:
            return f"The process reading this file was ended by {signal.Signals(-code).name}."
        return f"The process reading this file ended with code {code}."

    @property
    def usable(self) -> bool:
        return self.process.poll() is None and not self._channel.closed and self.jobs < JOBS_PER_CHILD


class Children:
    """A few warm children, handed out one job at a time. With ``niceness`` they give way to other processes."""

    def __init__(self, most: int, *, memory_bytes: int = 2 << 30, niceness: int = 0) -> None:
        self._slots = asyncio.Semaphore(most)
        self._memory_bytes = memory_bytes
        self._niceness = niceness
        self._idle: list[Child] = []
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
        """Run a module-level function in a child. It is killed when the caller is cancelled."""
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
            child = await self._taken()
            work = loop.run_in_executor(None, child.exchange, request, seconds, report)
            try:
                answer = await asyncio.shield(work)
            except asyncio.CancelledError:
                child.process.kill()
                # Whatever it says at the last moment, nobody waits for it any more.
                with contextlib.suppress(Exception):
                    await work
                raise
            finally:
                self._give_back(child)
            return answer

    def close(self) -> None:
        with self._lock:
            self._closed = True
            idle, self._idle = self._idle, []
        for child in idle:
            child.kill()

    async def _taken(self) -> Child:
        """Starting a child takes a thread some milliseconds; a caller cancelled meanwhile leaves it idle."""
        taking = asyncio.ensure_future(asyncio.to_thread(self._take))
        try:
            return await asyncio.shield(taking)
        except asyncio.CancelledError:
            taking.add_done_callback(self._unwanted)
            raise

    def _unwanted(self, taken: asyncio.Task[Child]) -> None:
        if not taken.cancelled() and taken.exception() is None:
            self._give_back(taken.result())

    def _take(self) -> Child:
        with self._lock:
            while self._idle:
                child = self._idle.pop()
                if child.usable:
                    return child
                child.kill()
        return Child(self._niceness)

    def _give_back(self, child: Child) -> None:
        with self._lock:
            kept = child.usable and not self._closed
            if kept:
                self._idle.append(child)
        if not kept:
            child.kill()


def threadsafe(
    loop: asyncio.AbstractEventLoop, report: Callable[[int, int], None]
) -> Callable[[int, int], None]:
    return lambda done, total: loop.call_soon_threadsafe(report, done, total) and None
