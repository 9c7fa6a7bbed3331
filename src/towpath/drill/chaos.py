"""Kills, stops and restarts workers at random while it checks which chunks readers can see."""

from __future__ import annotations

import asyncio
import random
import signal
import time
from collections.abc import Mapping
from dataclasses import dataclass, field

from sqlalchemy import func, select

from towpath.drill.fault_injection import FaultPoint
from towpath.drill.instance import LEASE_SECONDS, Instance
from towpath.drill.redis_server import DrillRedis
from towpath.errors import DatabaseUnavailable
from towpath.ledger.tables import chunks, document_processing_jobs, documents, processing_runs

WORKERS = 3
MEAN_PAUSE = 0.45
CHECK_INTERVAL = 0.04
#: Without faults, at least one run or job must end within this time and this many checks. A check takes about 0.06 s,
#: and longer on a busy machine, where a job takes longer as well: a slow machine is no finding.
STALL_SECONDS = 90.0
STALL_CHECKS = 1_000

#: Random faults and their weights in percent.
_FAULT_WEIGHTS = {"kill": 62, "stop": 18, "terminate": 12, "restart": 8}
#: The same with BullMQ: Redis is killed, and loses its data while it runs.
_REDIS_WEIGHTS = {**_FAULT_WEIGHTS, "kill redis": 6, "flush redis": 14}
#: A killed Redis is started again after at most this many seconds.
MAX_REDIS_SECONDS = 4.0
_VERB_WEIGHTS = {
    "advance": 5,
    "finish": 5,
    "begin_call": 3,
    "save_answer": 5,
    "claim": 2,
    "progress": 2,
    "heartbeat": 2,
    "sweep": 1,
}


@dataclass(slots=True)
class ChaosRunner:
    """Injects random faults into one instance and counts what readers could see meanwhile."""

    instance: Instance
    rng: random.Random
    restart_command: str | None
    redis: DrillRedis | None = None
    #: How many chunks each document has in the undisturbed instance, by document id.
    expected_chunks: dict[str, int] = field(default_factory=dict[str, int])
    restarts: dict[str, int] = field(default_factory=dict[str, int])
    checks: int = 0
    partial_documents: dict[str, str] = field(default_factory=dict[str, str])

    async def run(self, until: float) -> bool:
        """Inject faults until all work is done or the time is over; True if all work is done."""
        pool = self.instance.pool
        next_fault_at = time.monotonic() + self._draw_pause()
        while time.monotonic() < until:
            pool.reap(self._draw_stop_seconds())
            if self.redis is not None:
                self.redis.tend()
            while len(pool.running) < WORKERS:
                pool.start(self._draw_fault_points())
            if time.monotonic() >= next_fault_at:
                await self._inject()
                next_fault_at = time.monotonic() + self._draw_pause()
            await self.check_visible()
            if self.checks % 5 == 0 and await self.unfinished() == 0:
                return True
            await asyncio.sleep(CHECK_INTERVAL)
        return False

    async def finish_undisturbed(self) -> bool:
        """Replace all workers by two without faults and wait; True if they finish all the work."""
        pool = self.instance.pool
        if self.redis is not None:
            self.redis.tend(at_once=True)
        for pooled in list(pool.workers):
            pool.kill(pooled)
        for _ in range(2):
            pool.start()
        return await self.wait_until_idle()

    async def wait_until_idle(self) -> bool:
        """Wait until no work is left; False if nothing ended for ``STALL_SECONDS`` and ``STALL_CHECKS``."""
        pool = self.instance.pool
        fewest: int | None = None
        deadline, last_check = time.monotonic() + STALL_SECONDS, self.checks + STALL_CHECKS
        while time.monotonic() < deadline or self.checks < last_check:
            pool.reap(0.0)
            await self.check_visible()
            left = await self.unfinished()
            if left == 0:
                return True
            if fewest is None or left < fewest:
                fewest = left
                deadline, last_check = time.monotonic() + STALL_SECONDS, self.checks + STALL_CHECKS
            await asyncio.sleep(CHECK_INTERVAL)
        return False

    async def unfinished(self) -> int:
        """The number of unfinished runs and jobs, follow-up jobs included."""
        jobs, runs = document_processing_jobs.c, processing_runs.c
        unfinished = (
            select(func.count()).where(jobs.status.in_(["PENDING", "PROCESSING"])).scalar_subquery()
            + select(func.count()).where(runs.state.in_(["QUEUED", "RUNNING"])).scalar_subquery()
        )
        return int((await self.instance.rows(select(unfinished)))[0][0])

    async def _inject(self) -> None:
        pool = self.instance.pool
        fault = self._draw(_FAULT_WEIGHTS if self.redis is None else _REDIS_WEIGHTS)
        if fault.endswith(" redis"):
            await self._disturb_redis(fault)
        elif fault == "restart":
            action = await self.instance.restart(self.restart_command)
            self.restarts[action] = self.restarts.get(action, 0) + 1
        elif pool.running:
            pooled = self.rng.choice(pool.running)
            match fault:
                case "kill":
                    pool.kill(pooled)
                case "stop":
                    pool.stop(pooled, self._draw_stop_seconds())
                case _:
                    pool.terminate(pooled)

    async def _disturb_redis(self, fault: str) -> None:
        redis = self.redis
        if redis is None or not redis.is_up:
            return
        if fault == "kill redis":
            redis.kill(self.rng.uniform(0.0, MAX_REDIS_SECONDS))
        else:
            await asyncio.to_thread(redis.flush)
        action = "kills of Redis" if fault == "kill redis" else "times Redis was emptied"
        self.restarts[action] = self.restarts.get(action, 0) + 1

    async def check_visible(self) -> None:
        """Read as a search would, and record every document that is visible with a part of its chunks."""
        self.checks += 1
        c = documents.c
        query = (
            select(c.id, c.published_run_id, func.count(chunks.c.id).label("chunk_count"))
            .select_from(documents.outerjoin(chunks, chunks.c.document_id == c.id))
            .group_by(c.id, c.published_run_id)
        )
        try:
            rows = await self.instance.database.run(lambda tx: tx.connection.execute(query).all(), read=True)
        except DatabaseUnavailable:
            return
        for row in rows:
            expected = self.expected_chunks.get(str(row.id), 0)
            if row.chunk_count != (0 if row.published_run_id is None else expected):
                name = self.instance.document_names.get(str(row.id), str(row.id))
                self.partial_documents[name] = (
                    f"{name} was seen with {row.chunk_count} of its {expected} chunks"
                )

    def _draw_fault_points(self) -> list[FaultPoint]:
        if self.rng.random() < 0.3:
            return []
        stop = self.rng.random() < 0.4
        verb = self._draw(_VERB_WEIGHTS)
        # A worker stopped before a verb has passed its own lease check: only the ledger can refuse the write.
        moment = "before" if stop else self.rng.choice(("before", "after"))
        number = signal.SIGSTOP if stop else signal.SIGKILL
        return [FaultPoint(number, moment, verb, self.rng.randint(1, 6))]

    def _draw_pause(self) -> float:
        return min(3.0, self.rng.expovariate(1.0 / MEAN_PAUSE))

    def _draw_stop_seconds(self) -> float:
        """Longer than the lease, so that another worker takes the job over."""
        return LEASE_SECONDS * self.rng.uniform(1.2, 2.2)

    def _draw(self, weights: Mapping[str, int]) -> str:
        return self.rng.choices(list(weights), list(weights.values()))[0]
