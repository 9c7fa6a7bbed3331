"""Gives jobs to workers that speak HTTP. Row-level security lets each query see one organization."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from sqlalchemy import Engine
from sqlalchemy.exc import DBAPIError

from towpath.bootstrap.database_and_storage import LargeAnswerBlobs
from towpath.bootstrap.shared_settings import shared_settings
from towpath.clock import Clock
from towpath.config import Settings
from towpath.errors import DatabaseUnavailable
from towpath.ledger.contract.ledger import Ledger
from towpath.ledger.database import Database, Work
from towpath.ledger.sql_ledger import SqlLedger
from towpath.notify.contract import Notifier
from towpath.storage.contract import BlobStore
from towpath.worker.executor import Executor
from towpath.worker.provider_limiter import ProviderLimiter
from towpath.worker.remote_jobs import RemoteJobService

T = TypeVar("T")


class OrganizationDatabase:
    """A database whose transactions all belong to one organization: Postgres hides the rows of the others."""

    def __init__(self, database: Database, org_id: str) -> None:
        self._database = database
        self._org_id = org_id
        self.dialect = database.dialect
        self.engine: Engine = database.engine
        self.lock_waits = 0
        self.make_space: Callable[[], bool] | None = None

    def translate(self, error: DBAPIError) -> DatabaseUnavailable | None:
        return self._database.translate(error)

    def transact(
        self, work: Work[T], *, single: bool = False, read: bool = False, org: str | None = None
    ) -> T:
        return self._database.transact(work, single=single, read=read, org=org or self._org_id)

    async def run(
        self, work: Work[T], *, single: bool = False, read: bool = False, org: str | None = None
    ) -> T:
        return await self._database.run(work, single=single, read=read, org=org or self._org_id)

    def close(self) -> None:
        """Leave the database open: it belongs to the runtime."""


def open_remote_jobs(
    settings: Settings,
    database: Database,
    executor: Executor,
    make_ledger: Callable[[Database], SqlLedger],
    store: BlobStore,
    limiter: ProviderLimiter,
    notifier: Notifier,
    clock: Clock,
) -> RemoteJobService:
    def ledger_of(org_id: str) -> Ledger:
        return make_ledger(OrganizationDatabase(database, org_id))

    return RemoteJobService(
        executor.ledger,
        ledger_of,
        executor,
        LargeAnswerBlobs(store),
        limiter,
        notifier.notify,
        clock,
        settings.lease_seconds,
        shared_settings(settings),
    )
