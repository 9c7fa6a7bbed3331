"""Builds a runtime from the settings: opens its parts in order and closes them in reverse order."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta
from functools import partial

from towpath.bootstrap import cloud, providers
from towpath.bootstrap.calls import CallPipelineBuilder
from towpath.bootstrap.data_dir_lock import lock_data_dir
from towpath.bootstrap.overrides import Overrides
from towpath.bootstrap.services import build_search_index, build_services
from towpath.bootstrap.shared_settings import shared_settings
from towpath.bootstrap.storage import BlobAnswerStore, enable_row_level_security, open_notifier, open_store
from towpath.clock import SystemClock
from towpath.config import Settings
from towpath.errors import ConfigError
from towpath.ledger import migrate
from towpath.log_setup import configure_logging
from towpath.pipelines import call as calls
from towpath.pipelines import document as documents
from towpath.pipelines.pipeline import Pipeline
from towpath.search.similar_documents import SqlConnectionStore
from towpath.server.deps import Services
from towpath.storage.contract import BlobStore
from towpath.storage.scratch import own_folder
from towpath.worker.executor import Executor, RetryPolicy
from towpath.worker.isolation import ExecutorFactory
from towpath.worker.process_pool import ProcessPool
from towpath.worker.provider_limiter import ProviderLimiter
from towpath.worker.retention import Pruner, RetentionPolicy
from towpath.worker.settings import WorkerSettings
from towpath.worker.worker import Worker

DEFAULTS = Overrides()


@dataclass(frozen=True, slots=True)
class Runtime:
    """The open services, the blob store, and the executor and the worker if there are any."""

    settings: Settings
    services: Services
    store: BlobStore
    worker: Worker | None
    #: False if the database role sees one organization at a time.
    sees_all_organizations: bool
    executor: Executor | None = None


@asynccontextmanager
async def open_runtime(
    settings: Settings, *, with_worker: bool, serve_url: str = "", overrides: Overrides = DEFAULTS
) -> AsyncGenerator[Runtime]:
    """Open a runtime. With ``with_worker``, a worker runs for the duration of the context."""
    exclusive = settings.embedded and overrides.exclusive
    async with AsyncExitStack() as stack:
        cloud.check(settings)
        if exclusive:
            # Recovery treats every RUNNING run as an orphan, so no other server may use the folder.
            stack.enter_context(lock_data_dir(settings.data, serve_url))
        database = overrides.database(settings)
        stack.callback(database.close)
        if exclusive:
            await asyncio.to_thread(migrate.upgrade, database.engine)
        else:
            await asyncio.to_thread(migrate.require_current, database.engine)
        sees_all = await asyncio.to_thread(enable_row_level_security, database, with_worker=with_worker)
        incoming = stack.enter_context(own_folder(settings.data / "incoming"))
        store = open_store(settings, incoming)
        stack.push_async_callback(store.close)
        process_pool = overrides.process_pool(settings)
        stack.callback(process_pool.close)
        # Follow-up jobs run one at a time, at the lowest priority.
        background_pool = ProcessPool(1, memory_bytes=settings.child_memory_mb << 20, niceness=19)
        stack.callback(background_pool.close)
        notifier = open_notifier(settings, listen=with_worker and overrides.run_worker)
        await notifier.open()
        stack.push_async_callback(notifier.close)
        clock = SystemClock()
        ledger = overrides.ledger(database)
        analyzers = cloud.AnalyzerSelector(settings, process_pool)
        stack.push_async_callback(analyzers.aclose)
        call_builder = CallPipelineBuilder(settings, process_pool)
        stack.push_async_callback(call_builder.aclose)
        index = build_search_index(settings, database)
        connection_store = SqlConnectionStore(index)
        pipelines = {
            documents.NAME: documents.document_pipeline(
                blobs=store,
                reader=providers.reader(settings, process_pool),
                analyzer_for=analyzers.analyzer_for,
                count_pages=analyzers.count_pages,
                embedder=providers.document_embedder(settings, process_pool),
                compute=process_pool,
                background_pool=background_pool,
                connection_store=connection_store,
                word_vectors=providers.word_vectors(),
                concurrency=settings.child_processes,
            ),
            calls.NAME: call_builder.pipeline(store, incoming, connection_store, background_pool),
        }
        _require_known_stages(settings.worker_stages, pipelines)
        services = build_services(
            settings, database, ledger, store, incoming, notifier, clock, pipelines, index
        )
        executor = worker = None
        if exclusive:
            await ledger.recover(clock.now(), resume_runs=settings.recovery == "resume")
        if with_worker:
            limiter = ProviderLimiter(ledger, clock, cloud.limits(settings), cloud.throttle_pauses(settings))
            stack.push_async_callback(limiter.close)
            executor = Executor(
                ledger, pipelines, BlobAnswerStore(store), clock, _retry_policy(settings), limiter
            )
        if executor is not None and overrides.run_worker:
            # A child process cannot be given other overrides: in a drill, suspects run like all other jobs.
            factory = ExecutorFactory(open_executor, (settings,)) if overrides is DEFAULTS else None
            worker = Worker(ledger, executor, notifier, clock, _worker_settings(settings, exclusive), factory)
            running = asyncio.create_task(worker.run())
            stack.push_async_callback(partial(_stop, worker, running))
            pruner = Pruner(ledger, store, clock, retention_policy(settings))
            pruning = asyncio.create_task(pruner.run())
            stack.callback(pruning.cancel)
        yield Runtime(settings, services, store, worker, sees_all, executor)


@asynccontextmanager
async def open_executor(settings: Settings) -> AsyncGenerator[Executor]:
    """Open an executor in a child process that runs one job alone; its worker holds the data folder."""
    configure_logging(settings.log_format)
    overrides = Overrides(exclusive=False, run_worker=False)
    async with open_runtime(settings, with_worker=True, overrides=overrides) as runtime:
        assert runtime.executor is not None
        yield runtime.executor


def _require_known_stages(stages: Sequence[str], pipelines: Mapping[str, Pipeline]) -> None:
    """Reject unknown names in `worker_stages`: such a worker would idle forever without an error."""
    known = {
        entry.name for pipeline in pipelines.values() for entry in (*pipeline.stages, *pipeline.follow_ups)
    }
    if unknown := sorted(set(stages) - known):
        raise ConfigError(
            f"The setting `worker_stages` has unknown stages: {', '.join(unknown)}. "
            f"Known stages: {', '.join(sorted(known))}."
        )


def _retry_policy(settings: Settings) -> RetryPolicy:
    return RetryPolicy(
        max_attempts=settings.max_attempts,
        max_crashes=settings.max_crashes,
        backoff_scale=settings.backoff_scale,
        fixed_backoff=settings.backoff == "fixed",
        patience=cloud.patience(settings),
    )


def _worker_settings(settings: Settings, sole_worker: bool) -> WorkerSettings:
    return WorkerSettings(
        concurrency=settings.worker_concurrency,
        lease_seconds=settings.lease_seconds,
        heartbeat_seconds=settings.heartbeat_seconds,
        poll_seconds=settings.poll_seconds,
        fixed_poll=settings.poll_mode == "fixed",
        grace_seconds=settings.shutdown_grace_seconds,
        sole_worker=sole_worker,
        stages=settings.worker_stages or None,
        shared=shared_settings(settings),
    )


def retention_policy(settings: Settings) -> RetentionPolicy:
    """The retention settings as periods."""

    def days(number: float | None) -> timedelta | None:
        return None if number is None else timedelta(days=number)

    return RetentionPolicy(days(settings.keep_history_days), days(settings.keep_answers_days))


async def _stop(worker: Worker, running: asyncio.Task[None]) -> None:
    worker.stop()
    await running
