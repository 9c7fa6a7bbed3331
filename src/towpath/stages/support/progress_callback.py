"""Makes a synchronous callback that reports the progress of a stage to the ledger in the background."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from towpath.model.job import ProgressUnit
from towpath.stages.contract import Context


def progress_callback(context: Context, unit: ProgressUnit) -> Callable[[int, int], None]:
    """A function that takes the progress reports of a child process."""
    loop = asyncio.get_running_loop()
    running: set[asyncio.Task[None]] = set()

    def report(done: int, total: int) -> None:
        task = loop.create_task(_report_ignoring_errors(context, done, total, unit))
        running.add(task)
        task.add_done_callback(running.discard)

    return report


async def _report_ignoring_errors(context: Context, done: int, total: int, unit: ProgressUnit) -> None:
    """Report progress and ignore errors: a lost lease is noticed at the next real write."""
    try:
        await context.progress(done, total, unit)
    except Exception:
        return
