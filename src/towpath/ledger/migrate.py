"""Runs the migrations, and checks that a database has the schema that this version needs."""

from __future__ import annotations

import logging
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal

from sqlalchemy import Connection, Engine, text
from sqlalchemy.exc import OperationalError

from towpath.errors import ConfigError, DatabaseUnavailable
from towpath.ledger import columns
from towpath.ledger.postgres.row_level_security import Roles, enable_rls
from towpath.ledger.schema_version import known_schemas, newest_schema, read_schema
from towpath.ledger.sqlite.copy_database import copy_database

log = logging.getLogger(__name__)

#: The advisory lock that prevents two migrations at the same time.
_LOCK = 7_046_029_254_386_353_131
#: How long a start waits for the migration of another process on SQLite.
_SQLITE_LOCK_MILLISECONDS = 60_000


def upgrade(engine: Engine, *, app_role: str | None = None, worker_role: str | None = None) -> Roles | None:
    """Run the missing migrations and, on Postgres, enable row-level security.

    ``app_role`` and ``worker_role`` are Postgres roles: see `postgres/row_level_security.py`.
    """
    roles = None
    with _connected(engine) as connection, _without_foreign_keys(connection):
        if connection.dialect.name == "sqlite":
            _lock_sqlite(connection)
        else:
            connection.execute(text("select pg_advisory_xact_lock(:lock)"), {"lock": _LOCK})
        have, want = read_schema(connection), newest_schema()
        _refuse_newer(have)
        if connection.dialect.name == "sqlite" and have is not None and have != want:
            _copy_before_migration(Path(str(engine.url.database)), have, want)
        if have != want:
            _run_migrations(connection, "head")
            log.info("the database has schema %s now; it had %s", want, have or "none")
        if connection.dialect.name == "postgresql":
            roles = enable_rls(connection, app_role, worker_role)
        if connection.dialect.name == "sqlite" and connection.connection.driver_connection.in_transaction:  # pyright: ignore[reportOptionalMemberAccess]  (an open connection has a driver)
            connection.exec_driver_sql("commit")
        connection.commit()
    return roles


@contextmanager
def _without_foreign_keys(connection: Connection) -> Generator[None]:
    """Let a migration replace a table on SQLite: with foreign keys, dropping it would delete rows of other tables."""
    if connection.dialect.name != "sqlite":
        yield
        return
    connection.exec_driver_sql("pragma foreign_keys = off")
    try:
        yield
    finally:
        if connection.connection.driver_connection.in_transaction:  # pyright: ignore[reportOptionalMemberAccess]  (an open connection has a driver)
            connection.exec_driver_sql("rollback")
        connection.exec_driver_sql("pragma foreign_keys = on")


def _lock_sqlite(connection: Connection) -> None:
    """Begin a write transaction; wait for another process that migrates the database now."""
    usual = connection.exec_driver_sql("pragma busy_timeout").scalar()
    connection.exec_driver_sql(f"pragma busy_timeout = {_SQLITE_LOCK_MILLISECONDS}")
    try:
        connection.exec_driver_sql("begin immediate")
    finally:
        connection.exec_driver_sql(f"pragma busy_timeout = {usual}")


def create_schema(engine: Engine, schema: str) -> None:
    """Create the tables of a new SQLite database with a schema that may be older than the newest one."""
    with _connected(engine) as connection, _without_foreign_keys(connection):
        _refuse_newer(schema)
        _run_migrations(connection, schema)
        connection.commit()


def _copy_before_migration(database: Path, have: str, want: str) -> None:
    """Keep the database as it was: an older version of the program cannot open a migrated one."""
    copy = database.with_name(f"{database.stem}-schema-{have}{database.suffix}")
    copy_database(database, copy)
    log.warning("migrating %s from schema %s to %s; a copy of it is in %s", database, have, want, copy.name)


def schema_of(engine: Engine) -> str | None:
    """The schema of the database; None if it is empty."""
    with _connected(engine) as connection:
        return read_schema(connection)


def require_current(engine: Engine) -> None:
    """Raise ConfigError if the schema of the database is older or newer than this version needs."""
    with _connected(engine) as connection:
        have = read_schema(connection)
    _refuse_newer(have)
    if have != newest_schema():
        raise ConfigError(
            f"The database is at schema {have or 'none'} and this program needs {newest_schema()}. "
            "Run `towpath migrate` with the same --database, then start again."
        )


def _refuse_newer(have: str | None) -> None:
    if have is not None and have not in known_schemas():
        raise ConfigError(
            f"The database is at schema {have}, which is newer than this program, which knows {newest_schema()} at "
            "most. "
            "Install the version of Towpath that made it, then start again."
        )


def _connected(engine: Engine) -> Connection:
    try:
        return engine.connect()
    except OperationalError as error:
        raise DatabaseUnavailable(f"The database does not answer: {error.orig}") from error


def _run_migrations(connection: Connection, schema: str) -> None:
    # Imported where a migration is needed: most starts need none.
    from alembic import command
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", "towpath.ledger:migrations")
    config.attributes["connection"] = connection
    command.upgrade(config, schema)


def describe(kind: str, item: Any, _context: object) -> str | Literal[False]:
    """Render the column types of `columns.py` in generated migrations."""
    if kind == "type":
        for name in ("Instant", "Json", "Id", "Serial", "Vector"):
            if item is getattr(columns, name):
                return f"columns.{name}"
    return False


def is_described(name: str | None, _kind: str, _parents: object) -> bool:
    """Whether `tables.py` defines this object as part of a table. The indexes of search are in migrations only, and
    `_ONLY_ON` of `schema.py` lists what differs between the engines."""
    return name is None or (
        "search" not in name and name not in ("uq_chunks_document_ordinal", "ix_documents_status")
    )
