"""A small production: Postgres, both paid services (emulated), a server to ask, and workers that are processes."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import multiprocessing
import signal
import time
from collections.abc import AsyncGenerator, Callable
from dataclasses import dataclass, field, replace
from multiprocessing.context import ForkServerProcess
from pathlib import Path
from typing import Any, TypeVar

from sqlalchemy import text

from tests.support.desk import Desk, opened_desk
from tests.support.emulators.material import Text, pdf
from tests.support.emulators.process import EmulatorProcess, reset, state
from towpath.config import Settings
from towpath.drill.strikes import Strike
from towpath.drill.worker import Orders, work
from towpath.ledger.database import Rows
from towpath.ledger.postgres.database import PostgresDatabase

T = TypeVar("T")

_nursery = multiprocessing.get_context("forkserver")
PATIENCE = 90.0


def letter(number: int) -> bytes:
    """A PDF of one page that no other test has."""
    return pdf(
        [Text(f"Letter number {number}", size=20), Text(f"The boat of day {number} left at noon.", y=110)]
    )


@dataclass(slots=True)
class Town:
    desk: Desk
    emulators: EmulatorProcess
    database: PostgresDatabase
    folder: Path
    workers: list[ForkServerProcess] = field(default_factory=list[ForkServerProcess])

    # What happens

    def start_worker(self, *strikes: str, **settings: Any) -> ForkServerProcess:
        """A worker process; each strike, such as ``before:advance:1``, kills it at that use of that verb."""
        log = self.folder / f"worker-{len(self.workers)}.log"
        chosen = replace(self.settings, **settings)
        struck = tuple(Strike.read(signal.SIGKILL, strike) for strike in strikes)
        orders = Orders(chosen, self.folder, log, struck)
        process = _nursery.Process(target=work, args=(orders,), daemon=True)
        process.start()
        self.workers.append(process)
        return process

    @property
    def settings(self) -> Settings:
        """One job at a time, so that a kill hits one job; a short lease, so that it is soon found."""
        return replace(
            self.desk.towpath.settings,
            worker_concurrency=1,
            lease_seconds=3.0,
            heartbeat_seconds=0.5,
            poll_seconds=0.2,
            max_crashes=20,
            max_attempts=20,
        )

    async def upload(self, *bodies: bytes) -> list[str]:
        return [
            (await self.desk.upload(f"letter-{number}.pdf", body))["id"] for number, body in enumerate(bodies)
        ]

    async def all_completed(self, documents: list[str]) -> None:
        await self.until(
            lambda: self.sql(
                "select 1 where not exists (select 1 from processing_runs where ended_at is null)"
            ),
            "every run to end",
        )
        for document in documents:
            status = await self.desk.get(f"/documents/{document}/status")
            assert status["status"] == "COMPLETED", (status, self.said())

    async def until(self, fact: Callable[[], T | None], what: str) -> T:
        """Ask again and again until ``fact`` has an answer that is true; whoever works here goes on meanwhile."""
        deadline = time.monotonic() + PATIENCE
        while not (answer := await asyncio.to_thread(fact)):
            assert time.monotonic() < deadline, f"Waited in vain for {what}.\n{self.said()}"
            await asyncio.sleep(0.05)
        return answer

    # What there is to see

    def sql(self, query: str, **values: Any) -> Rows:
        return self.database.transact(lambda tx: tx.connection.execute(text(query), values).all())

    def job(self, document_id: str) -> Any:
        """The document's job that is worked or waited for, or the last one."""
        return self.sql(
            "select * from document_processing_jobs where document_id = cast(:id as uuid)"
            " order by created_at desc, id desc limit 1",
            id=document_id,
        )[0]

    def analyses(self, body: bytes | None = None) -> int:
        """How many analyses were billed, of everything or of these bytes."""
        billed = state(self.emulators.document_intelligence)["billed"]
        if body is None:
            return billed["operations"]
        return billed["by_content"].get(hashlib.sha256(body).hexdigest(), 0)

    def batches(self) -> int:
        return state(self.emulators.openai)["billed"]["operations"]

    def asked(self, url: str, verb: str) -> int:
        return sum(request["verb"] == verb for request in state(url)["requests"])

    def reopened(self) -> dict[str, int]:
        rows = self.sql("select provider, sum(reopened) as times from provider_calls group by provider")
        return {row.provider: int(row.times) for row in rows if row.times}

    def said(self) -> str:
        logs = sorted(self.folder.glob("worker-*.log"))
        return "\n".join(log.read_text("utf-8", "replace")[-1500:] for log in logs)

    def close(self) -> None:
        for process in self.workers:
            process.kill()
            process.join(10)


@contextlib.asynccontextmanager
async def opened_town(
    dsn: str, emulators: EmulatorProcess, folder: Path, *, polls: int = 0, work: bool = False, **settings: Any
) -> AsyncGenerator[Town]:
    """A town with a server; with ``work``, that server works too."""
    for url in (emulators.document_intelligence, emulators.openai):
        reset(url, polls=polls)
    given = {
        name.removeprefix("TOWPATH_").lower(): value
        for name, value in emulators.settings.items()
        if "SPEECHKIT" not in name
    }
    chosen = {
        "reader": "azure",
        "embedder": "openai",
        "run_deadline_seconds": None,
        "max_attempts": 3,
        "poll_seconds": 0.2,
        **given,
        **settings,
    }
    async with opened_desk(folder / "data", work=work, database=dsn, **chosen) as desk:
        town = Town(desk, emulators, PostgresDatabase(dsn), folder)
        try:
            yield town
        finally:
            town.close()
            town.database.close()
