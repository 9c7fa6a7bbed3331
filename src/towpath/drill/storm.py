"""The storm: workers are struck by chance and by choice while somebody watches what readers can see."""

from __future__ import annotations

import asyncio
import random
import signal
import time
from collections.abc import Mapping
from dataclasses import dataclass, field

from sqlalchemy import func, select

from towpath.drill.copies import LEASE_SECONDS, Copy
from towpath.drill.strikes import Strike
from towpath.errors import DatabaseUnavailable
from towpath.ledger.tables import chunks, document_processing_jobs, documents, processing_runs

ALIVE = 3
MEAN_PAUSE = 0.45
LOOK_EVERY = 0.04
#: How long nothing may come to an end once nobody disturbs the copy any more; a slow machine is no finding.
PATIENCE = 90.0

#: What befalls a worker by chance, and how often of a hundred times.
_BLOWS = {"kill": 62, "stop": 18, "leave": 12, "restart": 8}
_VERBS = {
    "advance": 5,
    "finish": 5,
    "call_begin": 3,
    "call_answer": 5,
    "claim": 2,
    "progress": 2,
    "heartbeat": 2,
    "sweep": 1,
}


@dataclass(slots=True)
class Storm:
    copy: Copy
    chance: random.Random
    restart_command: str | None
    #: How many passages each document has when it is complete, learnt from the undisturbed copy.
    complete: dict[str, int] = field(default_factory=dict[str, int])
    restarts: dict[str, int] = field(default_factory=dict[str, int])
    looks: int = 0
    half_seen: dict[str, str] = field(default_factory=dict[str, str])

    async def rage(self, until: float) -> bool:
        """Strike until everything is done, or until it is time; whether everything is done."""
        crew = self.copy.crew
        next_blow = time.monotonic() + self._pause()
        while time.monotonic() < until:
            crew.look_after(self._sleep())
            while len(crew.awake) < ALIVE:
                crew.start(self._strikes())
            if time.monotonic() >= next_blow:
                await self._blow()
                next_blow = time.monotonic() + self._pause()
            await self.look()
            if self.looks % 5 == 0 and await self.unfinished() == 0:
                return True
            await asyncio.sleep(LOOK_EVERY)
        return False

    async def calm_down(self) -> bool:
        """Everybody is relieved by workers that nothing befalls; whether all the work is done then."""
        crew = self.copy.crew
        for member in list(crew.members):
            crew.kill(member)
        for _ in range(2):
            crew.start()
        return await self.at_rest()

    async def at_rest(self) -> bool:
        """Wait until nothing is left to do, as long as there is less and less; whether that came to pass."""
        crew = self.copy.crew
        fewest: int | None = None
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            crew.look_after(0.0)
            await self.look()
            left = await self.unfinished()
            if left == 0:
                return True
            if fewest is None or left < fewest:
                fewest, deadline = left, time.monotonic() + PATIENCE
            await asyncio.sleep(LOOK_EVERY)
        return False

    async def unfinished(self) -> int:
        """Runs and jobs, follow-ups too, that somebody still has to work."""
        jobs, runs = document_processing_jobs.c, processing_runs.c
        going = (
            select(func.count()).where(jobs.status.in_(["PENDING", "PROCESSING"])).scalar_subquery()
            + select(func.count()).where(runs.state.in_(["QUEUED", "RUNNING"])).scalar_subquery()
        )
        return int((await self.copy.ask(select(going)))[0][0])

    async def _blow(self) -> None:
        crew = self.copy.crew
        what = self._drawn(_BLOWS)
        if what == "restart":
            done = await self.copy.restart(self.restart_command)
            self.restarts[done] = self.restarts.get(done, 0) + 1
        elif crew.awake:
            victim = self.chance.choice(crew.awake)
            match what:
                case "kill":
                    crew.kill(victim)
                case "stop":
                    crew.stop(victim, self._sleep())
                case _:
                    crew.leave(victim)

    async def look(self) -> None:
        """Read as a search would: every document is complete, or not there yet."""
        self.looks += 1
        c = documents.c
        query = (
            select(c.id, c.published_run_id, func.count(chunks.c.id).label("passages"))
            .select_from(documents.outerjoin(chunks, chunks.c.document_id == c.id))
            .group_by(c.id, c.published_run_id)
        )
        try:
            rows = await self.copy.database.run(lambda tx: tx.connection.execute(query).all(), read=True)
        except DatabaseUnavailable:
            return
        for row in rows:
            whole = self.complete.get(str(row.id), 0)
            if row.passages != (0 if row.published_run_id is None else whole):
                name = self.copy.names.get(str(row.id), str(row.id))
                self.half_seen[name] = f"{name} was seen with {row.passages} of its {whole} chunks"

    def _strikes(self) -> list[Strike]:
        if self.chance.random() < 0.3:
            return []
        stop = self.chance.random() < 0.4
        verb = self._drawn(_VERBS)
        # Stopped before a verb, a worker has passed every check of its own: only the ledger can refuse it.
        moment = "before" if stop else self.chance.choice(("before", "after"))
        number = signal.SIGSTOP if stop else signal.SIGKILL
        return [Strike(number, moment, verb, self.chance.randint(1, 6))]

    def _pause(self) -> float:
        return min(3.0, self.chance.expovariate(1.0 / MEAN_PAUSE))

    def _sleep(self) -> float:
        """Past the lease, and long enough for somebody else to have the job."""
        return LEASE_SECONDS * self.chance.uniform(1.2, 2.2)

    def _drawn(self, weights: Mapping[str, int]) -> str:
        return self.chance.choices(list(weights), list(weights.values()))[0]
