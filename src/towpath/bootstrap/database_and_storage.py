"""Opens the database, the notifier and the blob store that the settings name.

What only some settings need is imported where it is needed: psycopg takes 0.1 s, the SDK of Azure 0.5 s.
"""

from __future__ import annotations

import logging
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

from towpath.bootstrap import azure_identity
from towpath.bootstrap.embedded_database import refuse_damaged
from towpath.config import Settings
from towpath.errors import ConfigError
from towpath.ledger.contract.worker_session import WorkerSession
from towpath.ledger.database import Database
from towpath.ledger.sqlite.database import SqliteDatabase
from towpath.notify.in_process import InProcessNotifier
from towpath.private_files import make_private_file, make_private_folder
from towpath.storage.contract import BlobStore, require_key
from towpath.storage.local import LocalStore
from towpath.storage.scratch import own_folder

log = logging.getLogger(__name__)


def open_database(settings: Settings) -> Database:
    """Connect to the database. Raises DatabaseDamaged for a SQLite file that is truncated or lost."""
    if settings.database is not None:
        from towpath.ledger.postgres.database import PostgresDatabase

        return PostgresDatabase(settings.database, connections=settings.worker_concurrency + 4)
    make_private_folder(settings.data)
    refuse_damaged(settings.sqlite_file, settings.data / "blobs")
    # SQLite gives its other files the mode of this one.
    make_private_file(settings.sqlite_file)
    return SqliteDatabase(settings.sqlite_file)


def enable_row_level_security(database: Database, *, with_worker: bool) -> bool:
    """Use row-level security to separate organizations, as far as the database role allows.

    Returns True if the role sees the rows of all organizations when it names none.
    """
    if isinstance(database, SqliteDatabase):
        return True
    from towpath.ledger.postgres.database import PostgresDatabase
    from towpath.ledger.postgres.row_level_security import role_access

    assert isinstance(database, PostgresDatabase)
    with database.engine.connect() as connection:
        access = role_access(connection)
    if with_worker and not access.sees_all:
        raise ConfigError(
            f"The database role {access.role} sees one organization at a time, but a worker needs all of them. "
            "Use the role created by `towpath migrate --worker-role NAME`, or serve with --no-worker."
        )
    database.role = access.becomes
    database.bound = access.becomes is not None or not access.sees_all
    if not database.bound:
        log.warning(
            "The database role %s sees all organizations and cannot switch to a restricted role: only the "
            "conditions of the queries separate organizations. See docs/guides/postgres.md.",
            access.role,
        )
    return access.sees_all


def open_notifier(settings: Settings, *, listen: bool) -> InProcessNotifier:
    if settings.database is None:
        return InProcessNotifier()
    from towpath.notify.postgres import PostgresNotifier

    return PostgresNotifier(settings.database, listen=listen, direct=settings.database_listen)


def open_worker_session(settings: Settings) -> WorkerSession | None:
    """The session that tells other workers at once that this one has died; None on SQLite, which has one worker."""
    if settings.database is None:
        return None
    from towpath.ledger.postgres.worker_session import PostgresWorkerSession

    return PostgresWorkerSession(settings.database_listen or settings.database)


def open_store(settings: Settings, incoming: Path) -> BlobStore:
    """The blob store; ``incoming`` is its folder for temporary files."""
    if settings.blob_storage is None:
        return LocalStore(settings.data, incoming)
    try:
        from towpath.storage.azure import AzureStore
    except ImportError as error:
        raise ConfigError(
            "The setting `blob_storage` needs more packages: pip install 'towpath[azure]'."
        ) from error
    if not settings.blob_storage.startswith("https://"):
        return AzureStore(settings.blob_storage, settings.blob_container, incoming)
    credential = azure_identity.azure_credential(settings, "an address as `blob_storage`")
    return AzureStore(settings.blob_storage, settings.blob_container, incoming, credential)


@asynccontextmanager
async def open_store_context(settings: Settings) -> AsyncGenerator[BlobStore]:
    """The blob store alone, for administration commands."""
    with own_folder(settings.data / "incoming") as incoming:
        store = open_store(settings, incoming)
        try:
            yield store
        finally:
            await store.close()


class LargeAnswerBlobs:
    """Keeps provider answers that are too large for a row in blob storage."""

    def __init__(self, blobs: BlobStore) -> None:
        self._blobs = blobs

    async def put(self, org_id: str, key: str, body: bytes) -> str:
        blob_key = require_key(f"orgs/{org_id}/{key}")
        await self._blobs.put(blob_key, body)
        return blob_key

    async def get(self, org_id: str, key: str) -> bytes:
        return await self._blobs.get(key)
