"""Executes `towpath import-sqlite`: copies a data folder into an empty Postgres database, with the same ids."""

from __future__ import annotations

import asyncio
import shutil
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import click

from towpath import bootstrap
from towpath.bootstrap.data_dir_lock import lock_data_dir
from towpath.cli.status_text import counted
from towpath.clock import SystemClock
from towpath.config import Settings, load
from towpath.errors import UserError
from towpath.ledger import import_sqlite as rows
from towpath.ledger import migrate as migrations
from towpath.queries.documents import SqlDocumentQueries
from towpath.storage.contract import BlobStore
from towpath.storage.scratch import own_folder

#: Files copied to another blob store at the same time.
CONCURRENT_COPIES = 8


@dataclass(frozen=True, slots=True)
class ImportResult:
    """Counts of imported rows, documents and files; keys of files that rows refer to but do not exist."""

    rows: int
    documents: int
    files: int
    missing: tuple[str, ...]


def import_data_folder(folder: Path, address: str, config: Path | None) -> None:
    """Copy a data folder into Postgres with the same ids, all of it or nothing."""
    settings = load({"data": folder, "database": address}, file=config).settings
    result = asyncio.run(_import(settings))
    if result.missing:
        click.echo(
            f"{len(result.missing)} files that rows refer to were not found: {', '.join(result.missing[:5])}. "
            "If they are in Azure Blob Storage, set `blob_storage` for the server and the workers.",
            err=True,
        )
    location = "in the folder" if settings.blob_storage is None else "in Azure Blob Storage"
    click.echo(
        f"Imported {counted(result.documents, 'document')} ({counted(result.rows, 'row')}); "
        f"{counted(result.files, 'file')} {location}."
    )
    click.echo(
        f"Serve {folder} with --database from now on: without it, the old rows would be processed again."
    )


async def _import(settings: Settings) -> ImportResult:
    if not settings.sqlite_file.exists():
        raise UserError(f"Nothing to import: {settings.data} has no {settings.sqlite_file.name}.")
    source_settings = replace(settings, database=None, blob_storage=None)
    async with AsyncExitStack() as stack:
        stack.enter_context(lock_data_dir(settings.data, ""))
        source = bootstrap.open_database(source_settings)
        stack.callback(source.close)
        target = bootstrap.open_database(settings)
        stack.callback(target.close)
        await asyncio.to_thread(migrations.require_current, target.engine)
        await target.run(rows.check_target)
        await asyncio.to_thread(migrations.upgrade, source.engine)
        # Files before rows: files without rows are harmless, and the next try overwrites them.
        source_store = await stack.enter_async_context(bootstrap.open_store_context(source_settings))
        files = {key async for key in source_store.keys("orgs/")}
        missing = await SqlDocumentQueries(source, {}).blob_keys() - files
        if settings.blob_storage is not None:
            target_store = await stack.enter_async_context(bootstrap.open_store_context(settings))
            temporary = stack.enter_context(own_folder(settings.data / "incoming"))
            await _copy_files(files, source_store, target_store, temporary)
            missing -= {key async for key in target_store.keys("orgs/")}
        counts = await target.run(partial(rows.copy_all, source=source, now=SystemClock().now()))
        return ImportResult(sum(counts.values()), counts["documents"], len(files), tuple(sorted(missing)))


async def _copy_files(
    files: set[str], source_store: BlobStore, target_store: BlobStore, temporary: Path
) -> None:
    """Copy the files. `put_file` may move its argument, so it gets a copy."""
    remaining = iter(sorted(files))

    async def copy_next() -> None:
        for key in remaining:
            async with source_store.as_file(key) as path:
                copy = await asyncio.to_thread(shutil.copyfile, path, temporary / key.replace("/", "+"))
            await target_store.put_file(key, copy)
            copy.unlink(missing_ok=True)

    try:
        async with asyncio.TaskGroup() as group:
            for _ in range(CONCURRENT_COPIES):
                group.create_task(copy_next())
    except ExceptionGroup as failed:
        raise failed.exceptions[0] from failed
