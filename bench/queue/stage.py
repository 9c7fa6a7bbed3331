"""Prepared databases: made once for each schema, copied for each measure; none sees another's leftovers."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncGenerator
from typing import Literal

from bench.contestants.contract import Contestant
from bench.queue.arena import Arena
from bench.queue.plan import Plan

# empty: tables only. filled: and no-op jobs waiting. million: and finished jobs behind those waiting.
Scene = Literal["empty", "filled", "million"]


class Stage:
    def __init__(self, arena: Arena, plan: Plan) -> None:
        self.arena = arena
        self.plan = plan
        self._prepared: set[str] = set()

    @contextlib.asynccontextmanager
    async def database(self, contestant: Contestant, scene: Scene) -> AsyncGenerator[str]:
        """A database set for `scene`, the contestant's submitting side connected; dropped afterwards."""
        name = f"{contestant.key}_{scene}"
        dsn = self.arena.create(name, await self._template(contestant, scene))
        await contestant.connect(dsn)
        try:
            yield dsn
        finally:
            await contestant.close()
            self.arena.drop(name)

    def forget(self, scene: Scene) -> None:
        """Drop the prepared databases of a scene; those of a million jobs take a gigabyte each."""
        for name in [name for name in self._prepared if name.endswith(f"_{scene}")]:
            self.arena.drop(name)
            self._prepared.remove(name)

    async def _template(self, contestant: Contestant, scene: Scene) -> str:
        name = f"prepared_{contestant.schema}_{scene}"
        if name in self._prepared:
            return name
        if scene == "empty":
            await contestant.setup(self.arena.create(name))
        else:
            await contestant.connect(self.arena.create(name, await self._template(contestant, "empty")))
            await self._fill(contestant, scene)
            await contestant.close()
        self.arena.settle(name)
        self._prepared.add(name)
        return name

    async def _fill(self, contestant: Contestant, scene: Scene) -> None:
        if scene == "million":
            await contestant.preload_finished(self.plan.finished_jobs)
        await contestant.fill(self.plan.drain_jobs)
