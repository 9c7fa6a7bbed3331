"""What every test may ask for: the owned clock, a private Postgres, and a fresh ledger on each engine."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.azurite import connection_string, running_azurite
from tests.support.databases import (
    CARELESS,
    EngineUnderTest,
    PostgresServer,
    empty,
    migrated_sqlite,
    postgres_engine,
    private_postgres,
    sqlite_engine,
)
from towpath.clock import ManualClock
from towpath.ledger.ledger import SqlLedger


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[PostgresServer]:
    """One fast, forgetful Postgres for the whole session. Ask it for databases with ``create_migrated()``."""
    with private_postgres(CARELESS) as server:
        yield server


@pytest.fixture(scope="session")
def durable_postgres() -> Iterator[PostgresServer]:
    """A Postgres with its own durable settings, for tests that stop it, kill it and start it again."""
    with private_postgres() as server:
        yield server


@pytest.fixture(scope="session")
def azurite_port(tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    """Where a real Azure Blob Storage listens; tests take a container of their own in it."""
    with running_azurite(tmp_path_factory.mktemp("azurite")) as port:
        yield port


@pytest.fixture(scope="session")
def azurite(azurite_port: int) -> str:
    """Its connection string."""
    return connection_string(azurite_port)


@pytest.fixture(scope="session")
def migrated_sqlite_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A SQLite file with all tables and nothing in them, to be copied."""
    return migrated_sqlite(tmp_path_factory.mktemp("sqlite") / "template.db")


@pytest.fixture(scope="session")
def _common_database(postgres_server: PostgresServer) -> str:
    """The Postgres database that tests have one after the other, each finding it empty."""
    return postgres_server.create_migrated("common")


@pytest.fixture(params=["sqlite", "postgres"])
def engine(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[EngineUnderTest]:
    """A ledger with nothing in it, once for each engine. Tests that change tables make their own database."""
    if request.param == "sqlite":
        template: Path = request.getfixturevalue("migrated_sqlite_file")
        with sqlite_engine(tmp_path / "ledger.db", template) as ready:
            yield ready
    else:
        with postgres_engine(request.getfixturevalue("_common_database")) as ready:
            empty(ready.database)
            yield ready


@pytest.fixture
def ledger(engine: EngineUnderTest) -> SqlLedger:
    return engine.ledger
