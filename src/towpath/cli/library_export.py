"""Executes `towpath export` of a whole library and `towpath import`: files by document, and each table as JSON lines.

The rows keep their ids, vectors and cached answers, so that the imported library gives the same search results and pays
for nothing again. The search index is rebuilt by the triggers of the database.
"""

from __future__ import annotations

import asyncio
import base64
import json
import shutil
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import AsyncExitStack, closing
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, cast

import click

from towpath import __version__, bootstrap
from towpath.bootstrap.data_dir_lock import lock_data_dir
from towpath.cli.backup import file_sha256, move_into_place
from towpath.cli.client import require_library
from towpath.cli.export_files import folder_name, require_empty, safe_name
from towpath.cli.status_text import counted
from towpath.clock import SystemClock
from towpath.config import Settings
from towpath.errors import ConfigError, UserError
from towpath.ledger.migrate import create_schema, schema_of
from towpath.ledger.sqlite.copy_database import copy_database
from towpath.ledger.sqlite.database import SqliteDatabase
from towpath.queries.documents import SqlDocumentQueries
from towpath.storage.contract import BlobStore
from towpath.storage.scratch import own_folder

MANIFEST = "towpath-export.json"
FILES = "files.jsonl"
FORMAT = 1
#: Tables about the running processes of one installation.
_NOT_EXPORTED = ("alembic_version", "workers", "provider_users", "provider_throttles", "sqlite_sequence")


@dataclass(frozen=True, slots=True)
class ExportResult:
    """Counts of exported or imported rows, documents and files; keys of files that the library lacks."""

    documents: int
    rows: int
    files: int
    missing: list[str]


def export_library(settings: Settings, folder: Path, as_json: bool) -> None:
    """Write the whole library to an empty folder. The server may keep running."""
    if not settings.embedded:
        raise ConfigError(
            "A Postgres database is exported document by document: name a server with --server URL."
        )
    require_library(settings)
    require_empty(folder)
    folder.mkdir(parents=True, exist_ok=True)
    _print(asyncio.run(_export(settings, folder)), f"written to {folder}", as_json)


def import_library(settings: Settings, folder: Path, as_json: bool) -> None:
    """Create a library from an export."""
    if not settings.embedded:
        raise ConfigError(
            "Import into a data folder first, then use `towpath import-sqlite` to copy it to Postgres."
        )
    if settings.sqlite_file.exists():
        raise UserError(f"{settings.data} has a library already. Name another folder with --data.")
    if not folder.is_dir():
        raise UserError(f"There is no folder {folder}. Name one that `towpath export` wrote.")
    if not (folder / MANIFEST).exists():
        raise UserError(f"{folder} is not a complete export of a library: it has no {MANIFEST}.")
    _print(asyncio.run(_import(settings, folder)), f"imported into {settings.data}", as_json)


def _print(result: ExportResult, verb: str, as_json: bool) -> None:
    if as_json:
        click.echo(json.dumps(asdict(result)))
        return
    files = counted(result.files, "file")
    click.echo(f"{counted(result.documents, 'document')} ({counted(result.rows, 'row')}, {files}) {verb}")
    if result.missing:
        click.echo(f"These files were not found: {', '.join(result.missing[:5])}", err=True)


async def _export(settings: Settings, folder: Path) -> ExportResult:
    async with AsyncExitStack() as stack:
        store = await stack.enter_async_context(bootstrap.open_store_context(settings))
        temporary = Path(stack.enter_context(tempfile.TemporaryDirectory(dir=folder, prefix=".towpath-")))
        copy = temporary / "towpath.db"
        await asyncio.to_thread(copy_database, settings.sqlite_file, copy)
        database = SqliteDatabase(copy)
        stack.callback(database.close)
        referenced, schema = await SqlDocumentQueries(database, {}).blob_keys(), schema_of(database.engine)
        rows, paths = await asyncio.to_thread(_write_tables, copy, folder)
        missing = await _write_files(
            store, folder, {key: paths.get(key, _answer_path(key)) for key in referenced}
        )
        # The manifest comes last: an export without it is incomplete and is not imported.
        manifest = {
            "format": FORMAT,
            "version": __version__,
            "schema_version": schema,
            "created_at": SystemClock().now().isoformat(),
            "rows": rows,
            "missing": missing,
        }
        (folder / MANIFEST).write_text(json.dumps(manifest, indent=1) + "\n", "utf-8")
    return ExportResult(rows["documents"], sum(rows.values()), len(referenced) - len(missing), missing)


