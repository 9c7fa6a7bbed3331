"""The composition root: the only module that names concrete engines and vendors."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from towpath.access.sql import SqlKeys
from towpath.catalogue.sql import SqlCatalogue
from towpath.clock import Clock, SystemClock
from towpath.config import Settings
from towpath.folder import owned
from towpath.intake.submit import Intake
from towpath.ledger import migrate
from towpath.ledger.contract import Plan
from towpath.ledger.database import Database
from towpath.ledger.ledger import SqlLedger
from towpath.ledger.postgres.database import PostgresDatabase
from towpath.ledger.sqlite.database import SqliteDatabase
from towpath.ledger.verbs.publish import apply
from towpath.pipelines import document as documents
from towpath.pipelines.pipeline import Pipeline
from towpath.providers.contract import Embedder, Vectors
from towpath.providers.local.embedder import LocalEmbedder
from towpath.providers.local.ocr import OcrSettings
from towpath.providers.local.registry import LocalReader
from towpath.providers.local.wordllama import StaticEmbedder
from towpath.queue.local import LocalBell
from towpath.queue.postgres import PostgresBell
from towpath.search.index import Index
from towpath.search.postgres import PostgresIndex
from towpath.search.searcher import HybridSearcher
from towpath.search.sqlite import SqliteIndex
from towpath.server.services import Services
from towpath.storage.contract import BlobStore, checked
from towpath.storage.local import LocalStore
from towpath.worker.children import Children
from towpath.worker.execute import Executor, Rules
from towpath.worker.worker import Pace, Worker

log = logging.getLogger(__name__)

PAGE = Path(__file__).parent / "page"


@dataclass(frozen=True, slots=True)
class Towpath:
    """A running Towpath: its services, and the worker when it has one."""

    settings: Settings
    services: Services
    store: LocalStore
    worker: Worker | None


class Artifacts:
    """Answers too large for a row, in blob storage."""

    def __init__(self, blobs: BlobStore) -> None:
        self._blobs = blobs

    async def put(self, org_id: str, key: str, body: bytes) -> str:
        place = checked(f"orgs/{org_id}/{key}")
        await self._blobs.put(place, body)
        return place

    async def get(self, org_id: str, key: str) -> bytes:
        return await self._blobs.get(key)


@asynccontextmanager
async def opened(settings: Settings, *, work: bool, serve_url: str = "") -> AsyncGenerator[Towpath]:
    """Put everything together. With ``work``, a worker runs for as long as the context lasts."""
    async with AsyncExitStack() as stack:
        if settings.embedded:
            # Recovery takes every running run for an orphan, so it must be sure to be alone.
            stack.enter_context(owned(settings.data, serve_url))
        database = open_database(settings)
        stack.callback(database.close)
        if settings.embedded:
            await asyncio.to_thread(migrate.upgrade, database.engine)
        else:
            await asyncio.to_thread(migrate.require_current, database.engine)
        store = LocalStore(settings.data)
        children = Children(settings.child_processes, memory_bytes=settings.child_memory_mb << 20)
        stack.callback(children.close)
        bell = LocalBell() if settings.database is None else PostgresBell(settings.database, listen=work)
        await bell.open()
        stack.push_async_callback(bell.close)
        clock = SystemClock()
        ledger = SqlLedger(database, apply=apply)
        embedder = _embedder(settings, partial(children.run, seconds=120))
        reader = LocalReader(
            children, OcrSettings(settings.ocr, settings.tessdata, tuple(settings.ocr_languages.split("+")))
        )
        pipelines = {
            documents.NAME: documents.document_pipeline(
                blobs=store,
                reader=reader,
                embedder=embedder,
                compute=children,
                side_by_side=settings.child_processes,
            )
        }
        # Queries do not stand in line behind documents: they are embedded in a thread of this process.
        queries = _embedder(settings, _in_thread)
        services = _services(settings, database, ledger, store, bell, clock, pipelines, queries)
        worker = None
        if settings.embedded:
            store.sweep_incoming()
            await ledger.recover(
                clock.now(), resume_runs=settings.recovery == "resume", max_crashes=settings.max_crashes
            )
        if work:
            executor = Executor(ledger, pipelines, Artifacts(store), clock, _rules(settings))
            worker = Worker(ledger, executor, bell, clock, _pace(settings))
            running = asyncio.create_task(worker.run())
            stack.push_async_callback(partial(_stop, worker, running))
        yield Towpath(settings, services, store, worker)


def open_database(settings: Settings) -> Database:
    if settings.database is not None:
        return PostgresDatabase(settings.database, connections=settings.worker_concurrency + 4)
    settings.data.mkdir(parents=True, exist_ok=True)
    return SqliteDatabase(settings.sqlite_file)


def _services(
    settings: Settings,
    database: Database,
    ledger: SqlLedger,
    store: LocalStore,
    bell: LocalBell,
    clock: Clock,
    pipelines: dict[str, Pipeline],
    query_embedder: Embedder,
) -> Services:
    plans = {
        name: Plan(
            pipeline.name,
            pipeline.version,
            pipeline.stages,
            max_attempts=settings.max_attempts,
            deadline_seconds=settings.run_deadline_seconds,
        )
        for name, pipeline in pipelines.items()
    }
    stages = {name: pipeline.stages for name, pipeline in pipelines.items()}
    return Services(
        ledger=ledger,
        catalogue=SqlCatalogue(database, stages),
        searcher=HybridSearcher(_index(settings, database), query_embedder),
        intake=Intake(ledger, store, bell, clock, plans, store.incoming, settings.max_upload_bytes),
        blobs=store,
        keys=SqlKeys(database),
        bell=bell,
        clock=clock,
        stages=stages,
        key_required=not is_loopback(settings.host),
        ready=lambda: True,
    )


def is_loopback(host: str) -> bool:
    return host in ("localhost", "::1") or host.startswith("127.")


def _index(settings: Settings, database: Database) -> Index:
    return SqliteIndex(database) if settings.embedded else PostgresIndex(database)


async def _in_thread(function: Callable[..., Vectors], *arguments: object) -> Vectors:
    return await asyncio.to_thread(function, *arguments)


def _embedder(settings: Settings, run: Callable[..., Awaitable[Vectors]]) -> Embedder:
    if settings.embedder == "minilm":
        return LocalEmbedder(settings.data / "models", run=run)
    return StaticEmbedder(run=run)


def _rules(settings: Settings) -> Rules:
    return Rules(max_attempts=settings.max_attempts, backoff_scale=settings.backoff_scale)


def _pace(settings: Settings) -> Pace:
    return Pace(
        concurrency=settings.worker_concurrency,
        lease_seconds=settings.lease_seconds,
        heartbeat_seconds=settings.heartbeat_seconds,
        poll_seconds=settings.poll_seconds,
        max_crashes=settings.max_crashes,
        grace_seconds=settings.shutdown_grace_seconds,
        stages=settings.worker_stages or None,
    )


async def _stop(worker: Worker, running: asyncio.Task[None]) -> None:
    worker.stop()
    await running
