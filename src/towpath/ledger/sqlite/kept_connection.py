"""Keeps the connection of the writing thread open between transactions, and replaces it after an error."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager

from sqlalchemy import Connection, Engine


class KeptConnection:
    """A connection for one thread at a time."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._connection: Connection | None = None

    @contextmanager
    def open(self) -> Generator[Connection]:
        """The connection. The caller begins and ends its transaction."""
        connection, self._connection = self._connection, None
        if connection is None:
            connection = self._engine.connect()
        try:
            yield connection
            # SQLAlchemy counts its first statement as the beginning of a transaction, which the caller has committed.
            connection.rollback()
        except BaseException:
            connection.close()
            raise
        self._connection = connection

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None
