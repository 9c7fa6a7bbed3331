"""Executes `towpath backup` and `towpath restore`: the database and all files of a data folder in one tar file.

Files are copied before the database, and files that the copied database refers to afterwards. A file is stored before a
row refers to it and deleted after its last row, so the backup has every file of its database while the server runs.
"""

from __future__ import annotations

import asyncio
import hashlib
import io
import json
import os
import shutil
import tarfile
import tempfile
from contextlib import AsyncExitStack
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO, Any

import click

from towpath import __version__, bootstrap
from towpath.bootstrap.data_dir_lock import lock_data_dir
from towpath.cli.client import require_library
from towpath.cli.status_text import counted
from towpath.clock import SystemClock
from towpath.config import Settings
from towpath.errors import ConfigError, UserError
from towpath.ledger.migrate import schema_of
from towpath.ledger.sqlite.copy_database import check_database, copy_database
from towpath.ledger.sqlite.database import SqliteDatabase
from towpath.queries.documents import SqlDocumentQueries
from towpath.storage.contract import BlobStore
from towpath.storage.scratch import own_folder

MANIFEST = "towpath-backup.json"
DATABASE = "towpath.db"
FORMAT = 1
#: Copies of the database until one has all its files. A second one is needed if a document that was added during the
#: backup is deleted during the backup.
MAX_COPIES = 5


@dataclass(frozen=True, slots=True)
class BackupResult:
    """Counts of a backup or a restore; keys of files that the library itself lacks."""

    documents: int
    files: int
    missing: list[str]
    schema_version: str | None


@dataclass(frozen=True, slots=True)
class _Snapshot:
    """What a copied database contains: the keys of its files, the number of documents, the schema."""

    files: set[str]
    documents: int
    schema_version: str | None


def backup_library(settings: Settings, file: Path, as_json: bool) -> None:
    """Write the backup and print what it contains."""
    _require_sqlite(settings, "backed up")
    require_library(settings)
    if file.exists():
        raise UserError(f"{file} exists. Name a new file.")
    result = asyncio.run(_backup(settings, file))
    _print(result, f"in {file} ({file.stat().st_size:,} bytes)", as_json)


def restore_library(settings: Settings, file: Path, as_json: bool) -> None:
    """Restore the backup and print what it contained."""
    _require_sqlite(settings, "restored")
    if settings.sqlite_file.exists():
        raise UserError(f"{settings.data} has a library already. Name another folder with --data.")
    result = asyncio.run(_restore(settings, file))
    _print(result, f"restored in {settings.data}", as_json)


def _require_sqlite(settings: Settings, verb: str) -> None:
    if not settings.embedded:
        raise ConfigError(f"A Postgres database is {verb} with its own tools: see docs/guides/upgrade.md.")


def _print(result: BackupResult, place: str, as_json: bool) -> None:
    if as_json:
        click.echo(json.dumps(asdict(result)))
        return
    click.echo(f"{counted(result.documents, 'document')} and {counted(result.files, 'file')} {place}")
    if result.missing:
        click.echo(f"Missing in the library itself: {', '.join(result.missing[:5])}", err=True)


async def _backup(settings: Settings, file: Path) -> BackupResult:
    part = file.with_name(f".{file.name}.part")
    file.parent.mkdir(parents=True, exist_ok=True)
    async with AsyncExitStack() as stack:
        store = await stack.enter_async_context(bootstrap.open_store_context(settings))
        temporary = Path(
            stack.enter_context(tempfile.TemporaryDirectory(dir=file.parent, prefix=".towpath-"))
        )
        stack.callback(part.unlink, missing_ok=True)
        mode = "w:gz" if file.suffix in (".gz", ".tgz") else "w"
        tar = stack.enter_context(tarfile.open(part, mode))  # noqa: SIM115  (closed by the stack)
        entries: dict[str, dict[str, Any]] = {}
        for key in [key async for key in store.keys("orgs/")]:
            await _add_file(tar, store, key, entries)
        copy = temporary / DATABASE
        snapshot = await _copy_with_files(settings, copy, tar, store, entries)
        files = {key: entries[key] for key in sorted(snapshot.files & entries.keys())}
        missing = sorted(snapshot.files - entries.keys())
        manifest = {
            "format": FORMAT,
            "version": __version__,
            "schema_version": snapshot.schema_version,
            "created_at": SystemClock().now().isoformat(),
            "documents": snapshot.documents,
            "database": await asyncio.to_thread(_add, tar, DATABASE, copy),
            # Files of documents that were deleted meanwhile are in the tar file, but not in this list.
            "files": files,
            "missing": missing,
        }
        body = json.dumps(manifest, indent=1).encode()
        info = tarfile.TarInfo(MANIFEST)
        info.size = len(body)
        tar.addfile(info, io.BytesIO(body))
        tar.close()
        _sync(part)
        part.rename(file)
        _sync(file.parent)
    return BackupResult(snapshot.documents, len(files), missing, snapshot.schema_version)


