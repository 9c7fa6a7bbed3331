"""A private instance of Towpath for a drill: a data folder, or a temporary database on a given Postgres server."""

from __future__ import annotations

import asyncio
import secrets
import subprocess
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import psycopg
from psycopg import sql
from psycopg.conninfo import conninfo_to_dict
from sqlalchemy import Row

from towpath import bootstrap
from towpath.config import Settings
from towpath.config.pipelines import PipelineSettings, StageSettings
from towpath.drill.fault_injection import FaultInjectingLedger, LedgerFactory
from towpath.drill.lease_audit import install_audit
from towpath.drill.redis_server import DrillRedis
from towpath.drill.worker import WorkerSpec, make_process_pool, signed_database
from towpath.drill.worker_pool import WorkerPool
from towpath.errors import ConfigError, DatabaseUnavailable
from towpath.intake.upload import receive_upload
from towpath.job_queue.contract import JobQueue
from towpath.ledger import migrate
from towpath.ledger.contract.ledger import Submitted
from towpath.ledger.database import Database, Transaction
from towpath.model.ids import DEFAULT_ORG_ID

T = TypeVar("T")

#: Short, so that jobs of killed workers are rescued during the drill.
LEASE_SECONDS = 2.0

#: Random kills must not quarantine a document, and runs have no deadline: the machine may be slow.
DRILL_SETTINGS: dict[str, Any] = {
    "lease_seconds": LEASE_SECONDS,
    "heartbeat_seconds": LEASE_SECONDS / 3,
    "poll_seconds": 0.2,
    "worker_concurrency": 4,
    "max_attempts": 100_000,
    "max_crashes": 100_000,
    "run_deadline_seconds": None,
    "backoff_scale": 0.0,
    "shutdown_grace_seconds": 1.0,
    "embedder": "fast",
}


@dataclass(frozen=True, slots=True)
class OwnPipeline:
    """A pipeline of the user's settings that is drilled."""

    name: str
    pipelines: tuple[PipelineSettings, ...] = ()
    stages: tuple[StageSettings, ...] = ()

    def settings(self) -> dict[str, Any]:
        return {"pipelines": self.pipelines, "stages": self.stages}


@dataclass(frozen=True, slots=True)
class Instance:
    """A running instance: services and database in this process, workers in separate processes."""

    runtime: bootstrap.Runtime
    pool: WorkerPool
    database: Database
    document_names: dict[str, str] = field(default_factory=dict[str, str])
    #: The pipeline of all documents; None leaves it to their kinds.
    pipeline: str | None = None

    async def submit(self, name: str, body: bytes) -> str:
        intake = self.runtime.services.intake

        async def accept() -> Submitted:
            async with receive_upload(intake.scratch_dir, len(body) + 1) as upload:
                upload.write(body)
                return await intake.accept(DEFAULT_ORG_ID, name, upload, pipeline=self.pipeline)

        submitted = await _retried(accept)
        self.document_names[submitted.document_id] = name
        return submitted.document_id

    async def reprocess(self, document_id: str, *, from_stage: str | None = None) -> None:
        services = self.runtime.services

        async def queue_run() -> None:
            document = await services.queries.document(DEFAULT_ORG_ID, document_id)
            await services.ledger.reprocess(
                document_id,
                services.intake.plan_for(document, pipeline=self.pipeline),
                services.clock.now(),
                org_id=DEFAULT_ORG_ID,
                from_stage=from_stage,
            )

        await _retried(queue_run)

    async def rows(self, query: Any) -> list[Row[Any]]:
        """The rows of a query."""

        def rows(tx: Transaction) -> list[Row[Any]]:
            return list(tx.connection.execute(query).all())

        return await self.with_retry(lambda: self.database.transact(rows, read=True))

    async def with_retry(self, read: Callable[[], T]) -> T:
        """Call ``read`` in a thread until the database is available."""
        while True:
            try:
                return await asyncio.to_thread(read)
            except DatabaseUnavailable:
                await asyncio.sleep(0.1)

    async def restart(self, command: str | None) -> str:
        """Restart the database, or do what comes closest to it; return what was done, in words."""
        if self.runtime.settings.embedded:
            # With SQLite a crash of the server ends all workers at once, and its start-up recovers the jobs.
            self.pool.kill_all()
            services = self.runtime.services
            await services.ledger.recover(services.clock.now())
            return "power cuts"
        if command is not None:
            process = await asyncio.to_thread(subprocess.run, command, shell=True, check=False)
            if process.returncode != 0:
                raise ConfigError(
                    f"The command to restart Postgres ended with {process.returncode}: {command}"
                )
            return "restarts of Postgres"
        await asyncio.to_thread(_end_sessions, str(self.runtime.settings.database))
        return "times all sessions of Postgres ended"


