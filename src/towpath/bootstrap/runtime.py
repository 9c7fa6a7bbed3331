"""Builds a runtime from the settings: opens its parts in order and closes them in reverse order."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta
from functools import partial

from towpath.bootstrap import cloud_providers, field_extractors
from towpath.bootstrap.call_pipeline import CallPipelineBuilder
from towpath.bootstrap.data_dir_lock import lock_data_dir
from towpath.bootstrap.database_and_storage import (
    LargeAnswerBlobs,
    enable_row_level_security,
    open_notifier,
    open_store,
    open_worker_session,
)
from towpath.bootstrap.embedded_database import StartupRecovery, migrate_embedded
from towpath.bootstrap.embedders import SettingsEmbedders, light_model, run_in_pool, start_model_changes
from towpath.bootstrap.http_worker_jobs import open_remote_jobs
from towpath.bootstrap.job_queue import claimed_stages, require_queue
from towpath.bootstrap.missing_packages import install_hints
from towpath.bootstrap.password_key import build_sealer
from towpath.bootstrap.pipelines import bind_pipelines, load_pipelines
from towpath.bootstrap.reader import build_reader
from towpath.bootstrap.runtime_overrides import Overrides
from towpath.bootstrap.sandbox import sandbox_paths, sandbox_report
from towpath.bootstrap.services import build_search_index, build_services
from towpath.bootstrap.shared_settings import shared_settings
from towpath.clock import Clock, SystemClock
from towpath.config import Settings
from towpath.errors import ConfigError
from towpath.intake.child_documents import ChildDocumentFinder
from towpath.intake.submit import DocumentInfo
from towpath.ledger import migrate
from towpath.ledger.contract.ledger import Ledger, RunPlan
from towpath.ledger.sql_field_schemas import SqlFieldSchemas
from towpath.ledger.sql_library_models import SqlLibraryModels
from towpath.ledger.sql_pauses import SqlPauses
from towpath.ledger.sql_webhooks import SqlWebhooks
from towpath.log_setup import configure_logging
from towpath.pipelines import call_pipeline, document_pipeline
from towpath.pipelines.pipeline import Pipeline, StageEntry
from towpath.readers.pdf.unlock import PikepdfUnlocker
from towpath.search.sql_connection_store import SqlConnectionStore
from towpath.server.deps import Services
from towpath.storage.contract import BlobStore
from towpath.storage.disk_errors import disk_errors
from towpath.storage.disk_space import DiskSpace, DiskState
from towpath.storage.scratch import own_folder
from towpath.webhooks.address_policy import AddressPolicy
from towpath.webhooks.deliverer import Deliverer
from towpath.webhooks.sender import HttpSender
from towpath.worker.executor import Executor, RetryPolicy
from towpath.worker.isolated_executor import ExecutorFactory
from towpath.worker.pause_check import PauseCheck
from towpath.worker.provider_limiter import ProviderLimiter
from towpath.worker.retention import Pruner, RetentionPolicy
from towpath.worker.settings import WorkerSettings
from towpath.worker.worker import Worker
from towpath.worker_protocol.contract import OWN_STAGES

log = logging.getLogger(__name__)

DEFAULTS = Overrides()
#: Seconds between two checks whether the reserve of disk space is there.
RESERVE_SECONDS = 10.0


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
        cloud_providers.check_providers(settings)
        plugins = load_pipelines(settings)
        for warning in install_hints(settings) if with_worker else ():
            log.warning(warning)
        require_queue(settings)
        disk = DiskSpace(settings.data, settings.disk_reserve_mb << 20)
        if exclusive:
            if disk.state() is DiskState.FULL:
                disk.release_reserve()
            # Recovery treats every RUNNING run as an orphan, so no other server may use the folder.
            with disk_errors():
                stack.enter_context(lock_data_dir(settings.data, serve_url))
        database = overrides.database(settings)
        stack.callback(database.close)
        if exclusive:
            database.make_space = disk.release_reserve
            await migrate_embedded(database)
        else:
            await asyncio.to_thread(migrate.require_current, database.engine)
        sees_all = await asyncio.to_thread(enable_row_level_security, database, with_worker=with_worker)
        with disk_errors():
            incoming = stack.enter_context(own_folder(settings.data / "incoming"))
        store = open_store(settings, incoming)
        stack.push_async_callback(store.close)
        process_pool = overrides.process_pool(settings)
        stack.callback(process_pool.close)
        paths = stack.enter_context(sandbox_paths(settings))
        process_pool.restrict_files(paths)
        background_pool = overrides.background_pool(settings)
        stack.callback(background_pool.close)
        background_pool.restrict_files(paths)
        notifier = open_notifier(settings, listen=with_worker and overrides.run_worker)
        await notifier.open()
        stack.push_async_callback(notifier.close)
        clock = SystemClock()
        ledger = overrides.ledger(database)
        analyzers = cloud_providers.AnalyzerSelector(settings, process_pool)
        stack.push_async_callback(analyzers.aclose)
        call_builder = CallPipelineBuilder(settings, process_pool)
        stack.push_async_callback(call_builder.aclose)
        field_extractor = field_extractors.field_extractor(settings)
        if field_extractor is not None:
            stack.push_async_callback(field_extractor.aclose)
        schemas = field_extractors.build_schemas(settings, SqlFieldSchemas(database))
        index = build_search_index(settings, database)
        connection_store = SqlConnectionStore(index)
        models = SqlLibraryModels(database)
        embedders = SettingsEmbedders(settings, models, run_in_pool(process_pool))
        reader = build_reader(settings, process_pool)

        def plan_for(document: DocumentInfo, unsupported_reason: str | None) -> RunPlan:
            return services.intake.plan_for(document, unsupported_reason)

        shipped = {
            document_pipeline.NAME: document_pipeline.document_pipeline(
                blobs=store,
                reader=reader,
                analyzer_for=analyzers.analyzer_for,
                count_pages=analyzers.count_pages,
                children=ChildDocumentFinder(reader, store, incoming, plan_for),
                unlocker=PikepdfUnlocker(process_pool, incoming, settings.reader_cpu_seconds),
                embedders=embedders,
                published=models,
                compute=process_pool,
                background_pool=background_pool,
                connection_store=connection_store,
                concurrency=settings.child_processes,
                light_model=light_model(embedders.chosen),
                extract_fields=field_extractors.extract_fields_entry(
                    settings, field_extractor, schemas, store
                ),
            ),
            call_pipeline.NAME: call_builder.pipeline(
                store, incoming, connection_store, background_pool, embedders, models
            ),
        }
        pipelines, all_stages = bind_pipelines(plugins, shipped, settings, store)
        stage_names = _stage_names(pipelines, all_stages)
        for name in ("worker_stages", "external_stages"):
            _require_known_stages(name, getattr(settings, name), stage_names)
        pauses = SqlPauses(database)
        pause_check = PauseCheck(pauses, clock)
        limiter = ProviderLimiter(
            ledger,
            clock,
            cloud_providers.provider_limits(settings),
            cloud_providers.throttle_pauses(settings),
            pause_check,
        )
        stack.push_async_callback(limiter.close)
        sealer = build_sealer(settings)
        executor = Executor(
            ledger,
            pipelines,
            LargeAnswerBlobs(store),
            clock,
            _retry_policy(settings),
            limiter,
            disk.require_space,
            all_stages,
            pause_check,
            unseal=sealer.unseal,
        )
        webhooks, policy = SqlWebhooks(database), AddressPolicy(settings.webhook_networks)
        deliverer = Deliverer(webhooks, HttpSender(policy), clock, backoff_scale=settings.backoff_scale)
        services = build_services(
            settings,
            database,
            ledger,
            store,
            disk,
            incoming,
            notifier,
            clock,
            pipelines,
            plugins,
            index,
            models,
            await sandbox_report(paths),
            limiter,
            exclusive,
            schemas,
            open_remote_jobs(settings, database, executor, overrides.ledger, store, limiter, notifier, clock),
            webhooks,
            policy,
            deliverer.wake,
            pauses,
            sealer,
        )
        stack.push_async_callback(services.question_service.aclose)
        worker = None
        recovery = StartupRecovery(lambda: _recover(ledger, clock, settings))
        if exclusive:
            await recovery.attempt()
            keeping_reserve = asyncio.create_task(_keep_reserve(disk))
            stack.callback(keeping_reserve.cancel)
        else:
            recovery.done = True
        if with_worker and overrides.run_worker:
            # A child process cannot be given other overrides: in a drill, suspects run like all other jobs.
            factory = ExecutorFactory(open_executor, (settings,)) if overrides is DEFAULTS else None
            queue = overrides.job_queue(
                settings, ledger, notifier, clock, stage_names, _follow_up_names(pipelines, stage_names)
            )
            worker = Worker(
                ledger,
                executor,
                notifier,
                clock,
                _worker_settings(settings, exclusive, stage_names),
                factory,
                queue,
                open_worker_session(settings),
                deliverer.wake,
            )
            running = asyncio.create_task(recovery.then(worker.run))
            stack.push_async_callback(partial(_stop, worker, running, recovery))
            await start_model_changes(models, embedders.chosen, clock)
            pruner = Pruner(ledger, store, clock, retention_policy(settings))
            pruning = asyncio.create_task(pruner.run())
            stack.callback(pruning.cancel)
            delivering = asyncio.create_task(recovery.then(deliverer.run))
            stack.push_async_callback(_cancelled, delivering)
        yield Runtime(settings, services, store, worker, sees_all, executor if with_worker else None)


@asynccontextmanager
async def open_executor(settings: Settings) -> AsyncGenerator[Executor]:
    """Open an executor in a child process that runs one job alone; its worker holds the data folder."""
    configure_logging(settings.log_format)
    overrides = Overrides(exclusive=False, run_worker=False)
    async with open_runtime(settings, with_worker=True, overrides=overrides) as runtime:
        assert runtime.executor is not None
        yield runtime.executor


def _stage_names(pipelines: Mapping[str, Pipeline], all_stages: Mapping[str, StageEntry]) -> list[str]:
    """The stages and follow-ups of all pipelines, then the others of this installation, each once."""
    entries = [entry for pipeline in pipelines.values() for entry in pipeline.entries]
    return list(dict.fromkeys(entry.name for entry in (*entries, *all_stages.values())))


def _follow_up_names(pipelines: Mapping[str, Pipeline], stage_names: Sequence[str]) -> list[str]:
    """The stages of jobs that are not part of a run."""
    run_stages = {name for pipeline in pipelines.values() for name in pipeline.stage_names}
    return [name for name in stage_names if name not in run_stages]


def _require_known_stages(setting: str, stages: Sequence[str], all_stages: Sequence[str]) -> None:
    """Reject unknown names of stages: such a worker would idle forever without an error."""
    known = set(all_stages) - (OWN_STAGES if setting == "external_stages" else set[str]())
    if unknown := sorted(set(stages) - known):
        raise ConfigError(
            f"The setting `{setting}` has unknown stages: {', '.join(unknown)}. "
            f"Known stages: {', '.join(sorted(known))}."
        )


def _retry_policy(settings: Settings) -> RetryPolicy:
    return RetryPolicy(
        max_attempts=settings.max_attempts,
        max_crashes=settings.max_crashes,
        backoff_scale=settings.backoff_scale,
        fixed_backoff=settings.backoff == "fixed",
        patience=cloud_providers.provider_patience(settings),
    )


def _worker_settings(settings: Settings, sole_worker: bool, stages: Sequence[str]) -> WorkerSettings:
    return WorkerSettings(
        concurrency=settings.worker_concurrency,
        lease_seconds=settings.lease_seconds,
        heartbeat_seconds=settings.heartbeat_seconds,
        poll_seconds=settings.poll_seconds,
        fixed_poll=settings.poll_mode == "fixed",
        grace_seconds=settings.shutdown_grace_seconds,
        sole_worker=sole_worker,
        stages=claimed_stages(settings, stages),
        shared=shared_settings(settings),
    )


def retention_policy(settings: Settings) -> RetentionPolicy:
    """The retention settings as periods."""

    def days(number: float | None) -> timedelta | None:
        return None if number is None else timedelta(days=number)

    return RetentionPolicy(days(settings.keep_history_days), days(settings.keep_answers_days))


async def _recover(ledger: Ledger, clock: Clock, settings: Settings) -> None:
    await ledger.recover(clock.now(), resume_runs=settings.recovery == "resume")


async def _keep_reserve(disk: DiskSpace) -> None:
    """Create the reserve whenever it is missing and there is space for it."""
    while True:
        await asyncio.to_thread(disk.keep_reserve)
        await asyncio.sleep(RESERVE_SECONDS)


async def _cancelled(task: asyncio.Task[None]) -> None:
    task.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await task


async def _stop(worker: Worker, running: asyncio.Task[None], recovery: StartupRecovery) -> None:
    worker.stop()
    if not recovery.done:
        running.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await running
