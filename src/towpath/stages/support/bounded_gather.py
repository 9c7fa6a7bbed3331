"""Processes items concurrently, up to a limit. After the first error no further item is started."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from typing import TypeVar

T = TypeVar("T")


async def for_each_concurrently(
    items: Iterable[T], work: Callable[[T], Awaitable[None]], concurrency: int
) -> None:
    """Like a TaskGroup, but running items are finished when another one fails: they may be paid calls.

    Raises the first error unchanged. Running items are cancelled only if the caller is cancelled.
    """
    remaining = iter(items)
    errors: list[BaseException] = []

    async def run_items() -> None:
        for item in remaining:
            if errors:
                return
            try:
                await work(item)
            except Exception as error:
                errors.append(error)

    tasks = [asyncio.ensure_future(run_items()) for _ in range(concurrency)]
    try:
        await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    if errors:
        raise errors[0]
