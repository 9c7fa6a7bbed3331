"""Builds the services that the routes of the server call."""

from __future__ import annotations

from pathlib import Path

from towpath.access.sql import SqlKeys
from towpath.bootstrap.providers import query_embedder, reader_fingerprint
from towpath.bootstrap.shared_settings import run_policy, shared_settings
from towpath.clock import Clock
from towpath.config import Settings
from towpath.intake.submit import Intake
from towpath.ledger.contract.ledger import RunPlan
from towpath.ledger.database import Database
from towpath.ledger.migrate import newest_schema
from towpath.ledger.sql_ledger import SqlLedger
from towpath.notify.in_process import InProcessNotifier
from towpath.pipelines import call as calls
from towpath.pipelines.pipeline import Pipeline
from towpath.queries.documents import SqlDocumentQueries
from towpath.search.hybrid import HybridSearcher
from towpath.search.index_contract import SearchIndex
from towpath.search.postgres.index import PostgresIndex
from towpath.search.sqlite.index import SqliteIndex
from towpath.server.deps import Services
from towpath.storage.contract import BlobStore


def build_services(
    settings: Settings,
    database: Database,
    ledger: SqlLedger,
    store: BlobStore,
    incoming: Path,
    notifier: InProcessNotifier,
    clock: Clock,
    pipelines: dict[str, Pipeline],
    index: SearchIndex,
) -> Services:
    options: dict[str, object] = {"means": reader_fingerprint(settings)}
    plans = {
        name: RunPlan(
            pipeline.name,
            pipeline.version,
            pipeline.stage_names,
            max_attempts=settings.max_attempts,
            deadline_seconds=_deadline(settings, name),
            continue_after_timeout=settings.continue_after_timeout,
            policy=run_policy(settings).to_json(),
            options=options,
        )
        for name, pipeline in pipelines.items()
    }
    stages = {name: pipeline.stage_names for name, pipeline in pipelines.items()}
    return Services(
        ledger=ledger,
        queries=SqlDocumentQueries(database, stages),
        search=HybridSearcher(index, query_embedder(settings)),
        intake=Intake(ledger, store, notifier, clock, plans, incoming, settings.max_upload_bytes),
        blobs=store,
        keys=SqlKeys(database),
        notifier=notifier,
        clock=clock,
        stages=stages,
        key_required=not is_loopback(settings.host),
        schema=newest_schema(),
        shared_settings=shared_settings(settings),
    )


def _deadline(settings: Settings, pipeline: str) -> float | None:
    return settings.call_deadline_seconds if pipeline == calls.NAME else settings.run_deadline_seconds


def is_loopback(host: str) -> bool:
    return host in ("localhost", "::1") or host.startswith("127.")


def build_search_index(settings: Settings, database: Database) -> SearchIndex:
    return SqliteIndex(database) if settings.embedded else PostgresIndex(database)
