"""Fixtures for all tests: the manual clock, private servers, and an empty ledger on each engine."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from tests.support.azurite import connection_string, running_azurite
from tests.support.databases import (
    FAST_SETTINGS,
    EngineUnderTest,
    PostgresServer,
    empty,
    migrated_sqlite,
    postgres_engine,
    private_postgres,
    sqlite_engine,
)
from towpath.clock import ManualClock
from towpath.ledger.sql_ledger import SqlLedger

# Hypothesis examples have no time limit, because their time depends on the machine.
settings.register_profile("towpath", deadline=None)
settings.load_profile("towpath")


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[PostgresServer]:
    """One Postgres without fsync for the whole session; ``create_migrated()`` makes a database in it."""
    with private_postgres(FAST_SETTINGS) as server:
        yield server


@pytest.fixture(scope="session")
def durable_postgres() -> Iterator[PostgresServer]:
    """A Postgres with durable settings, for tests that stop, kill and restart it."""
    with private_postgres() as server:
        yield server


@pytest.fixture(scope="session")
def azurite_port(tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    """The port of the Azurite emulator of Azure Blob Storage; each test uses its own container."""
    with running_azurite(tmp_path_factory.mktemp("azurite")) as port:
        yield port


@pytest.fixture(scope="session")
def azurite(azurite_port: int) -> str:
    """The connection string of the Azurite emulator."""
    return connection_string(azurite_port)


@pytest.fixture(scope="session")
def migrated_sqlite_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A SQLite file with all tables and no rows, used as a template."""
    return migrated_sqlite(tmp_path_factory.mktemp("sqlite") / "template.db")


@pytest.fixture(scope="session")
def _common_database(postgres_server: PostgresServer) -> str:
    """The Postgres database that tests share; it is emptied before each test."""
    return postgres_server.create_migrated("common")


@pytest.fixture(params=["sqlite", "postgres"])
def engine(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[EngineUnderTest]:
    """An empty ledger on each engine. Tests that change tables create their own database."""
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
