"""A Towpath put together from its settings: opened in order, closed in the opposite one."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta
from functools import partial

from towpath.app import cloud, providers
from towpath.app.calls import CallHearing
from towpath.app.rig import Rig
from towpath.app.serving import index_of, services_of
from towpath.app.storage import Artifacts, bind_organizations, open_bell, open_store
from towpath.clock import SystemClock
from towpath.config import Settings
from towpath.errors import ConfigError
from towpath.folder import owned
from towpath.ledger import migrate
from towpath.pipelines import call as calls
from towpath.pipelines import document as documents
from towpath.pipelines.pipeline import Pipeline
from towpath.search.library import SqlLibrary
from towpath.server.services import Services
from towpath.storage.contract import BlobStore
from towpath.storage.incoming import own_folder
from towpath.worker.children import Children
from towpath.worker.execute import Executor, Rules
from towpath.worker.governor import Governor
from towpath.worker.housekeeping import Housekeeper, Keep
from towpath.worker.worker import Pace, Worker

AS_SHIPPED = Rig()


@dataclass(frozen=True, slots=True)
class Towpath:
    """A running Towpath: its services, and the worker when it has one."""

    settings: Settings
    services: Services
    store: BlobStore
    worker: Worker | None
    #: Whether it can look across organizations; not so where its database role is bound to one at a time.
    sees_all: bool


@asynccontextmanager
async def opened(
    settings: Settings, *, work: bool, serve_url: str = "", rig: Rig = AS_SHIPPED
) -> AsyncGenerator[Towpath]:
    """Put everything together. With ``work``, a worker runs for as long as the context lasts."""
    alone = settings.embedded and rig.alone
    async with AsyncExitStack() as stack:
        cloud.check(settings)
        if alone:
            # Recovery takes every running run for an orphan, so it must be sure to be alone.
            stack.enter_context(owned(settings.data, serve_url))
        database = rig.database(settings)
        stack.callback(database.close)
        if alone:
            await asyncio.to_thread(migrate.upgrade, database.engine)
        else:
            await asyncio.to_thread(migrate.require_current, database.engine)
        sees_all = await asyncio.to_thread(bind_organizations, database, work=work)
        incoming = stack.enter_context(own_folder(settings.data / "incoming"))
        store = open_store(settings, incoming)
        stack.push_async_callback(store.close)
        children = rig.children(settings)
        stack.callback(children.close)
        # What nobody waits for is done one at a time, in the time that is left.
        aside = Children(1, memory_bytes=settings.child_memory_mb << 20, niceness=19)
        stack.callback(aside.close)
        bell = open_bell(settings, listen=work)
        await bell.open()
        stack.push_async_callback(bell.close)
        clock = SystemClock()
        ledger = rig.ledger(database)
        reading = cloud.CloudReading(settings, children)
        stack.push_async_callback(reading.aclose)
        hearing = CallHearing(settings, children)
        stack.push_async_callback(hearing.aclose)
        index = index_of(settings, database)
        library = SqlLibrary(index)
        pipelines = {
            documents.NAME: documents.document_pipeline(
                blobs=store,
                reader=providers.reader(settings, children),
                analyzer_for=reading.analyzer_for,
                count_pages=reading.count_pages,
                embedder=providers.document_embedder(settings, children),
                compute=children,
                aside=aside,
                library=library,
                side_by_side=settings.child_processes,
            ),
            calls.NAME: hearing.pipeline(store, incoming, library, aside),
        }
        _require_known(settings.worker_stages, pipelines)
        services = services_of(settings, database, ledger, store, incoming, bell, clock, pipelines, index)
        worker = None
        if alone:
            await ledger.recover(
                clock.now(), resume_runs=settings.recovery == "resume", max_crashes=settings.max_crashes
            )
        if work:
            governor = Governor(ledger, clock, cloud.limits(settings), cloud.pauses(settings))
            stack.push_async_callback(governor.close)
            executor = Executor(ledger, pipelines, Artifacts(store), clock, _rules(settings), governor)
            worker = Worker(ledger, executor, bell, clock, _pace(settings))
            running = asyncio.create_task(worker.run())
            stack.push_async_callback(partial(_stop, worker, running))
            keeper = Housekeeper(ledger, store, clock, keep_rules(settings))
            cleaning = asyncio.create_task(keeper.run())
            stack.callback(cleaning.cancel)
        yield Towpath(settings, services, store, worker, sees_all)


def _require_known(stages: Sequence[str], pipelines: Mapping[str, Pipeline]) -> None:
    """A worker for a stage that nobody has would wait for ever, and look well."""
    known = {step.name for one in pipelines.values() for step in (*one.steps, *one.follow_ups)}
    if unknown := sorted(set(stages) - known):
        raise ConfigError(
            f"The setting `worker_stages` names {', '.join(unknown)}; the stages are {', '.join(sorted(known))}."
        )


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


def keep_rules(settings: Settings) -> Keep:
    """How long history and answers are kept, as the settings have it."""

    def days(number: float | None) -> timedelta | None:
        return None if number is None else timedelta(days=number)

    return Keep(days(settings.keep_history_days), days(settings.keep_answers_days))


async def _stop(worker: Worker, running: asyncio.Task[None]) -> None:
    worker.stop()
    await running
