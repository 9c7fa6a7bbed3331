"""The Postgres database. It uses no session state, so it works behind pgbouncer in transaction mode."""

from __future__ import annotations

import uuid
from typing import Any, TypeVar, cast

import msgspec
import psycopg
from psycopg.types.json import set_json_loads
from sqlalchemy import Connection, create_engine, event
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import DBAPIError, InterfaceError, OperationalError
from sqlalchemy.pool import ConnectionPoolEntry

from towpath.errors import DatabaseFull, DatabaseReadOnly, DatabaseUnavailable
from towpath.ledger.columns import dump
from towpath.ledger.database import RetryingDatabase, Transaction, Work
from towpath.postgres_pooler import is_pooled

T = TypeVar("T")

_decode_json = msgspec.json.Decoder().decode
_CONFLICTS = {"40001", "40P01", "55P03"}


def driver_url(url: str) -> URL:
    """The URL with the psycopg driver, for any postgres scheme."""
    return make_url(url).set(drivername="postgresql+psycopg")


class PostgresDatabase(RetryingDatabase):
    dialect = "postgres"

    def __init__(self, url: str, *, connections: int = 6, prepare: bool | None = None) -> None:
        super().__init__(threads=connections)
        self._prepare = prepare
        #: Whether row-level security restricts transactions with an ``org``, and the role that they use.
        self.bound = False
        self.role: str | None = None
        self.engine = create_engine(
            driver_url(url),
            pool_size=connections,
            max_overflow=2,
            # The connection used last has the most prepared statements.
            pool_use_lifo=True,
            pool_timeout=30,
            json_serializer=dump,
            connect_args={"connect_timeout": 5, "application_name": "towpath", "keepalives_idle": 10},
        )
        event.listen(self.engine, "connect", self._connected)

    def is_conflict(self, error: DBAPIError) -> bool:
        return getattr(error.orig, "sqlstate", None) in _CONFLICTS

    def translate(self, error: DBAPIError) -> DatabaseUnavailable | None:
        match getattr(error.orig, "sqlstate", None):
            case "53100":
                return DatabaseFull("The disk of the database server is full. Make it larger or delete data.")
            case "25006":
                return DatabaseReadOnly(
                    "The database server accepts no writes: it is a standby or in recovery."
                )
            case _ if error.connection_invalidated or isinstance(error, OperationalError | InterfaceError):
                return DatabaseUnavailable(f"The database does not answer: {error.orig}")
            case _:
                return None

    def _transact_once(self, work: Work[T], *, single: bool, read: bool, org: str | None) -> T:
        within = org if self.bound else None
        with self.engine.connect() as connection:
            if single or within is not None:
                connection = connection.execution_options(isolation_level="AUTOCOMMIT")
            if within is not None:
                return self._transact_within(connection, work, within)
            if single:
                # One statement is its own transaction: BEGIN and COMMIT are not sent.
                return work(Transaction(connection, self.dialect))
            with connection.begin():
                return work(Transaction(connection, self.dialect))

    def _transact_within(self, connection: Connection, work: Work[T], org: str) -> T:
        """Run the work in a transaction that row-level security restricts to one organization."""
        # Sent together with BEGIN to save a round trip. Valid in this transaction only: the next one on the connection
        # may be of another organization.
        settings = [f"set_config('towpath.org', '{uuid.UUID(org)}', true)"]
        if self.role is not None:
            settings.append(f"set_config('role', '{self.role}', true)")
        driver = cast("psycopg.Connection[Any]", connection.connection.driver_connection)
        # A string of two statements cannot be prepared.
        driver.prepare_threshold, threshold = None, driver.prepare_threshold
        try:
            connection.exec_driver_sql(f"begin; select {', '.join(settings)}")
        finally:
            driver.prepare_threshold = threshold
        answer = work(Transaction(connection, self.dialect, bound=True))
        connection.commit()
        return answer

    def _connected(self, raw: object, _entry: ConnectionPoolEntry) -> None:
        connection = cast("psycopg.Connection[Any]", getattr(raw, "driver_connection", raw))
        prepare = self._prepare if self._prepare is not None else not is_pooled(connection)
        connection.prepare_threshold = 2 if prepare else None
        set_json_loads(_decode_json, connection)
        if prepare:
            # A process stopped inside a transaction would keep its job's row locked, and no sweep could rescue the job.
            connection.autocommit = True
            connection.execute("set idle_in_transaction_session_timeout = '15s'")
            connection.autocommit = False
