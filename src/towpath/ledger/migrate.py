"""Brings a database to the schema this program speaks, and says when it is not there yet."""

from __future__ import annotations

from typing import Any, Literal

from alembic import command
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, Engine, text
from sqlalchemy.exc import OperationalError

from towpath.errors import ConfigError, DatabaseUnavailable
from towpath.ledger import columns
from towpath.ledger.postgres.protection import Roles, protect

#: Two servers that start at once must not migrate at once.
_LOCK = 7_046_029_254_386_353_131


def upgrade(engine: Engine, *, app_role: str | None = None, worker_role: str | None = None) -> Roles | None:
    """Run every migration that this database has not seen, and bind its tables to their organizations.

    The names are roles of Postgres: see `postgres/protection.py`.
    """
    roles = None
    with _connected(engine) as connection:
        if connection.dialect.name == "sqlite":
            connection.exec_driver_sql("begin immediate")
        else:
            connection.execute(text("select pg_advisory_xact_lock(:lock)"), {"lock": _LOCK})
        _refuse_newer(*_revisions(connection))
        command.upgrade(_config(connection), "head")
        if connection.dialect.name == "postgresql":
            roles = protect(connection, app_role, worker_role)
        if connection.dialect.name == "sqlite" and connection.connection.driver_connection.in_transaction:  # pyright: ignore[reportOptionalMemberAccess]  (an open connection has a driver)
            connection.exec_driver_sql("commit")
        connection.commit()
    return roles


def require_current(engine: Engine) -> None:
    """Refuse, politely, to work on a database that is behind or ahead."""
    with _connected(engine) as connection:
        have, known, want = _revisions(connection)
    _refuse_newer(have, known, want)
    if have != want:
        raise ConfigError(
            f"The database is at schema {have or 'none'} and this program needs {want}. "
            "Run `towpath migrate` with the same --database, then start again."
        )


def _refuse_newer(have: str | None, known: set[str], want: str) -> None:
    if have is not None and have not in known:
        raise ConfigError(
            f"The database is at schema {have}, which is newer than this program, which knows {want} at most. "
            "Install the version of Towpath that made it, then start again."
        )


def _revisions(connection: Connection) -> tuple[str | None, set[str], str]:
    """What the database has, all that this program knows, and what it needs."""
    scripts = ScriptDirectory.from_config(_config(connection))
    have = MigrationContext.configure(connection).get_current_revision()
    return have, {script.revision for script in scripts.walk_revisions()}, str(scripts.get_current_head())


def _connected(engine: Engine) -> Connection:
    try:
        return engine.connect()
    except OperationalError as error:
        raise DatabaseUnavailable(f"The database does not answer: {error.orig}") from error


def _config(connection: Connection) -> Config:
    config = Config()
    config.set_main_option("script_location", "towpath.ledger:migrations")
    config.attributes["connection"] = connection
    return config


def describe(kind: str, item: Any, _context: object) -> str | Literal[False]:
    """Name our own column types in generated migrations."""
    if kind == "type":
        for name in ("Instant", "Json", "Id", "Serial", "Vector"):
            if item is getattr(columns, name):
                return f"columns.{name}"
    return False


def is_described(name: str | None, _kind: str, _parents: object) -> bool:
    """Whether `tables.py` speaks of it: what search keeps beside the tables, only migration 0002 knows."""
    return name is None or "search" not in name
