"""`towpath move`: a data folder becomes a Postgres, with the same ids."""

from __future__ import annotations

import asyncio
import shutil
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import click

from towpath import app
from towpath.catalogue.sql import SqlCatalogue
from towpath.clock import SystemClock
from towpath.config import Settings, load
from towpath.errors import UserError
from towpath.folder import owned
from towpath.ledger import migrate as migrations
from towpath.ledger import move as rows
from towpath.storage.contract import BlobStore
from towpath.storage.incoming import own_folder

#: Files on their way to another store at once.
AT_ONCE = 8


@dataclass(frozen=True, slots=True)
class Moved:
    rows: int
    documents: int
    files: int
    missing: tuple[str, ...]


@click.command()
@click.option(
    "--from",
    "folder",
    required=True,
    type=click.Path(file_okay=False, path_type=Path),
    help="The data folder to move; its server must be stopped. It is left as it is.",
)
@click.option("--to", "address", required=True, help="Postgres address; migrated, and empty.")
@click.option("--config", type=click.Path(path_type=Path, dir_okay=False), help="Settings file (TOML).")
def move(folder: Path, address: str, config: Path | None) -> None:
    """Carry a data folder over to Postgres, all of it or nothing, with the same ids."""
    settings = load({"data": folder, "database": address}, file=config).settings
    moved = asyncio.run(_move(settings))
    if moved.missing:
        click.echo(
            f"{len(moved.missing)} files that rows point to were not found: {', '.join(moved.missing[:5])}. "
            "If they are in Azure Blob Storage, name it in the settings of server and workers.",
            err=True,
        )
    kept = "stayed in the folder" if settings.blob_storage is None else "are in Azure Blob Storage"
    click.echo(f"Moved {moved.documents} documents, {moved.rows} rows in all; {moved.files} files {kept}.")
    click.echo(f"From now on serve {folder} with --database: without it, the old rows would be worked again.")


async def _move(settings: Settings) -> Moved:
    if not settings.sqlite_file.exists():
        raise UserError(
            f"There is nothing to move in {settings.data}: it has no {settings.sqlite_file.name}."
        )
    here = replace(settings, database=None, blob_storage=None)
    async with AsyncExitStack() as stack:
        stack.enter_context(owned(settings.data, ""))
        source = app.open_database(here)
        stack.callback(source.close)
        target = app.open_database(settings)
        stack.callback(target.close)
        await asyncio.to_thread(migrations.require_current, target.engine)
        await target.run(rows.check_target)
        await asyncio.to_thread(migrations.upgrade, source.engine)
        # Files first: without rows that point to them they are only in the way, and the next try replaces them.
        near = await stack.enter_async_context(app.opened_store(here))
        files = {key async for key in near.keys("orgs/")}
        missing = await SqlCatalogue(source, {}).blob_keys() - files
        if settings.blob_storage is not None:
            far = await stack.enter_async_context(app.opened_store(settings))
            aside = stack.enter_context(own_folder(settings.data / "incoming"))
            await _carry(files, near, far, aside)
            missing -= {key async for key in far.keys("orgs/")}
        counts = await target.run(partial(rows.carry, source=source, now=SystemClock().now()))
        return Moved(sum(counts.values()), counts["documents"], len(files), tuple(sorted(missing)))


async def _carry(files: set[str], near: BlobStore, far: BlobStore, aside: Path) -> None:
    """Copy the files; a store may take away what it is given, so it is given copies."""
    waiting = iter(sorted(files))

    async def carry() -> None:
        for key in waiting:
            async with near.as_file(key) as path:
                copy = await asyncio.to_thread(shutil.copyfile, path, aside / key.replace("/", "+"))
            await far.put_file(key, copy)
            copy.unlink(missing_ok=True)

    try:
        async with asyncio.TaskGroup() as group:
            for _ in range(AT_ONCE):
                group.create_task(carry())
    except ExceptionGroup as failed:
        raise failed.exceptions[0] from failed
