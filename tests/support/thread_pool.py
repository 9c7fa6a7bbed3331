"""ThreadPool: runs the work of child processes in a thread of the test, for tests that are not about child processes.

A child process imports its libraries for a second and more, and most tests of the API process one small document.
Readers of untrusted files in child processes are tested in `security`, `crash` and `integration/test_process_pool.py`.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from typing import Any, TypeVar

from towpath.bootstrap import Overrides
from towpath.process_runner import plain_arguments, work_origin
from towpath.worker.process_pool import ProcessPool, report_from_thread

T = TypeVar("T")

#: Libraries of readers are not all safe in several threads.
_one_at_a_time = threading.Lock()


class ThreadPool(ProcessPool):
    """Runs one function at a time, without limits of time and memory."""

    async def run(
        self,
        function: Callable[..., T],
        *arguments: object,
        on_progress: Callable[[int, int], None] | None = None,
        **_limits: Any,
    ) -> T:
        keywords: dict[str, Any] = {}
        if on_progress is not None:
            keywords["progress"] = report_from_thread(asyncio.get_running_loop(), on_progress)

        def call() -> T:
            with _one_at_a_time:
                return function(*plain_arguments(arguments), **keywords)

        async with self._slots.acquire(work_origin.get()):
            return await asyncio.to_thread(call)


IN_THREADS = Overrides(
    process_pool=lambda settings: ThreadPool(settings.child_processes),
    background_pool=lambda _: ThreadPool(1),
)
