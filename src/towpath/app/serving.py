"""What the server is given to answer with."""

from __future__ import annotations

from pathlib import Path

from towpath.access.sql import SqlKeys
from towpath.app.providers import query_embedder, reading_means
from towpath.catalogue.sql import SqlCatalogue
from towpath.clock import Clock
from towpath.config import Settings
from towpath.intake.submit import Intake
from towpath.ledger.contract import Plan
from towpath.ledger.database import Database
from towpath.ledger.ledger import SqlLedger
from towpath.pipelines import call as calls
from towpath.pipelines.pipeline import Pipeline
from towpath.queue.local import LocalBell
from towpath.search.index import Index
from towpath.search.postgres import PostgresIndex
from towpath.search.searcher import HybridSearcher
from towpath.search.sqlite import SqliteIndex
from towpath.server.services import Services
from towpath.storage.contract import BlobStore


def services_of(
    settings: Settings,
    database: Database,
    ledger: SqlLedger,
    store: BlobStore,
    incoming: Path,
    bell: LocalBell,
    clock: Clock,
    pipelines: dict[str, Pipeline],
    index: Index,
) -> Services:
    options: dict[str, object] = {"means": reading_means(settings)}
    plans = {
        name: Plan(
            pipeline.name,
            pipeline.version,
            pipeline.stages,
            max_attempts=settings.max_attempts,
            deadline_seconds=_deadline(settings, name),
            options=options,
        )
        for name, pipeline in pipelines.items()
    }
    stages = {name: pipeline.stages for name, pipeline in pipelines.items()}
    return Services(
        ledger=ledger,
        catalogue=SqlCatalogue(database, stages),
        searcher=HybridSearcher(index, query_embedder(settings)),
        intake=Intake(ledger, store, bell, clock, plans, incoming, settings.max_upload_bytes),
        blobs=store,
        keys=SqlKeys(database),
        bell=bell,
        clock=clock,
        stages=stages,
        key_required=not is_loopback(settings.host),
        ready=lambda: True,
    )


def _deadline(settings: Settings, pipeline: str) -> float | None:
    return settings.call_deadline_seconds if pipeline == calls.NAME else settings.run_deadline_seconds


def is_loopback(host: str) -> bool:
    return host in ("localhost", "::1") or host.startswith("127.")


def index_of(settings: Settings, database: Database) -> Index:
    return SqliteIndex(database) if settings.embedded else PostgresIndex(database)
