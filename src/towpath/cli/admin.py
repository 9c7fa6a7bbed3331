"""Executes the administration commands: check, prune."""

from __future__ import annotations

import asyncio
import json
from contextlib import AsyncExitStack
from dataclasses import asdict
from typing import TypedDict, TypeVar

import click

from towpath import __version__, bootstrap
from towpath.bootstrap.data_dir_lock import lock_data_dir
from towpath.bootstrap.shared_settings import shared_settings
from towpath.cli.client import require_library
from towpath.cli.settings_output import effective_settings, profile_lines, settings_lines
from towpath.cli.status_text import counted
from towpath.clock import SystemClock
from towpath.config import LoadedSettings, Settings
from towpath.config.profiles import PROFILES
from towpath.errors import UserError
from towpath.ledger import migrate as migrations
from towpath.ledger.contract.ledger import PruneResult
from towpath.ledger.schema_version import newest_schema
from towpath.ledger.sql_ledger import SqlLedger
from towpath.queries.documents import SqlDocumentQueries
from towpath.queries.setting_differences import setting_differences
from towpath.version import source_commit, version_text
from towpath.worker.retention import Pruner

T = TypeVar("T")


class StoredFilesCheck(TypedDict):
    schema_version: str | None
    blobs: int
    orphans: list[str]
    missing: list[str]
    #: Settings that differ between this command and the running workers, as sentences.
    differences: list[str]


def check(loaded: LoadedSettings, repair: bool, live: bool, as_json: bool) -> None:
    """Print the settings, compare rows with stored files, and verify the settings of the providers.

    ``live`` sends one small request to each provider.
    """
    settings = loaded.settings
    if repair and not settings.embedded:
        # A file whose upload is not committed yet looks like an orphan.
        click.confirm("Are all servers and workers of this database stopped?", abort=True)
    exists = not settings.embedded or settings.sqlite_file.exists()
    storage = asyncio.run(_verify_files(settings, repair)) if exists else None
    probes = asyncio.run(bootstrap.probe_providers(settings)) if live else []
    if as_json:
        program = {"version": __version__, "commit": source_commit(), "schema_version": newest_schema()}
        report: dict[str, object] = {
            "program": program,
            "settings": effective_settings(loaded),
            "profiles": {name: dict(profile.values) for name, profile in PROFILES.items()},
            "storage": storage,
        }
        if live:
            report["providers"] = [asdict(probe) for probe in probes]
        click.echo(json.dumps(report, default=str))
    else:
        program_line = f"towpath {version_text()}, schema {newest_schema()}"
        storage_line = _storage_line(settings, storage, repair)
        lines = [*settings_lines(loaded), "", *profile_lines(loaded), "", program_line, storage_line]
        click.echo("\n".join(lines))
        for difference in storage["differences"] if storage else ():
            click.echo(f"Settings differ: {difference}")
        for hint in bootstrap.install_hints(settings):
            click.echo(hint)
        for probe in probes:
            click.echo(f"{probe.name}: {probe.error or f'answered in {probe.seconds:.1f} s'}")
        if live and not probes:
            click.echo("No provider is configured: everything runs on this machine.")
    if storage and storage["missing"]:
        raise UserError("Files are missing: " + ", ".join(storage["missing"][:5]))
    bootstrap.check_providers(settings)
    if failed := [probe.name for probe in probes if probe.error is not None]:
        raise UserError(f"The live check failed: {', '.join(failed)}.")


def _storage_line(settings: Settings, storage: StoredFilesCheck | None, repair: bool) -> str:
    if storage is None:
        return f"There is no library in {settings.data} yet."
    orphans = f"{len(storage['orphans'])} orphaned{' (deleted)' if repair else ''}"
    files = f"{counted(storage['blobs'], 'file')}: {orphans}, {len(storage['missing'])} missing"
    return f"Database: schema {storage['schema_version']}. {files}"


async def _verify_files(settings: Settings, repair: bool) -> StoredFilesCheck:
    async with AsyncExitStack() as stack:
        if repair and settings.embedded:
            stack.enter_context(lock_data_dir(settings.data, ""))
        database = bootstrap.open_database(settings)
        stack.callback(database.close)
        if settings.embedded:
            migrations.upgrade(database.engine)
        if not bootstrap.enable_row_level_security(database, with_worker=False):
            # The files of other organizations would look orphaned, and --repair would delete them.
            raise UserError(
                "This database role sees one organization only. Run `towpath check` with the worker role."
            )
        store = await stack.enter_async_context(bootstrap.open_store_context(settings))
        queries = SqlDocumentQueries(database, {})
        workers = (await queries.overview(None, SystemClock().now())).workers
        if repair and not settings.embedded and any(worker["jobs"] for worker in workers):
            # The files of a job are stored before the rows that refer to them.
            raise UserError("Workers hold jobs. Stop all servers and workers, then repair.")
        # A container may also hold blobs of other programs; Towpath's keys start with this prefix.
        stored = {key async for key in store.keys("orgs/")}
        # After the files: what is stored meanwhile is no orphan.
        referenced = await queries.blob_keys()
        orphans = sorted(stored - referenced)
        if repair and orphans and not referenced:
            raise UserError(
                f"The database knows none of the {counted(len(stored), 'stored file')}; nothing was deleted. "
                "Check that --database and --data belong together."
            )
        if repair:
            for key in orphans:
                await store.delete(key)
        # A server may have stored files after they were listed, and deleted some since.
        absent = {key for key in referenced - stored if await store.size(key) is None}
        missing = sorted(absent & await queries.blob_keys()) if absent else []
        return {
            "schema_version": migrations.schema_of(database.engine),
            "blobs": len(stored),
            "orphans": orphans,
            "missing": missing,
            "differences": [str(item) for item in setting_differences(shared_settings(settings), workers)],
        }


def prune(settings: Settings, as_json: bool) -> None:
    """Delete what the retention settings do not keep, and print how much."""
    require_library(settings)
    total = asyncio.run(_prune(settings))
    counts = {
        "runs": total.runs,
        "jobs": total.jobs,
        "events": total.events,
        "answers": total.answers,
        "deliveries": total.deliveries,
    }
    text = ", ".join(f"{count} {name}" for name, count in counts.items())
    click.echo(json.dumps(counts) if as_json else f"Deleted {text}.")


async def _prune(settings: Settings) -> PruneResult:
    database = bootstrap.open_database(settings)
    try:
        if settings.embedded:
            migrations.upgrade(database.engine)
        async with bootstrap.open_store_context(settings) as store:
            pruner = Pruner(SqlLedger(database), store, SystemClock(), bootstrap.retention_policy(settings))
            return await pruner.prune_all()
    finally:
        database.close()
