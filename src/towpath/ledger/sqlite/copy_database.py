"""Copies a SQLite database that other processes may be using."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from pathlib import Path

from towpath.errors import UserError


def copy_database(source: Path, target: Path) -> None:
    """Write a consistent copy of ``source``, synced to disk; ``target`` appears complete or not at all.

    SQLite's online backup copies all pages in one read transaction. With a write-ahead log it blocks no writer.
    """
    part = target.with_name(f".{target.name}.part")
    part.unlink(missing_ok=True)
    try:
        with closing(sqlite3.connect(source, timeout=60)) as live, closing(sqlite3.connect(part)) as copy:
            live.backup(copy)
            # The copy is one file: without this it would begin a write-ahead log of its own when it is opened.
            copy.execute("pragma journal_mode = delete")
            _erase_passwords(copy)
        with part.open("rb") as file:
            os.fsync(file.fileno())
        part.replace(target)
    except (sqlite3.Error, OSError) as error:
        part.unlink(missing_ok=True)
        raise UserError(
            f"{source} could not be copied to {target}: {error}. Is there enough space?"
        ) from error


def _erase_passwords(copy: sqlite3.Connection) -> None:
    """Remove the sealed passwords of waiting jobs: a copy leaves the data folder, where their key is."""
    columns = copy.execute("select name from pragma_table_info('document_processing_jobs')").fetchall()
    if ("sealed_password",) in columns:
        copy.execute("pragma secure_delete = on")
        copy.execute(
            "update document_processing_jobs set sealed_password = null where sealed_password is not null"
        )
        copy.commit()


def check_database(path: Path) -> None:
    """Raise UserError if the file is not an intact SQLite database."""
    try:
        with closing(sqlite3.connect(path)) as database:
            [(result,)] = database.execute("pragma quick_check(1)").fetchall()
    except sqlite3.Error as error:
        raise UserError(f"{path} is not a SQLite database: {error}.") from error
    if result != "ok":
        raise UserError(f"{path} is damaged: {result}.")
