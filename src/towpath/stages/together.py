"""Several pieces of one stage side by side, ended together at the first error."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from typing import TypeVar

T = TypeVar("T")


async def each(items: Iterable[T], work: Callable[[T], Awaitable[None]], side_by_side: int) -> None:
    """Like a TaskGroup, but the first error comes out as it is and not inside a group."""
    slots = asyncio.Semaphore(side_by_side)

    async def one(item: T) -> None:
        async with slots:
            await work(item)

    tasks = [asyncio.ensure_future(one(item)) for item in items]
    try:
        await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
