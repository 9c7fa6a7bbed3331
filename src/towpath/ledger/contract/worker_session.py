"""The contract of a worker's database session: it holds a lock that is free as soon as the worker has died."""

from __future__ import annotations

from typing import Protocol


class WorkerSession(Protocol):
    async def open(self, worker: str) -> bool:
        """Hold the lock of this worker until `close`; False if it cannot be had, and the leases have to do."""
        ...

    async def close(self) -> None: ...
