"""Three mistakes that a program like this can make, to prove that the drill turns red with each.

A drill that cannot fail proves nothing. The faults live in the drill's own worker processes, are chosen by
the environment variable ``TOWPATH_DRILL_FAULT``, and are out of reach of every other command.
"""

from __future__ import annotations

import asyncio
import os
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime

from towpath.drill.strikes import PerilousLedger, Strike
from towpath.errors import ConfigError, LeaseLost
from towpath.ledger import statements
from towpath.ledger.contract import Advance, Finish, Settled, Settlement
from towpath.ledger.database import Database
from towpath.ledger.verbs.publish import apply
from towpath.model.writes import Publish

VARIABLE = "TOWPATH_DRILL_FAULT"
#: How long a mistake stays open: long enough for a kill to fall into it.
WINDOW = 0.15

_FENCE = re.compile(
    r"and\s+[\w.]*lease_epoch = (?:item\.epoch|item\.value ->> 'epoch'|:epoch)\s+and\s+[\w.]*status = 'PROCESSING'"
)


def chosen() -> str | None:
    """The fault that was asked for, if any."""
    name = os.environ.get(VARIABLE) or None
    if name is not None and name not in FAULTS:
        raise ConfigError(f"{VARIABLE} must be one of {', '.join(FAULTS)}, not {name!r}.")
    return name


def ledger_with(
    fault: str | None, database: Database, strikes: Sequence[Strike], announce: Callable[[Strike], None]
) -> PerilousLedger:
    return (PerilousLedger if fault is None else FAULTS[fault])(database, strikes, announce)


class FenceOff(PerilousLedger):
    """Writes under any epoch are taken."""

    def __init__(
        self, database: Database, strikes: Sequence[Strike], announce: Callable[[Strike], None]
    ) -> None:
        super().__init__(database, strikes, announce)
        read = statements.read_file
        statements.read_file = lambda dialect, verb: _FENCE.sub("", read(dialect, verb))
        statements.statements.cache_clear()


class CheckpointBeforeCommit(PerilousLedger):
    """A stage is recorded as finished first, and what it made is written afterwards."""

    async def settle(
        self, settlements: Sequence[Settlement], now: datetime, *, lease_seconds: float = 30.0
    ) -> list[Settled | LeaseLost]:
        bare = [replace(item, writes=()) if _writes(item) else item for item in settlements]
        answers = await super().settle(bare, now, lease_seconds=lease_seconds)
        await asyncio.sleep(WINDOW)
        for item, answer in zip(settlements, answers, strict=True):
            if isinstance(answer, Settled):
                await self._write(item)
        return answers

    async def _write(self, item: Settlement) -> None:
        for write in _writes(item):
            await self.database.run(lambda tx, write=write: apply(tx, item.lease.job_id, write))


class PublishInPieces(PerilousLedger):
    """Half of the passages are made visible before the other half."""

    async def settle(
        self, settlements: Sequence[Settlement], now: datetime, *, lease_seconds: float = 30.0
    ) -> list[Settled | LeaseLost]:
        for item in settlements:
            for write in _writes(item):
                if isinstance(write, Publish) and len(write.chunks) > 1:
                    half = len(write.chunks) // 2
                    piece = replace(write, chunks=write.chunks[:half], vectors=write.vectors[:half])
                    job_id = item.lease.job_id
                    await self.database.run(lambda tx, job_id=job_id, piece=piece: apply(tx, job_id, piece))
                    await asyncio.sleep(WINDOW)
        return await super().settle(settlements, now, lease_seconds=lease_seconds)


FAULTS: dict[str, type[PerilousLedger]] = {
    "fence": FenceOff,
    "checkpoint": CheckpointBeforeCommit,
    "publish": PublishInPieces,
}


def _writes(item: Settlement) -> Sequence[object]:
    return item.writes if isinstance(item, Advance | Finish) else ()
