"""The Database protocol and its transactions, which run `.sql` files and SQLAlchemy statements.

Verbs are blocking functions of a transaction. `run` calls them in threads, so that the event loop never waits for
a disk or a socket.
"""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from functools import partial
from typing import Any, Protocol, TypeVar

from sqlalchemy import Connection, Engine, Executable, Row
from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from towpath.errors import DatabaseBusy, DatabaseFull, DatabaseUnavailable
from towpath.ledger.columns import to_text
from towpath.ledger.prepared_statement import Parameters
from towpath.ledger.sql_files import statements
from towpath.ledger.sqlite import prepared
from towpath.ledger.sqlite.driver_statement import sqlite_statement

T = TypeVar("T")
Rows = Sequence[Row[Any]]


class Transaction:
    """One open transaction; ``bound`` if row-level security restricts it to one organization."""

    def __init__(self, connection: Connection, dialect: str, *, bound: bool = False) -> None:
        self.connection = connection
        self.dialect = dialect
        self.bound = bound

    def run(self, verb: str, **parameters: object) -> Rows:
        """Run the statements of a verb's file; return the rows of the last one."""
        rows: Rows = ()
        if self.dialect == "sqlite":
            bound = {
                name: to_text(value) if isinstance(value, datetime) else value
                for name, value in parameters.items()
            }
            for statement in statements(self.dialect, verb):
                rows = sqlite_statement(self.connection, statement, bound)
            return rows
        # Imported here: a default start needs no driver of Postgres.
        from towpath.ledger.postgres.driver_statement import postgres_statement

        for statement in statements(self.dialect, verb):
            rows = postgres_statement(self.connection, statement, parameters)
        return rows

    def run_each(self, verb: str, parameter_sets: Iterable[Mapping[str, object]]) -> Rows:
        """Run a verb with each of the parameters; the rows of all. On Postgres they share one round trip."""
        if self.dialect == "sqlite":
            return [row for parameters in parameter_sets for row in self.run(verb, **parameters)]
        from towpath.ledger.postgres.driver_statement import postgres_statements

        (statement,) = statements(self.dialect, verb)
        return postgres_statements(self.connection, statement, parameter_sets)

    def fetch(self, statement: Executable, **parameters: object) -> Rows:
        """The rows of a statement that is built once; it bypasses SQLAlchemy."""
        if self.dialect == "sqlite":
            return prepared.fetch(self.connection, statement, parameters)
        from towpath.ledger.postgres.prepared import fetch

        return fetch(self.connection, statement, parameters)

    def write(self, statement: Executable, rows: Sequence[Parameters]) -> int:
        """Run a statement that is built once, for each of the parameters; the number of rows that it changed."""
        if self.dialect == "sqlite":
            return prepared.write(self.connection, statement, rows)
        from towpath.ledger.postgres.prepared import write

        return write(self.connection, statement, rows)


Work = Callable[[Transaction], T]


class Database(Protocol):
    """A database engine that runs work in transactions and retries conflicts."""

    dialect: str
    engine: Engine
    lock_waits: int
    make_space: Callable[[], bool] | None

    def translate(self, error: DBAPIError) -> DatabaseUnavailable | None: ...

    def transact(
        self, work: Work[T], *, single: bool = False, read: bool = False, org: str | None = None
    ) -> T:
        """Run the work in one transaction, blocking. ``single``: the work is one statement.

        ``org`` is the organization of the transaction: Postgres then hides the rows of all others.
        """
        ...

    async def run(
        self, work: Work[T], *, single: bool = False, read: bool = False, org: str | None = None
    ) -> T:
        """Run `transact` in a thread."""
        ...

    def close(self) -> None: ...


class RetryingDatabase:
    """Retries transactions that failed by a conflict; raises DatabaseUnavailable if the database does not answer."""

    dialect: str
    engine: Engine
    #: Seconds for which a conflict (a deadlock, a busy file) is retried.
    patience_seconds = 30.0
    #: How often a transaction found the database locked by another process.
    lock_waits = 0
    #: Called when there is no disk space for a write; true if it made some, so that the write is tried again.
    make_space: Callable[[], bool] | None = None

    def __init__(self, threads: int) -> None:
        self._threads = ThreadPoolExecutor(threads, thread_name_prefix=f"ledger-{self.dialect}")

    def transact(
        self, work: Work[T], *, single: bool = False, read: bool = False, org: str | None = None
    ) -> T:
        started = time.monotonic()
        tries = 0
        while True:
            try:
                return self._transact_once(work, single=single, read=read, org=org)
            except DBAPIError as error:
                tries += 1
                if not self.is_conflict(error):
                    translated = self.translate(error)
                    if translated is None:
                        raise
                    if isinstance(translated, DatabaseFull) and self.make_space and self.make_space():
                        continue
                    raise translated from error
                self.on_conflict()
                if time.monotonic() - started > self.patience_seconds:
                    raise DatabaseBusy(f"The database stayed busy for too long: {error.orig}") from error
                time.sleep(random.uniform(0, min(0.25, 0.002 * 2**tries)))
            except PoolTimeout as error:
                raise DatabaseUnavailable("All database connections are in use.") from error

    async def run(
        self, work: Work[T], *, single: bool = False, read: bool = False, org: str | None = None
    ) -> T:
        call = partial(self.transact, work, single=single, read=read, org=org)
        return await asyncio.get_running_loop().run_in_executor(self._threads, call)

    def close(self) -> None:
        self._threads.shutdown(wait=True)
        self.engine.dispose()

    def on_conflict(self) -> None:
        """Called for each conflict, before the transaction is retried."""

    def is_conflict(self, error: DBAPIError) -> bool:
        raise NotImplementedError

    def translate(self, error: DBAPIError) -> DatabaseUnavailable | None:
        """The error of an unavailable, full, read-only or damaged database; None for any other error."""
        raise NotImplementedError

    def _transact_once(self, work: Work[T], *, single: bool, read: bool, org: str | None) -> T:
        raise NotImplementedError
