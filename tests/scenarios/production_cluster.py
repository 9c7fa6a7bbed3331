"""A small production cluster: Postgres, emulated paid providers, a server, and worker processes."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import signal
from collections.abc import AsyncGenerator, Callable
from dataclasses import dataclass, field, replace
from multiprocessing.context import ForkServerProcess
from pathlib import Path
from typing import Any, TypeVar

from sqlalchemy import text

from tests.support.api_client import ApiClient, open_api_client
from tests.support.emulators.process import EmulatorProcess, reset, state
from tests.support.emulators.sample_sources import Text, pdf
from tests.support.fork_server import fork_server
from tests.support.timeouts import LONG_LEASE_SECONDS, PROCESS_SECONDS, wait_until
from towpath.config import Settings
from towpath.drill.fault_injection import FaultPoint
from towpath.drill.worker import WorkerSpec, run_worker
from towpath.ledger.database import Rows
from towpath.ledger.postgres.database import PostgresDatabase

T = TypeVar("T")


def letter(number: int) -> bytes:
    """A PDF of one page with different bytes for each number."""
    return pdf(
        [Text(f"Letter number {number}", size=20), Text(f"The boat of day {number} left at noon.", y=110)]
    )


@dataclass(slots=True)
class ProductionCluster:
    """A server inside the test, worker processes, a Postgres database and the provider emulators."""

    client: ApiClient
    emulators: EmulatorProcess
    database: PostgresDatabase
    folder: Path
    workers: list[ForkServerProcess] = field(default_factory=list[ForkServerProcess])

    # Actions

    def start_worker(self, *fault_points: str, **settings: Any) -> ForkServerProcess:
        """A worker process; each fault point, such as ``before:advance:1``, kills it at that use of that verb."""
        log = self.folder / f"worker-{len(self.workers)}.log"
        all_settings = replace(self.settings, **settings)
        faults = tuple(FaultPoint.parse(signal.SIGKILL, fault_point) for fault_point in fault_points)
        spec = WorkerSpec(all_settings, self.folder, log, faults)
        process = fork_server.Process(target=run_worker, args=(spec,), daemon=True)
        process.start()
        self.workers.append(process)
        return process

    @property
    def settings(self) -> Settings:
        """One job at a time, so that a kill hits one job; a lease that a starved worker keeps."""
        return replace(
            self.client.runtime.settings,
            worker_concurrency=1,
            lease_seconds=LONG_LEASE_SECONDS,
            heartbeat_seconds=5.0,
            poll_seconds=0.2,
            max_crashes=20,
            max_attempts=20,
        )

    async def upload(self, *bodies: bytes) -> list[str]:
        return [
            (await self.client.upload(f"letter-{number}.pdf", body))["id"]
            for number, body in enumerate(bodies)
        ]

    async def all_completed(self, documents: list[str]) -> None:
        await self.wait_until(
            lambda: self.sql(
                "select 1 where not exists (select 1 from processing_runs where ended_at is null)"
            ),
            "every run to end",
        )
        for document in documents:
            status = await self.client.get(f"/documents/{document}/status")
            assert status["status"] == "COMPLETED", (status, self.worker_logs())

    async def wait_until(self, fact: Callable[[], T | None], what: str) -> T:
        """Wait in a thread until ``fact`` returns something true; the server's event loop goes on meanwhile."""
        try:
            return await asyncio.to_thread(wait_until, fact, what, every=0.05)
        except AssertionError as error:
            raise AssertionError(f"{error}\n{self.worker_logs()}") from None

    def expire_leases(self) -> None:
        """End the lease of every job that is being processed, so that another worker takes it over at once."""
        self.sql(
            "update document_processing_jobs set lease_until = now() where status = 'PROCESSING' returning 1"
        )

    # Facts

    def sql(self, query: str, **values: Any) -> Rows:
        return self.database.transact(lambda tx: tx.connection.execute(text(query), values).all())

    def job(self, document_id: str) -> Any:
        """The newest job of the document."""
        return self.sql(
            "select * from document_processing_jobs where document_id = cast(:id as uuid)"
            " order by created_at desc, id desc limit 1",
            id=document_id,
        )[0]

    def analyses(self, body: bytes | None = None) -> int:
        """The number of billed analyses, in total or of these bytes."""
        billed = state(self.emulators.document_intelligence)["billed"]
        if body is None:
            return billed["operations"]
        return billed["by_content"].get(hashlib.sha256(body).hexdigest(), 0)

    def batches(self) -> int:
        return state(self.emulators.openai)["billed"]["operations"]

    def request_count(self, url: str, verb: str) -> int:
        return sum(request["verb"] == verb for request in state(url)["requests"])

    def repeated(self) -> dict[str, int]:
        rows = self.sql("select provider, sum(repeated) as times from provider_calls group by provider")
        return {row.provider: int(row.times) for row in rows if row.times}

    def worker_logs(self) -> str:
        logs = sorted(self.folder.glob("worker-*.log"))
        return "\n".join(log.read_text("utf-8", "replace")[-1500:] for log in logs)

    def close(self) -> None:
        for process in self.workers:
            process.kill()
            process.join(PROCESS_SECONDS)


@contextlib.asynccontextmanager
async def open_cluster(
    dsn: str, emulators: EmulatorProcess, folder: Path, *, polls: int = 0, work: bool = False, **settings: Any
) -> AsyncGenerator[ProductionCluster]:
    """A cluster with a server; with ``work``, the server processes jobs too."""
    for url in (emulators.document_intelligence, emulators.openai):
        reset(url, polls=polls)
    emulator_settings = {
        name.removeprefix("TOWPATH_").lower(): value
        for name, value in emulators.settings.items()
        if "SPEECHKIT" not in name
    }
    all_settings: dict[str, Any] = {
        "reader": "azure",
        "embedder": "openai",
        "run_deadline_seconds": None,
        "max_attempts": 3,
        "poll_seconds": 0.2,
        **emulator_settings,
        **settings,
    }
    async with open_api_client(folder / "data", with_worker=work, database=dsn, **all_settings) as client:
        cluster = ProductionCluster(client, emulators, PostgresDatabase(dsn), folder)
        try:
            yield cluster
        finally:
            cluster.close()
            cluster.database.close()
