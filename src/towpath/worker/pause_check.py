"""Suspends jobs of paused stages and calls of paused providers. A pause is noticed within a second."""

from __future__ import annotations

from datetime import datetime, timedelta

from towpath.clock import Clock
from towpath.errors import DatabaseUnavailable
from towpath.ledger.contract.pauses import PauseKind, PauseStore
from towpath.model.job import WaitingReason
from towpath.model.outcome import Suspend
from towpath.stages.contract import SuspendStage

#: How old the pauses that were read may be.
REFRESH_INTERVAL = timedelta(seconds=1)
#: A suspended job is looked at again after this time; a resume makes it due at once.
SUSPENDED_FOR = timedelta(minutes=5)


class PauseCheck:
    """The pauses as this process knows them."""

    def __init__(self, pauses: PauseStore, clock: Clock) -> None:
        self._pauses = pauses
        self._clock = clock
        self._known: frozenset[tuple[PauseKind, str]] = frozenset()
        self._read_at: datetime | None = None

    async def stage(self, name: str) -> None:
        """Raise SuspendStage if the stage is paused."""
        await self._require(PauseKind.STAGE, name, None)

    async def provider(self, name: str) -> None:
        """Raise SuspendStage if the provider is paused."""
        await self._require(PauseKind.PROVIDER, name, name)

    async def _require(self, kind: PauseKind, name: str, provider: str | None) -> None:
        now = self._clock.now()
        if self._read_at is None or now - self._read_at >= REFRESH_INTERVAL:
            await self._read(now)
        elif (kind, name) in self._known:
            # It may have been resumed since; then the job must not be suspended again.
            await self._read(now)
        if (kind, name) in self._known:
            raise SuspendStage(Suspend(now + SUSPENDED_FOR, WaitingReason.PAUSED, provider))

    async def _read(self, now: datetime) -> None:
        try:
            self._known = frozenset((pause.kind, pause.name) for pause in await self._pauses.all())
            self._read_at = now
        except DatabaseUnavailable:
            self._read_at = None
