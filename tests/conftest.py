"""Fixtures for all tests: the manual clock, private servers, and an empty ledger on each engine."""

from __future__ import annotations

import os
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
from tests.support.redis_server import RedisServer, private_redis
from towpath.clock import ManualClock
from towpath.ledger.sql_ledger import SqlLedger

# Processes that the tests start use the fast model, unless a test chooses another one.
os.environ.setdefault("TOWPATH_EMBEDDER", "fast")
# Hypothesis examples have no time limit, because their time depends on the machine.
settings.register_profile("towpath", deadline=None)
settings.load_profile("towpath")


#: With `--dist loadfile` a worker takes whole files, in this order: the longest first, so that all end together.
LONGEST_FILES = (
    "scenarios/test_own_package.py",
    "scenarios/test_extract_fields.py",
    "crash/test_restarts.py",
    "crash/test_towpath_drill.py",
    "fuzz/test_fuzz.py",
    "scenarios/test_retry_safety_documents.py",
    "crash/test_backup.py",
    "crash/test_chaos.py",
    "crash/test_disk_faults.py",
    "crash/test_embedded_server.py",
    "crash/test_outages.py",
    "browser/test_live_updates.py",
    "browser/test_upload_and_search.py",
    "scenarios/test_cloud_kills.py",
    "unit/test_patterns.py",
    "unit/readers/ocr/test_rapidocr_pages.py",
    "scenarios/test_node_worker.py",
    "scenarios/test_organize_guide.py",
    "crash/test_calls.py",
    "crash/test_long_scans.py",
    "crash/test_pooled_drill.py",
    "crash/test_queue_drill.py",
    "scenarios/test_own_stages_guide.py",
    "scenarios/test_ask_guide.py",
    "scenarios/test_cloud_guide.py",
    "integration/test_azure_identity.py",
    "integration/test_claim_plan.py",
    "install/test_walkthrough.py",
    "security/test_hostile_files.py",
)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put the tests of the longest files first; the order of all others stays."""
    here = Path(__file__).parent
    place = {here / name: number for number, name in enumerate(LONGEST_FILES)}
    items.sort(key=lambda item: place.get(item.path, len(place)))


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
def redis_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RedisServer]:
    """One Redis for the session; a test that uses it flushes it first."""
    with private_redis(tmp_path_factory.mktemp("redis")) as server:
        yield server


@pytest.fixture
def own_redis(tmp_path: Path) -> Iterator[RedisServer]:
    """A Redis of one test, which may kill it."""
    with private_redis(tmp_path) as server:
        yield server


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
