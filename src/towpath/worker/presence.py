"""A worker's presence: a sign of life now and then, so that one with nothing to do is known as well."""

from __future__ import annotations

import contextlib
import os
import socket
from datetime import datetime, timedelta

from towpath.errors import DatabaseUnavailable
from towpath.ledger.contract import Ledger, SignOfLife
from towpath.model.ids import new_id

#: Signs go with sweeps, though not with each of them: an idle worker sends one statement every half minute.
EVERY = timedelta(seconds=25)


def worker_name() -> str:
    """Never the same twice: a name that repeats would make two workers look like one."""
    return f"{socket.gethostname()}:{os.getpid()}:{new_id()[-8:]}"


class Presence:
    def __init__(
        self, ledger: Ledger, worker: str, slots: int, stages: tuple[str, ...], started_at: datetime
    ) -> None:
        self._ledger = ledger
        self._sign = SignOfLife(worker, socket.gethostname(), os.getpid(), slots, stages, started_at)
        self._told_at: datetime | None = None

    async def tell(self, now: datetime) -> None:
        if self._told_at is None or now - self._told_at >= EVERY:
            await self._ledger.sign(self._sign, now)
            self._told_at = now

    async def end(self) -> None:
        """Without it, everybody would take this worker for alive until it is forgotten."""
        with contextlib.suppress(DatabaseUnavailable):
            await self._ledger.leave(self._sign.id)
