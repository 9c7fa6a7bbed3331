"""Commits the writes of several callers in one SQLite transaction, so that they share one sync to disk.

A sync to disk takes longer than most writes. While one transaction is being committed, the next requests wait in a
queue; the writer then takes all of them at once. Each has a savepoint, so that a request that fails is rolled back
alone. No request waits for others to arrive.
"""

from __future__ import annotations

import sqlite3
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, TypeVar

from sqlalchemy import Connection
from sqlalchemy.exc import SQLAlchemyError

from towpath.ledger.database import Transaction, Work
from towpath.ledger.sqlite.driver_statement import control, driver, in_transaction
from towpath.ledger.sqlite.kept_connections import KeptConnections

T = TypeVar("T")

#: Requests begin in an open transaction for this time, so that the first one is not committed much later than alone.
OPEN_SECONDS = 0.005
MAX_REQUESTS = 64
_DATABASE_ERRORS = (SQLAlchemyError, sqlite3.Error)


@dataclass(frozen=True, slots=True)
class _Request:
    work: Work[Any]
    future: Future[Any] = field(default_factory=Future[Any])


class GroupCommit:
    """The queue of the writes of one process, and the thread that runs them."""

    def __init__(self, connection: KeptConnections, run_alone: Callable[[Work[Any]], Any]) -> None:
        """``run_alone`` runs one work in a transaction of its own, and translates and retries errors."""
        self._connection = connection
        self._run_alone = run_alone
        self._waiting: deque[_Request] = deque()
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="ledger-sqlite-writer")

    def submit(self, work: Work[T]) -> Future[T]:
        request = _Request(work)
        self._waiting.append(request)
        self._thread.submit(self._write_waiting)
        return request.future

    def close(self) -> None:
        """Run what waits, then end."""
        self._thread.shutdown(wait=True)

    def _write_waiting(self) -> None:
        first = self._next()
        if first is None:
            return
        if not self._waiting:
            self._finish_alone(first)
            return
        answered: list[tuple[_Request, Any, BaseException | None]] = []
        alone: list[_Request] = []
        try:
            self._write_together(first, answered, alone)
        except _DATABASE_ERRORS:
            # The transaction was not committed: the database is locked, full or unavailable.
            alone = [request for request, _, _ in answered] + alone
            answered = []
        for request, answer, error in answered:
            _resolve(request.future, answer, error)
        for request in alone:
            self._finish_alone(request)

    def _write_together(
        self,
        first: _Request,
        answered: list[tuple[_Request, Any, BaseException | None]],
        alone: list[_Request],
    ) -> None:
        """Run the waiting requests in one transaction; ``alone`` gets those that the database refused."""
        request: _Request | None = first
        # Until the transaction is open, the first request is one that the database refuses.
        alone.append(first)
        with self._connection.open() as connection:
            control(connection, "begin immediate")
            alone.clear()
            closes_at = time.monotonic() + OPEN_SECONDS
            try:
                while request is not None:
                    try:
                        answered.append((request, _in_savepoint(connection, request.work), None))
                    except _DATABASE_ERRORS:
                        alone.append(request)
                        if not in_transaction(connection):
                            raise
                    except BaseException as error:
                        answered.append((request, None, error))
                    is_open = time.monotonic() < closes_at and len(answered) + len(alone) < MAX_REQUESTS
                    request = self._next() if is_open else None
                control(connection, "commit")
            finally:
                # SQLite may have ended the transaction itself, for example because the disk is full.
                if in_transaction(connection):
                    control(connection, "rollback")

    def _finish_alone(self, request: _Request) -> None:
        try:
            answer = self._run_alone(request.work)
        except BaseException as error:
            request.future.set_exception(error)
        else:
            request.future.set_result(answer)

    def _next(self) -> _Request | None:
        """The next request that was not cancelled."""
        while self._waiting:
            request = self._waiting.popleft()
            if request.future.set_running_or_notify_cancel():
                return request
        return None


def _in_savepoint(connection: Connection, work: Work[T]) -> T:
    connected = driver(connection)
    connected.execute("savepoint request")
    try:
        answer = work(Transaction(connection, "sqlite"))
    except BaseException:
        if connected.in_transaction:
            connected.execute("rollback to request")
            connected.execute("release request")
        raise
    connected.execute("release request")
    return answer


def _resolve(future: Future[Any], answer: Any, error: BaseException | None) -> None:
    if error is None:
        future.set_result(answer)
    else:
        future.set_exception(error)
