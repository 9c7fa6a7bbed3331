"""Where contestants meet: each measure gets a database of its own, copied from one prepared before."""

from __future__ import annotations

import contextlib
import shutil
import sqlite3
import tempfile
from collections.abc import Generator
from pathlib import Path
from typing import Protocol

import psycopg

from bench.contestants.contract import Engine
from bench.postgres import Postgres, private_postgres


class Arena(Protocol):
    def create(self, name: str, template: str | None = None) -> str:
        """A new database, empty or a copy of `template`; answers its dsn."""
        ...

    def drop(self, name: str) -> None: ...

    def settle(self, name: str) -> None:
        """Fresh statistics and no dirty pages, as after a night's rest."""
        ...


class PostgresArena:
    def __init__(self, server: Postgres) -> None:
        self.server = server

    def create(self, name: str, template: str | None = None) -> str:
        return self.server.create_database(name, template or "template1")

    def drop(self, name: str) -> None:
        self.server.drop_database(name)

    def settle(self, name: str) -> None:
        with psycopg.connect(self.server.dsn(name), autocommit=True) as connection:
            connection.execute("VACUUM (ANALYZE)")
        self.server.checkpoint()


class SqliteArena:
    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def create(self, name: str, template: str | None = None) -> str:
        self.drop(name)
        if template is not None:
            shutil.copyfile(self._path(template), self._path(name))
        return str(self._path(name))

    def drop(self, name: str) -> None:
        for path in self._folder.glob(f"{name}.db*"):
            path.unlink()

    def settle(self, name: str) -> None:
        """Move the log into the file, since only the file is copied."""
        with contextlib.closing(sqlite3.connect(self._path(name))) as connection:
            connection.execute("ANALYZE")
            connection.commit()
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def _path(self, name: str) -> Path:
        return self._folder / f"{name}.db"


@contextlib.contextmanager
def open_arena(engine: Engine) -> Generator[Arena]:
    if engine == "postgres":
        with private_postgres() as server:
            yield PostgresArena(server)
    else:
        with tempfile.TemporaryDirectory(prefix="towpath-bench-") as folder:
            yield SqliteArena(Path(folder))
