"""How a worker learns that there is work. The queue itself is the ledger; a bell only saves waiting."""

from __future__ import annotations

from typing import Protocol


class Bell(Protocol):
    """Rung when work was queued. May be missed: whoever waits also polls."""

    def ring(self) -> None:
        """Say that there is work. Cheap, never blocks, may be called from any thread."""
        ...

    def rides(self) -> bool:
        """Whether the next ring should ride along in the transaction that submits; then ``ring`` is not needed."""
        ...

    async def wait(self, seconds: float) -> bool:
        """Wait for a ring, at most this long; whether there was one."""
        ...

    @property
    def reliable(self) -> bool:
        """Whether rings from everywhere arrive, so that polling may become slow."""
        ...

    async def open(self) -> None: ...
    async def close(self) -> None: ...
