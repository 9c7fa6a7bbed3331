"""A database as the verbs see it: a transaction that runs `.sql` files and ordinary SQLAlchemy.

Verbs are plain blocking functions of a transaction. The async door runs them in threads, so that
no request, stage or heartbeat ever waits in the event loop for a disk or a socket.
"""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from functools import partial
from typing import Any, Protocol, TypeVar

from sqlalchemy import Connection, Engine, Row
from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from towpath.errors import DatabaseBusy, DatabaseUnavailable
from towpath.ledger.columns import to_text
from towpath.ledger.statements import statements

T = TypeVar("T")
Rows = Sequence[Row[Any]]


class Transaction:
    """One open transaction; ``bound`` when row-level security keeps it to one organization."""

    def __init__(self, connection: Connection, dialect: str, *, bound: bool = False) -> None:
        self.connection = connection
        self.dialect = dialect
        self.bound = bound

    def run(self, verb: str, **parameters: object) -> Rows:
        """Run a verb's file; give the rows of its last statement."""
        rows: Rows = ()
        given = {name: self._bind(value) for name, value in parameters.items()}
        for statement in statements(self.dialect, verb):
            result = self.connection.exec_driver_sql(statement, given)
            rows = result.all() if result.returns_rows else ()
        return rows

    def _bind(self, value: object) -> object:
        return to_text(value) if self.dialect == "sqlite" and isinstance(value, datetime) else value


Work = Callable[[Transaction], T]


class Database(Protocol):
    """An engine: how a transaction is opened, and what may be tried again."""

    dialect: str
    engine: Engine

    def transact(
        self, work: Work[T], *, single: bool = False, read: bool = False, org: str | None = None
    ) -> T:
        """Run the work in one transaction, blocking. ``single`` promises that it is one statement.

        ``org`` says whose transaction it is: an engine that can then hides every other organization's rows.
        """
        ...

    async def run(
        self, work: Work[T], *, single: bool = False, read: bool = False, org: str | None = None
    ) -> T:
        """The same, in a thread."""
        ...

    def close(self) -> None: ...


class RetryingDatabase:
    """Retries what the database asks to have tried again; says plainly when it does not answer."""

    dialect: str
    engine: Engine
    #: How long a passing conflict (a deadlock, a busy file) is waited out before giving up.
    patience_seconds = 30.0

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
                    if self.is_down(error):
                        raise DatabaseUnavailable(f"The database does not answer: {error.orig}") from error
                    raise
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

    def is_conflict(self, error: DBAPIError) -> bool:
        raise NotImplementedError

    def is_down(self, error: DBAPIError) -> bool:
        raise NotImplementedError

    def _transact_once(self, work: Work[T], *, single: bool, read: bool, org: str | None) -> T:
        raise NotImplementedError