def _write_tables(copy: Path, folder: Path) -> tuple[dict[str, int], dict[str, str]]:
    """Write each table as JSON lines; return the number of rows of each, and the path of each document's files."""
    (folder / "tables").mkdir()
    counts: dict[str, int] = {}
    with closing(sqlite3.connect(copy)) as database:
        for table in _tables(database):
            with (folder / "tables" / f"{table}.jsonl").open("w", encoding="utf-8") as file:
                counts[table] = 0
                for row in _read_rows(database, table):
                    file.write(json.dumps(row, ensure_ascii=False) + "\n")
                    counts[table] += 1
        folders: dict[str, str] = {}
        paths: dict[str, str] = {}
        for document_id, name, key in database.execute("select id, name, blob_key from documents"):
            folders[document_id] = f"documents/{folder_name(name, document_id)}"
            paths[key] = f"{folders[document_id]}/original{Path(safe_name(name)).suffix}"
        if "document_versions" in counts:
            query = "select document_id, number, name, blob_key from document_versions where blob_key != ''"
            for document_id, number, name, key in database.execute(query):
                suffix = Path(safe_name(name)).suffix
                paths.setdefault(key, f"{folders[document_id]}/original-version-{number}{suffix}")
        for document_id, key in database.execute("select document_id, key from artifacts"):
            paths[key] = f"{folders[document_id]}/{key.rpartition('/')[2]}"
    return counts, paths


def _tables(database: sqlite3.Connection) -> list[str]:
    names = [
        name
        for (name,) in database.execute("select name from sqlite_master where type = 'table' order by name")
    ]
    return [name for name in names if name not in _NOT_EXPORTED and not name.startswith("search_")]


def _json_columns(database: sqlite3.Connection, table: str) -> set[str]:
    return {
        name
        for _, name, kind, *_ in database.execute(f"pragma table_info({table})")
        if kind.upper() == "JSON"
    }


def _read_rows(database: sqlite3.Connection, table: str) -> Iterator[dict[str, Any]]:
    json_columns = _json_columns(database, table)
    cursor = database.execute(f"select * from {table} order by rowid")
    names = [column[0] for column in cursor.description]
    for row in cursor:
        yield {name: _to_json(value, name in json_columns) for name, value in zip(names, row, strict=True)}


def _to_json(value: Any, is_json: bool) -> Any:
    """A stored value as JSON. Bytes and a stored JSON null have no JSON value of their own."""
    if isinstance(value, bytes):
        return {"$base64": base64.b64encode(value).decode()}
    if is_json and isinstance(value, str):
        return {"$null": True} if value.strip() == "null" else json.loads(value)
    return value


def _from_json(value: Any, is_json: bool) -> Any:
    fields = cast("dict[str, Any]", value) if isinstance(value, dict) else {}
    if not is_json and "$base64" in fields:
        return base64.b64decode(str(fields["$base64"]))
    if is_json and value is not None:
        return "null" if fields == {"$null": True} else json.dumps(value, ensure_ascii=False)
    return cast("object", value)


def _answer_path(key: str) -> str:
    """The path of a file that belongs to no document: a large answer of a provider."""
    return f"answers/{key.removeprefix('orgs/')}"


