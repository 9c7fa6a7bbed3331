"""Distributes the slots for child processes, so that a few slow documents cannot stop all others.

The documents that have failed before get all slots but the last, together. Any other document may use every slot while
nobody else waits; a free slot then goes to another document first.
"""

from __future__ import annotations

import asyncio
from collections import Counter, deque
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from towpath.process_runner import WorkOrigin


class FairSlots:
    """At most ``size`` users at a time, in the order of their requests as far as the shares allow."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._share = max(1, size - 1)
        self._used = 0
        self._of_document: Counter[str] = Counter()
        self._of_failed = 0
        self._waiting: deque[tuple[asyncio.Future[None], WorkOrigin | None]] = deque()

    @asynccontextmanager
    async def acquire(self, origin: WorkOrigin | None) -> AsyncGenerator[None]:
        """Hold a slot for this document; work without a document is not restricted."""
        granted = asyncio.get_running_loop().create_future()
        self._waiting.append((granted, origin))
        self._grant()
        try:
            await granted
        except asyncio.CancelledError:
            if granted.done() and not granted.cancelled():
                self._release(origin)
            else:
                granted.cancel()
                self._grant()
            raise
        try:
            yield
        finally:
            self._release(origin)

    def _grant(self) -> None:
        """Give free slots to those who wait, in their order; a document that has its share comes after the others."""
        while self._used < self._size:
            waiting = [item for item in self._waiting if not item[0].done()]
            self._waiting = deque(waiting)
            allowed = [item for item in waiting if self._may_have(item[1])]
            if not allowed:
                return
            within_share = (item for item in allowed if not self._has_its_share(item[1]))
            chosen = next(within_share, allowed[0])
            self._waiting.remove(chosen)
            self._count(chosen[1], 1)
            chosen[0].set_result(None)

    def _may_have(self, origin: WorkOrigin | None) -> bool:
        return origin is None or not origin.has_failed or self._of_failed < self._share

    def _has_its_share(self, origin: WorkOrigin | None) -> bool:
        return origin is not None and self._of_document[origin.document_id] >= self._share

    def _release(self, origin: WorkOrigin | None) -> None:
        self._count(origin, -1)
        self._grant()

    def _count(self, origin: WorkOrigin | None, change: int) -> None:
        self._used += change
        if origin is None:
            return
        self._of_document[origin.document_id] += change
        if not self._of_document[origin.document_id]:
            del self._of_document[origin.document_id]
        if origin.has_failed:
            self._of_failed += change
