"""Ledgers and a queue with one planted bug each: tests prove with them that the drill finds such a bug.

The ledgers replace the ledger of the drill's workers through ``drill(..., ledger_factory=...)``.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime
from typing import cast

from sqlalchemy import text

from towpath.drill.fault_injection import FaultInjectingLedger, FaultPoint
from towpath.errors import LeaseLost
from towpath.job_queue.bullmq import BullMqQueue
from towpath.job_queue.bullmq_client import delivery_id
from towpath.ledger import sql_files
from towpath.ledger.contract.settlements import Advance, Finish, Settled, Settlement, settled_together
from towpath.ledger.database import Database, Transaction
from towpath.ledger.sql_ledger import SqlLedger
from towpath.ledger.verbs.apply_write import apply_write
from towpath.model.job import DueJob
from towpath.model.writes import Publish

#: How long the inconsistent state lasts, in seconds: long enough for a kill to hit it.
WINDOW = 0.15

_FENCE = re.compile(
    r"and\s+[\w.]*lease_epoch = (?:item\.epoch|item\.value ->> 'epoch'|:epoch)"
    r"\s+and\s+(?:[\w.]*status = 'PROCESSING'|case when [\w.]*status = 'PROCESSING' then true else false end)"
)


class NoFence(FaultInjectingLedger):
    """Accepts writes under any lease epoch."""

    def __init__(
        self, database: Database, fault_points: Sequence[FaultPoint], on_fault: Callable[[FaultPoint], None]
    ) -> None:
        super().__init__(database, fault_points, on_fault)
        read = sql_files.read_file
        sql_files.read_file = lambda dialect, verb: _FENCE.sub("", read(dialect, verb))
        sql_files.statements.cache_clear()


class CheckpointBeforeCommit(FaultInjectingLedger):
    """Records a stage as finished before it writes the result of the stage."""

    async def settle(
        self, settlements: Sequence[Settlement], now: datetime, *, lease_seconds: float = 30.0
    ) -> list[Settled | LeaseLost]:
        bare = [_changed(item, writes=()) for item in settlements]
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


class NoFollowUps(FaultInjectingLedger):
    """Completes runs without queueing their follow-ups."""

    async def settle(
        self, settlements: Sequence[Settlement], now: datetime, *, lease_seconds: float = 30.0
    ) -> list[Settled | LeaseLost]:
        without = [_changed(item, follow_ups=()) for item in settlements]
        return await super().settle(without, now, lease_seconds=lease_seconds)


class OfferOnce(BullMqQueue):
    """Offers each job once: what Redis loses is not offered again."""

    _offered: frozenset[str] = frozenset()

    async def unoffered(self, jobs: Sequence[DueJob]) -> list[DueJob]:
        new = [job for job in jobs if delivery_id(job) not in self._offered]
        self._offered |= {delivery_id(job) for job in new}
        return new


class OfferOnceEver(BullMqQueue):
    """Offers each job once, over all workers together: what Redis loses is not offered again."""

    async def unoffered(self, jobs: Sequence[DueJob]) -> list[DueJob]:
        ids = [delivery_id(job) for job in jobs]

        def remember(tx: Transaction) -> set[str]:
            tx.connection.exec_driver_sql("create table if not exists planted_offers (id text primary key)")
            insert = text(
                "insert into planted_offers select unnest(cast(:ids as text[])) on conflict do nothing returning id"
            )
            return set(tx.connection.execute(insert, {"ids": ids}).scalars())

        new = await cast("SqlLedger", self._ledger).database.run(remember)
        return [job for job in jobs if delivery_id(job) in new]


def _writes(item: Settlement) -> Sequence[object]:
    """The writes of all stages that are settled together."""
    links = settled_together(item)
    return [write for link in links if isinstance(link, Advance | Finish) for write in link.writes]


def _changed(item: Settlement, **values: Sequence[object]) -> Settlement:
    """The settlement, and those settled with it, with these values where they have such a field."""
    fields = {name: value for name, value in values.items() if hasattr(item, name)}
    then = item.then if isinstance(item, Advance) else None
    if then is not None:
        return replace(item, **fields, then=_changed(then, **values))
    return replace(item, **fields) if fields else item
