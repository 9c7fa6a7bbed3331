"""The contract of pauses: stages and providers that people stopped for all organizations, until they resume them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Protocol

from towpath.model.audit import Actor


class PauseKind(StrEnum):
    """What is paused. The values are stored."""

    STAGE = "stage"
    PROVIDER = "provider"


@dataclass(frozen=True, slots=True)
class Pause:
    kind: PauseKind
    name: str
    paused_at: datetime
    paused_by: str


class PauseStore(Protocol):
    async def all(self) -> list[Pause]: ...

    async def pause(self, kind: PauseKind, name: str, now: datetime, *, org_id: str, actor: Actor) -> Pause:
        """Start no job of the stage and no call of the provider; running ones end. Pausing again changes nothing."""
        ...

    async def resume(self, kind: PauseKind, name: str, now: datetime, *, org_id: str, actor: Actor) -> None:
        """End the pause; the jobs that wait for it are due now."""
        ...