async def _copy_with_files(
    settings: Settings, copy: Path, tar: tarfile.TarFile, store: BlobStore, entries: dict[str, dict[str, Any]]
) -> _Snapshot:
    """Copy the database and add the files that it refers to, until none is missing."""
    tries = 0
    while True:
        await asyncio.to_thread(copy_database, settings.sqlite_file, copy)
        snapshot = await _inspect(copy)
        for key in sorted(snapshot.files - entries.keys()):
            await _add_file(tar, store, key, entries)
        tries += 1
        if snapshot.files <= entries.keys() or tries == MAX_COPIES:
            return snapshot


async def _inspect(copy: Path) -> _Snapshot:
    database = SqliteDatabase(copy)
    try:
        referenced = await SqlDocumentQueries(database, {}).blob_keys()
        with database.engine.connect() as connection:
            documents = connection.exec_driver_sql("select count(*) from documents").scalar_one()
        return _Snapshot(referenced, int(documents), schema_of(database.engine))
    finally:
        database.close()


async def _add_file(
    tar: tarfile.TarFile, store: BlobStore, key: str, entries: dict[str, dict[str, Any]]
) -> None:
    """Add a blob, unless it was deleted meanwhile."""
    try:
        async with store.as_file(key) as path:
            entries[key] = await asyncio.to_thread(_add, tar, f"blobs/{key}", path)
    except (FileNotFoundError, ValueError):
        # ValueError: a temporary file of a write that was interrupted.
        return


def _add(tar: tarfile.TarFile, name: str, path: Path) -> dict[str, Any]:
    with path.open("rb") as file:
        info = tarfile.TarInfo(name)
        info.size = os.fstat(file.fileno()).st_size
        hashing = _HashingReader(file)
        tar.addfile(info, hashing)  # pyright: ignore[reportArgumentType]  (only `read` is called)
        return {"size": info.size, "sha256": hashing.digest.hexdigest()}


def file_sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


class _HashingReader:
    """Computes the sha256 of what is read."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self.digest = hashlib.sha256()

    def read(self, size: int = -1) -> bytes:
        data = self._file.read(size)
        self.digest.update(data)
        return data


async def _restore(settings: Settings, file: Path) -> BackupResult:
    async with AsyncExitStack() as stack:
        try:
            tar = stack.enter_context(tarfile.open(file))  # noqa: SIM115  (closed by the stack)
            manifest = json.loads(_member(tar, MANIFEST).read())
        except (tarfile.TarError, KeyError, ValueError, EOFError) as error:
            raise UserError(f"{file} is not a backup of Towpath, or it is incomplete.") from error
        if manifest["format"] != FORMAT:
            raise UserError(
                f"{file} was written by a newer version, {manifest['version']}. Install that version."
            )
        stack.enter_context(lock_data_dir(settings.data, ""))
        store = await stack.enter_async_context(bootstrap.open_store_context(settings))
        temporary = stack.enter_context(own_folder(settings.data / "incoming"))
        for key, entry in manifest["files"].items():
            extracted = temporary / "file"
            await asyncio.to_thread(_extract, tar, f"blobs/{key}", extracted, entry)
            await store.put_file(key, extracted)
            extracted.unlink(missing_ok=True)
        # The database comes last: a restore that was interrupted leaves no library and can be repeated.
        database = temporary / DATABASE
        await asyncio.to_thread(_extract, tar, DATABASE, database, manifest["database"])
        await asyncio.to_thread(check_database, database)
        move_into_place(database, settings.sqlite_file)
    return BackupResult(
        manifest["documents"], len(manifest["files"]), manifest["missing"], manifest["schema_version"]
    )


def move_into_place(database: Path, target: Path) -> None:
    """Make a complete database file the database of the data folder, durably."""
    _sync(database)
    for suffix in ("-wal", "-shm"):
        # Logs of a database that was removed would be applied to this one.
        Path(f"{target}{suffix}").unlink(missing_ok=True)
    database.rename(target)
    _sync(target.parent)


def _member(tar: tarfile.TarFile, name: str) -> IO[bytes]:
    file = tar.extractfile(name)
    if file is None:
        raise KeyError(name)
    return file


def _extract(tar: tarfile.TarFile, name: str, target: Path, entry: dict[str, Any]) -> None:
    try:
        hashing = _HashingReader(_member(tar, name))
        with target.open("wb") as file:
            shutil.copyfileobj(hashing, file, 1 << 20)
    except (KeyError, EOFError, tarfile.TarError) as error:
        raise UserError(f"The backup lacks {name}: it is incomplete.") from error
    if hashing.digest.hexdigest() != entry["sha256"]:
        raise UserError(f"{name} in the backup is damaged: its sha256 differs.")


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
