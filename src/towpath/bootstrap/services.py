"""Builds the services that the routes of the server call."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, cast

from towpath.access.sql_api_keys import SqlApiKeys
from towpath.access.sql_audit_log import SqlAuditLog
from towpath.bootstrap.embedders import SettingsEmbedders, run_in_thread
from towpath.bootstrap.missing_packages import missing_call_packages
from towpath.bootstrap.pipelines import Plugins, plugin_list
from towpath.bootstrap.question_service import build_question_service
from towpath.bootstrap.reader import reader_fingerprint
from towpath.bootstrap.shared_settings import run_policy, shared_settings
from towpath.clock import Clock
from towpath.config import Settings
from towpath.intake.submit import Intake
from towpath.ledger.contract.ledger import RunPlan
from towpath.ledger.contract.library_models import LibraryModels
from towpath.ledger.contract.pauses import PauseStore
from towpath.ledger.contract.webhooks import Webhooks
from towpath.ledger.database import Database
from towpath.ledger.schema_version import newest_schema
from towpath.ledger.sql_ledger import SqlLedger
from towpath.model.run_stages import OPTION as STAGES_OPTION
from towpath.notify.in_process import InProcessNotifier
from towpath.pipelines.pipeline import Pipeline
from towpath.queries.document_organizer import SqlDocumentOrganizer
from towpath.queries.documents import SqlDocumentQueries
from towpath.queries.field_schemas import FieldSchemaCatalog
from towpath.sealed_secrets import Sealer
from towpath.search.hybrid import HybridSearcher
from towpath.search.index_contract import SearchIndex
from towpath.search.library_searcher import LibrarySearcher
from towpath.search.rerank import CandidateReranker
from towpath.search.sqlite.index import SqliteIndex
from towpath.server.deps import Services
from towpath.server.request_limits import LimitSettings, RequestPolicy
from towpath.storage.contract import BlobStore
from towpath.storage.disk_space import DiskSpace
from towpath.webhooks.address_policy import AddressPolicy
from towpath.worker.provider_limiter import ProviderLimiter
from towpath.worker_protocol.contract import RemoteJobs

if TYPE_CHECKING:
    from towpath.providers.rerank.http_reranker import WireFormat


def build_services(
    settings: Settings,
    database: Database,
    ledger: SqlLedger,
    store: BlobStore,
    disk: DiskSpace,
    incoming: Path,
    notifier: InProcessNotifier,
    clock: Clock,
    pipelines: dict[str, Pipeline],
    plugins: Plugins,
    index: SearchIndex,
    models: LibraryModels,
    sandbox: Mapping[str, bool],
    limiter: ProviderLimiter,
    sole: bool,
    schemas: FieldSchemaCatalog,
    remote_jobs: RemoteJobs,
    webhooks: Webhooks,
    webhook_policy: AddressPolicy,
    wake_deliverer: Callable[[], None],
    pauses: PauseStore,
    sealer: Sealer,
) -> Services:
    query_embedders = SettingsEmbedders(settings, models, run_in_thread)
    reranker = build_reranker(settings)
    options: dict[str, object] = {
        "means": {**reader_fingerprint(settings), "missing_call_packages": missing_call_packages(settings)}
    }
    plans = {
        name: RunPlan(
            pipeline.name,
            pipeline.version,
            pipeline.stage_names,
            max_attempts=settings.max_attempts,
            deadline_seconds=_deadline(settings, pipeline),
            continue_after_timeout=settings.continue_after_timeout,
            policy=run_policy(settings).to_json(),
            options={**options, STAGES_OPTION: pipeline.stages_of_new_runs().to_json()},
        )
        for name, pipeline in pipelines.items()
    }
    search = LibrarySearcher(
        query_embedders, lambda embedder: HybridSearcher(index, embedder, reranker=reranker)
    )
    stages = {name: pipeline.stage_names for name, pipeline in pipelines.items()}
    return Services(
        ledger=ledger,
        queries=SqlDocumentQueries(database, stages),
        organizer=SqlDocumentOrganizer(database),
        search=search,
        question_service=build_question_service(settings, database, search, limiter, clock, sole=sole),
        models=models,
        schemas=schemas,
        embedder=query_embedders.chosen,
        intake=Intake(
            ledger,
            store,
            notifier,
            clock,
            plans,
            incoming,
            settings.max_upload_bytes,
            settings.pipeline_rules,
        ),
        blobs=store,
        disk=disk,
        keys=SqlApiKeys(database),
        audit=SqlAuditLog(database),
        notifier=notifier,
        clock=clock,
        stages=stages,
        plugins=plugin_list(settings, plugins),
        key_required=not is_loopback(settings.host),
        schema=newest_schema(),
        shared_settings=shared_settings(settings),
        request_policy=request_policy(settings),
        sandbox=sandbox,
        remote_jobs=remote_jobs,
        webhooks=webhooks,
        webhook_policy=webhook_policy,
        wake_deliverer=wake_deliverer,
        pauses=pauses,
        sealer=sealer,
    )


def request_policy(settings: Settings) -> RequestPolicy:
    limits = LimitSettings(
        requests_per_second=settings.requests_per_second,
        failed_keys_per_minute=settings.failed_keys_per_minute,
        bytes_in_flight=settings.max_bytes_in_flight,
        stored_bytes=settings.max_stored_bytes,
    )
    return RequestPolicy(settings.host, settings.allowed_hosts, limits)


def _deadline(settings: Settings, pipeline: Pipeline) -> float | None:
    """A pipeline that transcribes may wait hours for a transcript."""
    transcribes = "transcribe_poll" in pipeline.stage_names
    return settings.call_deadline_seconds if transcribes else settings.run_deadline_seconds


def is_loopback(host: str) -> bool:
    return host in ("localhost", "::1") or host.startswith("127.")


def build_reranker(settings: Settings) -> CandidateReranker | None:
    """The reranking model of the settings; None if they name none."""
    if settings.rerank_url is None:
        return None
    from towpath.providers.rerank.http_reranker import HttpReranker

    reranker = HttpReranker(
        settings.rerank_url,
        wire_format=cast("WireFormat", settings.rerank_format),
        model=settings.rerank_model or "",
        api_key=settings.rerank_api_key,
        price=settings.rerank_price,
        seconds=settings.rerank_seconds,
    )
    return CandidateReranker(reranker, settings.rerank_seconds)


def build_search_index(settings: Settings, database: Database) -> SearchIndex:
    if settings.embedded:
        return SqliteIndex(database)
    from towpath.search.postgres.index import PostgresIndex

    return PostgresIndex(database)
