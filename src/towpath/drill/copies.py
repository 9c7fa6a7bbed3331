"""Private copies of the program: a folder, or a database of its own on a server that somebody named."""

from __future__ import annotations

import asyncio
import secrets
import subprocess
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import psycopg
from psycopg import sql
from psycopg.conninfo import conninfo_to_dict
from sqlalchemy import Row

from towpath import app
from towpath.config import Settings
from towpath.drill.audit import install_audit
from towpath.drill.crew import Crew
from towpath.drill.worker import Orders, children_of, signed_database
from towpath.errors import ConfigError, DatabaseUnavailable
from towpath.intake.upload import spool
from towpath.ledger import migrate
from towpath.ledger.database import Database, Transaction
from towpath.model.ids import HOME_ORG

T = TypeVar("T")

#: Short, so that the jobs of the dead are rescued while somebody watches.
LEASE_SECONDS = 2.0

#: Bystanders of random kills must not be taken for poison, and the drill is no race against a deadline.
PATIENT: dict[str, Any] = {
    "lease_seconds": LEASE_SECONDS,
    "heartbeat_seconds": LEASE_SECONDS / 3,
    "poll_seconds": 0.2,
    "worker_concurrency": 4,
    "max_attempts": 100_000,
    "max_crashes": 100_000,
    "run_deadline_seconds": None,
    "backoff_scale": 0.0,
    "shutdown_grace_seconds": 1.0,
}


@dataclass(frozen=True, slots=True)
class Copy:
    """A running copy: its services and its database here, its workers in processes of their own."""

    towpath: app.Towpath
    crew: Crew
    database: Database
    names: dict[str, str] = field(default_factory=dict[str, str])

    async def submit(self, name: str, body: bytes) -> str:
        intake = self.towpath.services.intake
        async with spool(intake.incoming, len(body) + 1) as upload:
            upload.write(body)
            submitted = await intake.accept(HOME_ORG, name, upload)
        self.names[submitted.document_id] = name
        return submitted.document_id

    async def reprocess(self, document_id: str, *, from_stage: str | None = None) -> None:
        services = self.towpath.services
        document = await services.catalogue.document(HOME_ORG, document_id)
        await services.ledger.reprocess(
            document_id,
            services.intake.plan_for(document),
            services.clock.now(),
            org_id=HOME_ORG,
            from_stage=from_stage,
        )

    async def ask(self, query: Any) -> list[Row[Any]]:
        """The rows of a query."""

        def rows(tx: Transaction) -> list[Row[Any]]:
            return list(tx.connection.execute(query).all())

        return await self.patiently(lambda: self.database.transact(rows, read=True))

    async def patiently(self, read: Callable[[], T]) -> T:
        """The answer of something that reads; a database that is away for a moment is asked again."""
        while True:
            try:
                return await asyncio.to_thread(read)
            except DatabaseUnavailable:
                await asyncio.sleep(0.1)

    async def restart(self, command: str | None) -> str:
        """What a restart of the database is here; says what was done."""
        if self.towpath.settings.embedded:
            # The database is the server's process: everybody dies at once, and its start-up recovers.
            self.crew.kill_all()
            services = self.towpath.services
            await services.ledger.recover(services.clock.now(), max_crashes=PATIENT["max_crashes"])
            return "power cuts"
        if command is not None:
            done = await asyncio.to_thread(subprocess.run, command, shell=True, check=False)
            if done.returncode != 0:
                raise ConfigError(f"The command to restart Postgres ended with {done.returncode}: {command}")
            return "restarts of Postgres"
        await asyncio.to_thread(_end_sessions, str(self.towpath.settings.database))
        return "times all sessions of Postgres ended"


@asynccontextmanager
async def opened_copy(
    folder: Path, server: str | None, *, own_processes: bool, fault: str | None
) -> AsyncGenerator[Copy]:
    """A fresh copy in this folder, or on this Postgres server; its workers are not started yet."""
    await asyncio.to_thread(folder.mkdir, parents=True)
    url = None if server is None else await asyncio.to_thread(_create, server)
    try:
        settings = Settings(data=folder / "data", database=url, **PATIENT)
        if url is not None:
            await asyncio.to_thread(_migrate, settings)
        orders = Orders(settings, folder, folder / "log", own_processes=own_processes, fault=fault)
        database: list[Database] = []
        rig = app.Rig(
            database=_remembered(signed_database, database),
            children=lambda chosen: children_of(orders, chosen),
        )
        async with app.opened(settings, work=False, rig=rig) as towpath:
            await asyncio.to_thread(install_audit, database[0])
            crew = Crew(orders)
            try:
                yield Copy(towpath, crew, database[0])
            finally:
                crew.kill_all()
    finally:
        if url is not None:
            await asyncio.to_thread(_drop, str(server), url)


def _remembered(make: Callable[[Settings], Database], kept: list[Database]) -> Callable[[Settings], Database]:
    def made(settings: Settings) -> Database:
        kept.append(make(settings))
        return kept[-1]

    return made


def _migrate(settings: Settings) -> None:
    database = app.open_database(settings)
    try:
        migrate.upgrade(database.engine)
    finally:
        database.close()


def _create(server: str) -> str:
    """A database of the drill's own beside the one that was named, which is left alone."""
    name = f"towpath_drill_{secrets.token_hex(6)}"
    try:
        with psycopg.connect(server, autocommit=True, connect_timeout=5) as connection:
            connection.execute(sql.SQL("create database {}").format(sql.Identifier(name)))
    except psycopg.errors.InsufficientPrivilege as error:
        raise ConfigError("The drill makes databases of its own: this account may not create any.") from error
    except psycopg.OperationalError as error:
        raise ConfigError(f"The drill cannot reach Postgres: {error}") from error
    return _beside(server, name)


def _beside(server: str, name: str) -> str:
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
