"""Progress told from a callback: the ledger hears of it from the loop, in the background."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from towpath.stages.contract import Context


def reporter(context: Context) -> Callable[[int, int], None]:
    """A plain function that a child process's reports can be handed to."""
    loop = asyncio.get_running_loop()
    running: set[asyncio.Task[None]] = set()

    def report(done: int, total: int) -> None:
        task = loop.create_task(_quietly(context, done, total))
        running.add(task)
        task.add_done_callback(running.discard)

    return report


async def _quietly(context: Context, done: int, total: int) -> None:
    """A lost lease shows at the next real write; progress is not worth failing for."""
    try:
        await context.progress(done, total)
    except Exception:
        return
