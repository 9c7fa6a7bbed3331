"""A provider for tests that counts the calls that it would bill."""

from __future__ import annotations

import asyncio
import inspect
from collections import Counter
from typing import Any

from towpath.sdk.call_observer import unremembered


class PaidCalls:
    """An async function in place of a paid call. ``answer`` is what it returns, or a function that makes it.

    Equal arguments are the same call. A call with ``idempotency_key`` is billed once for each key, as by providers that
    accept an Idempotency-Key.
    """

    def __init__(self, answer: Any = "") -> None:
        self._answer = answer
        self._keys: set[str] = set()
        #: How often each call was billed, by its arguments.
        self.billed: Counter[str] = Counter()
        #: Calls of a stage outside of `Context.once`: a killed worker makes them again.
        self.outside_once = 0

    async def __call__(self, *arguments: Any, idempotency_key: str | None = None, **named: Any) -> Any:
        # Two points at which a process can be killed: before and after the payment.
        await asyncio.sleep(0)
        self.outside_once += unremembered.get() is not None
        if idempotency_key is None or idempotency_key not in self._keys:
            self.billed[repr((arguments, sorted(named.items())))] += 1
        if idempotency_key is not None:
            self._keys.add(idempotency_key)
        await asyncio.sleep(0)
        answer: Any = self._answer(*arguments, **named) if callable(self._answer) else self._answer
        return await answer if inspect.isawaitable(answer) else answer

    @property
    def count(self) -> int:
        """All billed calls."""
        return self.billed.total()

    @property
    def repeated(self) -> int:
        """Billed calls beyond the first one of each."""
        return self.billed.total() - len(self.billed)

    def reset(self) -> None:
        self._keys.clear()
        self.billed.clear()
        self.outside_once = 0
