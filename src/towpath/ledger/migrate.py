"""Brings a database to the schema this program speaks, and says when it is not there yet."""

from __future__ import annotations

from typing import Any, Literal

from alembic import command
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, Engine, text

from towpath.errors import ConfigError
from towpath.ledger import columns

#: Two servers that start at once must not migrate at once.
_LOCK = 7_046_029_254_386_353_131


def upgrade(engine: Engine) -> None:
    """Run every migration that this database has not seen."""
    with engine.connect() as connection:
        if connection.dialect.name == "sqlite":
            connection.exec_driver_sql("begin immediate")
        else:
            connection.execute(text("select pg_advisory_xact_lock(:lock)"), {"lock": _LOCK})
        command.upgrade(_config(connection), "head")
        if connection.dialect.name == "sqlite" and connection.connection.driver_connection.in_transaction:  # pyright: ignore[reportOptionalMemberAccess]  (an open connection has a driver)
            connection.exec_driver_sql("commit")
        connection.commit()


def require_current(engine: Engine) -> None:
    """Refuse, politely, to work on a database that is behind."""
    with engine.connect() as connection:
        have = MigrationContext.configure(connection).get_current_revision()
        want = ScriptDirectory.from_config(_config(connection)).get_current_head()
    if have != want:
        raise ConfigError(
            f"The database is at schema {have or 'none'} and this program needs {want}. "
            "Run `towpath migrate` with the same --database, then start again."
        )


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
