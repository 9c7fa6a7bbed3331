"""Where this installation keeps its database and its bytes."""

from __future__ import annotations

import logging
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

from towpath.config import Settings
from towpath.errors import ConfigError
from towpath.ledger.database import Database
from towpath.ledger.postgres.database import PostgresDatabase
from towpath.ledger.postgres.protection import standing
from towpath.ledger.sqlite.database import SqliteDatabase
from towpath.queue.local import LocalBell
from towpath.queue.postgres import PostgresBell
from towpath.storage.contract import BlobStore, checked
from towpath.storage.incoming import own_folder
from towpath.storage.local import LocalStore

log = logging.getLogger(__name__)


def open_database(settings: Settings) -> Database:
    if settings.database is not None:
        return PostgresDatabase(settings.database, connections=settings.worker_concurrency + 4)
    settings.data.mkdir(parents=True, exist_ok=True)
    return SqliteDatabase(settings.sqlite_file)


def bind_organizations(database: Database, *, work: bool) -> bool:
    """Let row-level security keep organizations apart as far as the database's role allows.

    Answers whether this role sees the rows of all of them when it names none.
    """
    if not isinstance(database, PostgresDatabase):
        return True
    with database.engine.connect() as connection:
        stands = standing(connection)
    if work and not stands.sees_all:
        raise ConfigError(
            f"The database role {stands.role} sees one organization at a time, and a worker serves all of them. "
            "Give it the role made by `towpath migrate --worker-role NAME`, or serve with --no-worker."
        )
    database.role = stands.becomes
    database.bound = stands.becomes is not None or not stands.sees_all
    if not database.bound:
        log.warning(
            "The database role %s sees all organizations, and there is no bound role that it may take on: only "
            "the conditions of each query keep them apart. docs/guides/postgres.md tells how to change that.",
            stands.role,
        )
    return stands.sees_all


def open_bell(settings: Settings, *, listen: bool) -> LocalBell:
    if settings.database is None:
        return LocalBell()
    return PostgresBell(settings.database, listen=listen, direct=settings.database_listen)


def open_store(settings: Settings, incoming: Path) -> BlobStore:
    """The store of this installation; ``incoming`` is a folder for files on their way in or out."""
    if settings.blob_storage is None:
        return LocalStore(settings.data, incoming)
    try:
        # Half a second to import: only for those who use it.
        from towpath.storage.azure import AzureStore
    except ImportError as error:
        raise ConfigError("Azure Blob Storage needs its SDK: pip install 'towpath[azure]'.") from error
    return AzureStore(settings.blob_storage, settings.blob_container, incoming)


@asynccontextmanager
async def opened_store(settings: Settings) -> AsyncGenerator[BlobStore]:
    """The store alone, for commands that look after an installation."""
    with own_folder(settings.data / "incoming") as incoming:
        store = open_store(settings, incoming)
        try:
            yield store
        finally:
            await store.close()


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
