"""Crash harnesses on both engines, on databases with durable commits."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.crash.crash_harness import CrashHarness, audited_postgres, postgres_harness, sqlite_harness
from tests.support.databases import PostgresServer


@pytest.fixture(scope="session")
def audited_database(durable_postgres: PostgresServer) -> str:
    """The Postgres database that tests use one after the other; each finds it empty."""
    return audited_postgres(durable_postgres)


@pytest.fixture(params=["sqlite", "postgres"])
def harness(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[CrashHarness]:
    """A new harness for one test, once for each engine."""
    yield from _harness(request, tmp_path)


@pytest.fixture(scope="module", params=["sqlite", "postgres"])
def shared_harness(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[CrashHarness]:
    """A harness for one long run that many tests of a module examine."""
    yield from _harness(request, tmp_path_factory.mktemp("harness"))


@pytest.fixture
def sqlite(tmp_path: Path, migrated_sqlite_file: Path) -> Iterator[CrashHarness]:
    """A new harness on SQLite alone."""
    with sqlite_harness(tmp_path, migrated_sqlite_file) as ready:
        yield ready


@pytest.fixture
def postgres(tmp_path: Path, audited_database: str) -> Iterator[CrashHarness]:
    """A new harness on Postgres alone."""
    with postgres_harness(tmp_path, audited_database) as ready:
        yield ready


def _harness(request: pytest.FixtureRequest, folder: Path) -> Iterator[CrashHarness]:
    if request.param == "sqlite":
        with sqlite_harness(folder, request.getfixturevalue("migrated_sqlite_file")) as ready:
            yield ready
    else:
        with postgres_harness(folder, request.getfixturevalue("audited_database")) as ready:
            yield ready