async def _write_files(store: BlobStore, folder: Path, paths: dict[str, str]) -> list[str]:
    missing: list[str] = []
    with (folder / FILES).open("w", encoding="utf-8") as listing:
        for key, path in sorted(paths.items()):
            target = folder / path
            target.parent.mkdir(parents=True, exist_ok=True)
            try:
                async with store.as_file(key) as source:
                    await asyncio.to_thread(shutil.copyfile, source, target)
            except FileNotFoundError:
                missing.append(key)
                continue
            digest = await asyncio.to_thread(file_sha256, target)
            listing.write(json.dumps({"key": key, "path": path, "sha256": digest}, ensure_ascii=False) + "\n")
    return missing


async def _import(settings: Settings, folder: Path) -> ExportResult:
    manifest = json.loads((folder / MANIFEST).read_text("utf-8"))
    if manifest["format"] != FORMAT:
        raise UserError(
            f"{folder} was written by a newer version, {manifest['version']}. Install that version."
        )
    files = [json.loads(line) for line in (folder / FILES).read_text("utf-8").splitlines()]
    async with AsyncExitStack() as stack:
        stack.enter_context(lock_data_dir(settings.data, ""))
        store = await stack.enter_async_context(bootstrap.open_store_context(settings))
        temporary = stack.enter_context(own_folder(settings.data / "incoming"))
        for file in files:
            copy = temporary / "file"
            await asyncio.to_thread(_verified_copy, folder, file, copy)
            await store.put_file(file["key"], copy)
            copy.unlink(missing_ok=True)
        database = temporary / "towpath.db"
        await asyncio.to_thread(_read_tables, folder, database, manifest)
        move_into_place(database, settings.sqlite_file)
    rows: dict[str, int] = manifest["rows"]
    return ExportResult(rows["documents"], sum(rows.values()), len(files), manifest["missing"])


def _verified_copy(folder: Path, file: dict[str, str], target: Path) -> None:
    source = (folder / file["path"]).resolve()
    if not source.is_relative_to(folder.resolve()):
        raise UserError(f"{file['path']} is outside of the export.")
    try:
        shutil.copyfile(source, target)
    except OSError as error:
        raise UserError(f"The export lacks {file['path']}: {error}.") from error
    if file_sha256(target) != file["sha256"]:
        raise UserError(f"{file['path']} was changed after the export: its sha256 differs.")


def _read_tables(folder: Path, path: Path, manifest: dict[str, Any]) -> None:
    """Create the database with the schema of the export and insert all rows, in one transaction."""
    new = SqliteDatabase(path)
    try:
        create_schema(new.engine, manifest["schema_version"])
    finally:
        new.close()
    with closing(sqlite3.connect(path, isolation_level=None)) as database:
        database.execute("pragma journal_mode = delete")
        database.execute("pragma foreign_keys = off")
        database.execute("begin")
        for table in _tables(database):
            _insert_rows(
                database, table, folder / "tables" / f"{table}.jsonl", manifest["rows"].get(table, 0)
            )
        if violations := database.execute("pragma foreign_key_check").fetchmany(3):
            raise UserError(f"The export is inconsistent: {violations}.")
        database.execute("commit")


def _insert_rows(database: sqlite3.Connection, table: str, file: Path, expected: int) -> None:
    json_columns = _json_columns(database, table)
    known = {name for _, name, *_ in database.execute(f"pragma table_info({table})")}
    count = 0
    if file.exists():
        with file.open(encoding="utf-8") as lines:
            for line in lines:
                row: dict[str, Any] = json.loads(line)
                if not row.keys() <= known:
                    raise UserError(
                        f"{file.name} has unknown columns: {', '.join(sorted(row.keys() - known))}."
                    )
                names, marks = ", ".join(f'"{name}"' for name in row), ", ".join("?" * len(row))
                values = [_from_json(value, name in json_columns) for name, value in row.items()]
                database.execute(f'insert or replace into "{table}" ({names}) values ({marks})', values)
                count += 1
    if count != expected:
        raise UserError(f"{file.name} has {count} rows instead of {expected}: the export is incomplete.")
