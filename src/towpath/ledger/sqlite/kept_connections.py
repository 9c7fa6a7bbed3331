"""Keeps connections open between transactions: SQLAlchemy's pool takes longer to give one than SQLite to read a row."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager

from sqlalchemy import Connection, Engine


class KeptConnections:
    """As many connections as were in use at the same time. One that had an error is replaced."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._idle: list[Connection] = []

    @contextmanager
    def open(self) -> Generator[Connection]:
        """A connection for one thread. The caller begins and ends its transaction."""
        try:
            connection = self._idle.pop()
        except IndexError:
            connection = self._engine.connect()
        try:
            yield connection
            # SQLAlchemy counts its first statement as the beginning of a transaction, which the caller has committed.
            connection.rollback()
        except BaseException:
            connection.close()
            raise
        self._idle.append(connection)

    def close(self) -> None:
        while self._idle:
            self._idle.pop().close()
