"""One child process of a pool: sends it calls, watches its limits on time and memory, and says why it ended."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from functools import partial
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, cast

from towpath.os_resources import resident_bytes_of
from towpath.process_runner import (
    ChildAborted,
    ChildCrashed,
    ChildKilled,
    ChildOutOfMemory,
    CpuBudget,
)
from towpath.process_sandbox import SandboxPaths, clean_environment
from towpath.worker.child_call_limits import WATCH_SECONDS, CallLimits
from towpath.worker.child_process_main import encode_sandbox
from towpath.worker.file_handover import open_files, send_descriptors
from towpath.worker.safe_pickle import decode

#: A start with its imports and models takes some seconds of CPU time, the job of a small document some milliseconds.
JOBS_PER_CHILD = 5_000
#: After this many jobs a child process has loaded what it needs. Its memory is then compared every so many jobs,
#: and it is replaced when it has grown by this factor: libraries that leak memory must not fill the machine.
JOBS_PER_MEMORY_CHECK = 100
MAX_MEMORY_GROWTH = 2.0
#: How old the number of processes that the kernel has killed may be, in seconds; reading it takes 0.1 ms.
OOM_COUNT_SECONDS = 1.0
#: Largest answer of a sandboxed child process. Larger results are written to an `OutputFile`.
MAX_ANSWER_BYTES = 256 << 20

#: What a child has sent when it has sent nothing yet.
_NOTHING: tuple[str, Any] = ("nothing", None)


class ChildProcess:
    """One child process and its connection. Used by one job at a time."""

    def __init__(
        self,
        niceness: int = 0,
        max_jobs: int = JOBS_PER_CHILD,
        *,
        sandboxed: bool = True,
        paths: SandboxPaths | None = None,
    ) -> None:
        self._socket, child_socket = socket.socketpair()
        pipe_reader, self._pipe_writer = os.pipe()
        self._scratch = paths and paths.scratch
        self._sandboxed = sandboxed
        self.process = subprocess.Popen(
            [
                sys.executable,
                "-m",
                "towpath.worker.child_process_main",
                *map(str, (child_socket.fileno(), pipe_reader, niceness)),
                encode_sandbox(sandboxed, paths),
            ],
            pass_fds=(child_socket.fileno(), pipe_reader),
            stdin=subprocess.DEVNULL,
            env=_environment(sandboxed, paths),
        )
        child_socket.close()
        os.close(pipe_reader)
        self._channel = Connection(os.dup(self._socket.fileno()))
        self._kill_lock = threading.Lock()
        self._killed = False
        self._poller = select.poll()
        self._poller.register(self._channel.fileno(), select.POLLIN)
        self.jobs = 0
        self._max_jobs = max_jobs
        #: Resident memory at the first check; 0 before it.
        self._loaded_bytes = 0
        self._has_grown = False

    def call(
        self,
        request: tuple[object, ...],
        seconds: float,
        on_progress: Callable[[int, int], None] | None,
        budget: CpuBudget | None = None,
    ) -> Any:
        """Send one request and wait for its answer. Blocking: runs in a thread."""
        self.jobs += 1
        module, name, arguments, *limits = request
        with open_files(cast("tuple[object, ...]", arguments), self._scratch) as (replaced, descriptors):
            start_watch = partial(CallLimits, self.process.pid, seconds, budget, cast("int", limits[0]))
            answer = self._exchange((module, name, replaced, *limits), descriptors, start_watch, on_progress)
        if self.jobs % JOBS_PER_MEMORY_CHECK == 0:
            self._check_memory()
        return answer

    def _check_memory(self) -> None:
        used = resident_bytes_of(self.process.pid)
        self._loaded_bytes = self._loaded_bytes or used
        self._has_grown = used > MAX_MEMORY_GROWTH * self._loaded_bytes

    def _exchange(
        self,
        request: tuple[object, ...],
        descriptors: list[int],
        start_watch: Callable[[], CallLimits],
        on_progress: Callable[[int, int], None] | None,
    ) -> Any:
        """The answer. A call that ends within the time between two looks is not watched: a look reads three files."""
        oom_kills = _recent_oom_kills()
        watch: CallLimits | None = None
        try:
            self._channel.send(request)
            send_descriptors(self._socket, descriptors)
            unwatched_until = time.monotonic() + WATCH_SECONDS
            while True:
                poll_seconds = WATCH_SECONDS if watch is None else watch.poll_seconds()
                arrived = bool(self._poller.poll(1000 * poll_seconds))
                kind, value = self._receive() if arrived else _NOTHING
                if kind in ("nothing", "progress"):
                    if watch is None and time.monotonic() >= unwatched_until:
                        watch = start_watch()
                    if watch is not None and (exceeded := watch.exceeded(arrived=arrived)) is not None:
                        self.kill()
                        raise exceeded
                if kind == "progress" and on_progress is not None:
                    if watch is not None:
                        watch.restart()
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
            aborted = self.process.returncode == -signal.SIGABRT
            raise (ChildAborted if aborted else ChildCrashed)(self._exit_reason()) from error

    def _receive(self) -> tuple[str, Any]:
        if not self._sandboxed:
            return self._channel.recv()
        try:
            data = self._channel.recv_bytes(MAX_ANSWER_BYTES)
        except (EOFError, ConnectionError):
            raise
        except OSError as error:
            self.kill()
            raise ChildOutOfMemory(f"The answer has more than {MAX_ANSWER_BYTES >> 20} MB.") from error
        try:
            return decode(data)
        except Exception as error:
            self.kill()
            raise ChildCrashed(f"The child process sent an answer that is not accepted: {error}") from error

    def kill(self) -> None:
        with self._kill_lock:
            if self._killed:
                # The numbers of its file descriptors may have been reused.
                return
            self._killed = True
            self.process.kill()
            self.process.wait()
            self._channel.close()
            self._socket.close()
            os.close(self._pipe_writer)

    def _exit_reason(self) -> str:
        code = self.process.returncode
        if code is not None and code < 0:
            return f"The child process was ended by {signal.Signals(-code).name}."
        return f"The child process ended with code {code}."

    @property
    def usable(self) -> bool:
        if self._channel.closed or self._has_grown or self.jobs >= self._max_jobs:
            return False
        return self.process.poll() is None


def _environment(sandboxed: bool, paths: SandboxPaths | None) -> dict[str, str]:
    """The environment of a child process: without secrets if it is sandboxed, and with one thread for each library."""
    threads = {"OMP_NUM_THREADS": "1", "OMP_THREAD_LIMIT": "1"}
    if not sandboxed:
        return {**os.environ, **threads}
    environment = {**clean_environment(os.environ), **threads}
    if paths is not None:
        folder = str(paths.temporary)
        environment |= {"HOME": folder, "TMPDIR": folder}
    return environment


#: The number of processes that the kernel had killed, and the monotonic time until which it is used.
_oom_count: tuple[int | None, float] = (None, 0.0)


def _recent_oom_kills() -> int | None:
    """The number before a call: an older one can only make a kill from outside look like one of the kernel."""
    global _oom_count
    if time.monotonic() >= _oom_count[1]:
        _oom_count = (_oom_kills(), time.monotonic() + OOM_COUNT_SECONDS)
    return _oom_count[0]


def _oom_kills() -> int | None:
    """How many processes the kernel has killed because memory ran out; None where it does not say."""
    with contextlib.suppress(OSError):
        _, found, rest = Path("/proc/vmstat").read_bytes().partition(b"\noom_kill ")
        return int(rest.partition(b"\n")[0]) if found else None
    return None
