"""Where this installation keeps its database and its bytes."""

from __future__ import annotations

from towpath.config import Settings
from towpath.ledger.database import Database
from towpath.ledger.postgres.database import PostgresDatabase
from towpath.ledger.sqlite.database import SqliteDatabase
from towpath.storage.contract import BlobStore, checked
from towpath.storage.local import LocalStore


def open_database(settings: Settings) -> Database:
    if settings.database is not None:
        return PostgresDatabase(settings.database, connections=settings.worker_concurrency + 4)
    settings.data.mkdir(parents=True, exist_ok=True)
    return SqliteDatabase(settings.sqlite_file)


def open_store(settings: Settings) -> LocalStore:
    return LocalStore(settings.data)


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
