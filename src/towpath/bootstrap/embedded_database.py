"""Opens the SQLite database of a server: migrates it, and recovers the runs of a process that ended."""

from __future__ import annotations

import asyncio
import logging
import os
import struct
from collections.abc import Awaitable, Callable
from pathlib import Path

from sqlalchemy.exc import DBAPIError

from towpath.errors import DatabaseDamaged, DatabaseUnavailable
from towpath.ledger import migrate
from towpath.ledger.database import Database

log = logging.getLogger(__name__)

#: Seconds between two attempts to recover runs while the database accepts no writes.
RETRY_SECONDS = 1.0
#: Bytes of SQLite's file header, and the offsets of the page size and of the number of pages in it.
_HEADER_BYTES, _PAGE_SIZE_AT, _PAGE_COUNT_AT = 100, 16, 28


async def migrate_embedded(database: Database) -> None:
    """Run the missing migrations. Raises DatabaseUnavailable with a sentence if the file cannot be used."""
    try:
        await asyncio.to_thread(migrate.upgrade, database.engine)
    except DBAPIError as error:
        translated = database.translate(error)
        if translated is None:
            raise
        raise translated from error


def refuse_damaged(path: Path, blobs: Path) -> None:
    """Raise DatabaseDamaged if the file was truncated, or lost while the files of its library are there."""
    _refuse_lost(path, blobs)
    if not _has_log(path):
        _refuse_truncated(path)


def _has_log(path: Path) -> bool:
    """Whether there is a write-ahead log: with one, the file may be shorter than its header says for a moment."""
    log_file = path.with_name(f"{path.name}-wal")
    return log_file.exists() and log_file.stat().st_size > 0


def _refuse_lost(path: Path, blobs: Path) -> None:
    """Refuse a library without its database: a new, empty one would know none of the stored files."""
    if path.exists() and (not path.is_file() or path.stat().st_size > 0):
        return
    if any(files for _, _, files in os.walk(blobs)):
        raise DatabaseDamaged(
            f"The database file {path} is {'empty' if path.exists() else 'missing'}, but there are stored files in "
            f"{blobs}. Restore a backup with `towpath restore`, or put back the whole file. To begin with an empty "
            "library, choose another folder."
        )


def _refuse_truncated(path: Path) -> None:
    """Refuse a file that is shorter than its header says."""
    if not path.is_file():
        return
    with path.open("rb") as file:
        header = file.read(_HEADER_BYTES)
        size = os.fstat(file.fileno()).st_size
    if size == 0:
        return
    if len(header) == _HEADER_BYTES:
        page_size = struct.unpack_from(">H", header, _PAGE_SIZE_AT)[0]
        pages = struct.unpack_from(">I", header, _PAGE_COUNT_AT)[0]
        # The header stores a page size of 65,536 as 1.
        if size >= pages * (65_536 if page_size == 1 else page_size):
            return
    raise DatabaseDamaged(
        f"The database file {path} is truncated. Restore a backup with `towpath restore`, or put back the whole file."
    )


class StartupRecovery:
    """Recovers the runs of an ended process at start; repeats it while the database accepts no writes."""

    def __init__(self, recover: Callable[[], Awaitable[None]]) -> None:
        self._recover = recover
        self.done = False

    async def attempt(self) -> None:
        """Recover now, if the database accepts writes."""
        try:
            await self._recover()
        except DatabaseUnavailable as error:
            log.warning("starting without a worker until the database accepts writes: %s", error)
        else:
            self.done = True

    async def then(self, work: Callable[[], Awaitable[None]]) -> None:
        """Do the work after the recovery."""
        while not self.done:
            await asyncio.sleep(RETRY_SECONDS)
            await self.attempt()
        await work()
