"""Which schema versions this program knows, and which one a database has, without importing Alembic.

A start with a current schema needs no migration, and importing Alembic takes longer than reading the revision.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

from sqlalchemy import Connection, inspect, text

_VERSIONS = Path(__file__).parent / "migrations" / "versions"


@cache
def known_schemas() -> tuple[str, ...]:
    """All revisions, the oldest first: each migration is a file such as `0006_waiting_codes.py`."""
    return tuple(sorted(file.name.split("_", 1)[0] for file in _VERSIONS.glob("[0-9]*_*.py")))


def newest_schema() -> str:
    """The schema that this version of the program needs, such as `0006`."""
    return known_schemas()[-1]


def read_schema(connection: Connection) -> str | None:
    """The schema of the database; None if it is empty."""
    if not inspect(connection).has_table("alembic_version"):
        return None
    return connection.execute(text("select version_num from alembic_version")).scalar()