async def _retried(call: Callable[[], Awaitable[T]]) -> T:
    """Call until the database is available: the drill's own sessions are ended by its restarts too."""
    while True:
        try:
            return await call()
        except DatabaseUnavailable:
            await asyncio.sleep(0.1)


@asynccontextmanager
async def open_instance(
    folder: Path,
    server: str | None,
    *,
    child_processes: bool,
    ledger_factory: LedgerFactory = FaultInjectingLedger,
    own: OwnPipeline | None = None,
    redis: DrillRedis | None = None,
    queue_class: Callable[..., JobQueue] | None = None,
) -> AsyncGenerator[Instance]:
    """A new instance in ``folder``, or on this Postgres server. Its workers are not started yet.

    With ``redis`` its jobs are delivered by BullMQ.
    """
    await asyncio.to_thread(folder.mkdir, parents=True)
    url = None if server is None else await asyncio.to_thread(_create, server)
    try:
        more: dict[str, Any] = {} if own is None else own.settings()
        if redis is not None:
            more |= {"queue": "bullmq", "redis_url": redis.url}
        settings = Settings(data=folder / "data", database=url, **DRILL_SETTINGS, **more)
        if url is not None:
            await asyncio.to_thread(_migrate, settings)
        spec = WorkerSpec(
            settings,
            folder,
            folder / "log",
            child_processes=child_processes,
            ledger_factory=ledger_factory,
            queue_class=queue_class,
        )
        database: list[Database] = []
        overrides = bootstrap.Overrides(
            database=_capturing(signed_database, database),
            process_pool=lambda chosen: make_process_pool(spec, chosen),
        )
        async with bootstrap.open_runtime(settings, with_worker=False, overrides=overrides) as towpath:
            await asyncio.to_thread(install_audit, database[0])
            pool = WorkerPool(spec)
            try:
                yield Instance(towpath, pool, database[0], pipeline=None if own is None else own.name)
            finally:
                pool.kill_all()
    finally:
        if url is not None:
            await asyncio.to_thread(_drop, str(server), url)


def _capturing(
    make: Callable[[Settings], Database], databases: list[Database]
) -> Callable[[Settings], Database]:
    def make_and_keep(settings: Settings) -> Database:
        databases.append(make(settings))
        return databases[-1]

    return make_and_keep


def _migrate(settings: Settings) -> None:
    database = bootstrap.open_database(settings)
    try:
        migrate.upgrade(database.engine)
    finally:
        database.close()


def _create(server: str) -> str:
    """Create a temporary database on the server; the database named in the URL is not touched."""
    name = f"towpath_drill_{secrets.token_hex(6)}"
    try:
        with psycopg.connect(server, autocommit=True, connect_timeout=5) as connection:
            connection.execute(sql.SQL("create database {}").format(sql.Identifier(name)))
    except psycopg.errors.InsufficientPrivilege as error:
        raise ConfigError(
            "The drill creates temporary databases, but this account has no CREATEDB right."
        ) from error
    except psycopg.OperationalError as error:
        raise ConfigError(f"The drill cannot reach Postgres: {error}") from error
    return _with_database(server, name)


def _with_database(server: str, name: str) -> str:
    head, mark, tail = server.partition("?")
    scheme, _, rest = head.partition("://")
    return f"{scheme}://{rest.partition('/')[0]}/{name}{mark}{tail}"


def _drop(server: str, url: str) -> None:
    name = str(conninfo_to_dict(url)["dbname"])
    with psycopg.connect(server, autocommit=True, connect_timeout=30) as connection:
        connection.execute(sql.SQL("drop database if exists {} with (force)").format(sql.Identifier(name)))


def _end_sessions(url: str) -> None:
    query = """
    select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid()
    """
    with psycopg.connect(url, autocommit=True, connect_timeout=30) as connection:
        connection.execute(query)
