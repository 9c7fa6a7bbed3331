"""Registers the worker in the ledger and refreshes the row, so that idle workers are listed as well."""

from __future__ import annotations

import asyncio
import contextlib
import os
import socket
from dataclasses import replace
from datetime import datetime, timedelta

from towpath.errors import DatabaseUnavailable
from towpath.ledger.contract.ledger import Ledger, WorkerInfo
from towpath.model.ids import new_id
from towpath.model.json_types import Json

#: A refresh goes with a sweep, but not with each one: an idle worker sends one statement every 30 seconds.
REFRESH_INTERVAL = timedelta(seconds=25)


def worker_name() -> str:
    """A unique name: with a repeated name two workers would look like one."""
    return f"{socket.gethostname()}:{os.getpid()}:{new_id()[-8:]}"


class WorkerRegistration:
    """The row of this worker in the table of workers."""

    def __init__(
        self,
        ledger: Ledger,
        worker: str,
        slots: int,
        stages: tuple[str, ...],
        started_at: datetime,
        settings: Json,
    ) -> None:
        self._ledger = ledger
        self._info = WorkerInfo(
            worker, socket.gethostname(), os.getpid(), slots, stages, started_at, settings
        )
        self._registered_at: datetime | None = None
        #: Whether the database session of this worker holds its lock.
        self.session_lock = False
        self._refreshing: asyncio.Future[None] | None = None

    async def refresh(self, now: datetime) -> None:
        if self._registered_at is None or now - self._registered_at >= REFRESH_INTERVAL:
            info = replace(self._info, session_lock=self.session_lock)
            self._refreshing = asyncio.ensure_future(self._ledger.register_worker(info, now))
            await asyncio.shield(self._refreshing)
            self._registered_at = now

    async def end(self) -> None:
        """Remove the row; otherwise the worker is listed as alive until the row expires."""
        if self._refreshing is not None:
            # A refresh that was cancelled goes on in its thread and would write the row again.
            await asyncio.wait({self._refreshing})
        with contextlib.suppress(DatabaseUnavailable):
            await self._ledger.deregister_worker(self._info.id)
