"""Detects a connection pooler (such as pgbouncer) between a client and Postgres."""

from __future__ import annotations

from typing import Any

import psycopg


def is_pooled(connection: psycopg.Connection[Any]) -> bool:
    """True behind a pooler in transaction mode, where session state would leak to other clients.

    The process id that a pooler announced at connect differs from the backend's own.
    """
    autocommit = connection.autocommit
    connection.autocommit = True
    try:
        row = connection.execute("select pg_backend_pid()").fetchone()
        return row is None or row[0] != connection.info.backend_pid
    finally:
        connection.autocommit = autocommit
