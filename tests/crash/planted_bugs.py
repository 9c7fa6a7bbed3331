"""Ledgers with one planted bug each: tests prove with them that the drill finds such a bug.

They replace the ledger of the drill's workers through ``drill(..., ledger_factory=...)``.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime

from towpath.drill.fault_injection import FaultInjectingLedger, FaultPoint
from towpath.errors import LeaseLost
from towpath.ledger import statements
from towpath.ledger.contract.settlements import Advance, Finish, Settled, Settlement
from towpath.ledger.database import Database
from towpath.ledger.verbs.publish import apply_write
from towpath.model.writes import Publish

#: How long the inconsistent state lasts, in seconds: long enough for a kill to hit it.
WINDOW = 0.15

_FENCE = re.compile(
    r"and\s+[\w.]*lease_epoch = (?:item\.epoch|item\.value ->> 'epoch'|:epoch)\s+and\s+[\w.]*status = 'PROCESSING'"
)


class NoFence(FaultInjectingLedger):
    """Accepts writes under any lease epoch."""

    def __init__(
        self, database: Database, fault_points: Sequence[FaultPoint], on_fault: Callable[[FaultPoint], None]
    ) -> None:
        super().__init__(database, fault_points, on_fault)
        read = statements.read_file
        statements.read_file = lambda dialect, verb: _FENCE.sub("", read(dialect, verb))
        statements.statements.cache_clear()


class CheckpointBeforeCommit(FaultInjectingLedger):
    """Records a stage as finished before it writes the result of the stage."""

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
            await self.database.run(lambda tx, write=write: apply_write(tx, item.lease.job_id, write))


class PublishInTwoParts(FaultInjectingLedger):
    """Makes half of the chunks visible before the other half."""

    async def settle(
        self, settlements: Sequence[Settlement], now: datetime, *, lease_seconds: float = 30.0
    ) -> list[Settled | LeaseLost]:
        for item in settlements:
            for write in _writes(item):
                if isinstance(write, Publish) and len(write.chunks) > 1:
                    half = len(write.chunks) // 2
                    part = replace(write, chunks=write.chunks[:half], vectors=write.vectors[:half])
                    job_id = item.lease.job_id
                    await self.database.run(
                        lambda tx, job_id=job_id, part=part: apply_write(tx, job_id, part)
                    )
                    await asyncio.sleep(WINDOW)
        return await super().settle(settlements, now, lease_seconds=lease_seconds)


def _writes(item: Settlement) -> Sequence[object]:
    return item.writes if isinstance(item, Advance | Finish) else ()
