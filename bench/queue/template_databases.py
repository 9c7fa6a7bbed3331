"""Template databases: prepared once for each schema and copied for each measurement."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncGenerator
from typing import Literal

from bench.libraries.contract import QueueLibrary
from bench.queue.databases import BenchmarkDatabases
from bench.queue.plan import Plan

# empty: tables only. filled: with pending no-op jobs. million: with pending and a million finished jobs.
Template = Literal["empty", "filled", "million"]


class TemplateDatabases:
    """Prepares template databases and copies them."""

    def __init__(self, databases: BenchmarkDatabases, plan: Plan) -> None:
        self.databases = databases
        self.plan = plan
        self._prepared: set[str] = set()

    @contextlib.asynccontextmanager
    async def database(self, library: QueueLibrary, template: Template) -> AsyncGenerator[str]:
        """Copy the template, connect the library's submitting side, and drop the copy afterwards."""
        name = f"{library.key}_{template}"
        dsn = self.databases.create(name, await self._template(library, template))
        await library.connect(dsn)
        try:
            yield dsn
        finally:
            await library.close()
            self.databases.drop(name)

    def forget(self, template: Template) -> None:
        """Drop the prepared databases of a template; a million jobs take a gigabyte per database."""
        for name in [name for name in self._prepared if name.endswith(f"_{template}")]:
            self.databases.drop(name)
            self._prepared.remove(name)

    async def _template(self, library: QueueLibrary, template: Template) -> str:
        name = f"prepared_{library.schema}_{template}"
        if name in self._prepared:
            return name
        if template == "empty":
            await library.setup(self.databases.create(name))
        else:
            await library.connect(self.databases.create(name, await self._template(library, "empty")))
            await self._fill(library, template)
            await library.close()
        self.databases.settle(name)
        self._prepared.add(name)
        return name

    async def _fill(self, library: QueueLibrary, template: Template) -> None:
        if template == "million":
            await library.preload_finished(self.plan.finished_jobs)
        await library.fill(self.plan.drain_jobs)
