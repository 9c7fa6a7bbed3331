"""Creates a database for each measurement, copied from a template database."""

from __future__ import annotations

import contextlib
import shutil
import sqlite3
import tempfile
from collections.abc import Generator
from pathlib import Path
from typing import Protocol

import psycopg

from bench.libraries.contract import Engine
from bench.postgres import Postgres, private_postgres


class BenchmarkDatabases(Protocol):
    """Creates and drops databases of one engine."""

    def create(self, name: str, template: str | None = None) -> str:
        """Create a database, empty or as a copy of `template`, and return its dsn."""
        ...

    def drop(self, name: str) -> None: ...

    def settle(self, name: str) -> None:
        """Update the planner's statistics and write all dirty pages."""
        ...


class PostgresDatabases:
    """Databases on one private Postgres server."""

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


class SqliteDatabases:
    """SQLite files in one folder."""

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
        """Update statistics and move the WAL into the file, because only the file is copied."""
        with contextlib.closing(sqlite3.connect(self._path(name))) as connection:
            connection.execute("ANALYZE")
            connection.commit()
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def _path(self, name: str) -> Path:
        return self._folder / f"{name}.db"


@contextlib.contextmanager
def open_databases(engine: Engine) -> Generator[BenchmarkDatabases]:
    """Start a private Postgres server, with a Redis for BullMQ, or make a temporary folder for SQLite files."""
    if engine == "postgres":
        with private_postgres() as server:
            yield PostgresDatabases(server)
    elif engine == "redis":
        from bench.queue.redis_databases import RedisDatabases
        from bench.redis import private_redis

        with private_postgres() as server, private_redis() as url:
            yield RedisDatabases(url, PostgresDatabases(server))
    else:
        with tempfile.TemporaryDirectory(prefix="towpath-bench-") as folder:
            yield SqliteDatabases(Path(folder))
