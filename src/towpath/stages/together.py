"""Several pieces of one stage side by side. After the first error no other piece is begun."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from typing import TypeVar

T = TypeVar("T")


async def each(items: Iterable[T], work: Callable[[T], Awaitable[None]], side_by_side: int) -> None:
    """Like a TaskGroup, but pieces under way when another fails are seen through: they may be paid for.

    The first error comes out as it is. Only when the whole is cancelled are all pieces cancelled.
    """
    left = iter(items)
    errors: list[BaseException] = []

    async def lane() -> None:
        for item in left:
            if errors:
                return
            try:
                await work(item)
            except Exception as error:
                errors.append(error)

    lanes = [asyncio.ensure_future(lane()) for _ in range(side_by_side)]
    try:
        await asyncio.gather(*lanes)
    finally:
        for task in lanes:
            task.cancel()
        await asyncio.gather(*lanes, return_exceptions=True)
    if errors:
        raise errors[0]
