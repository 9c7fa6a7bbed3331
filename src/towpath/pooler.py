"""Whether a connection to Postgres is one of its own, or lent by a pooler for one transaction at a time."""

from __future__ import annotations

from typing import Any

import psycopg


def behind_pooler(connection: psycopg.Connection[Any]) -> bool:
    """A pooler hands out process ids of its own; what is set in one session would land on strangers' work."""
    before = connection.autocommit
    connection.autocommit = True
    try:
        row = connection.execute("select pg_backend_pid()").fetchone()
        return row is None or row[0] != connection.info.backend_pid
    finally:
        connection.autocommit = before
