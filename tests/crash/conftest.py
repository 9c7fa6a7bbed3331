"""Arenas for the crash stories, on both engines, with databases that keep what they acknowledged."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.crash.arena import Arena, audited_postgres, postgres_arena, sqlite_arena
from tests.support.databases import PostgresServer


@pytest.fixture(scope="session")
def audited_database(durable_postgres: PostgresServer) -> str:
    """The Postgres database that stories have one after the other, each finding it empty."""
    return audited_postgres(durable_postgres)


@pytest.fixture(params=["sqlite", "postgres"])
def arena(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Arena]:
    """A fresh arena for one test, once for each engine."""
    yield from _arena(request, tmp_path)


@pytest.fixture(scope="module", params=["sqlite", "postgres"])
def shared_arena(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Arena]:
    """An arena whose one long story is told by many tests."""
    yield from _arena(request, tmp_path_factory.mktemp("arena"))


@pytest.fixture
def sqlite(tmp_path: Path, migrated_sqlite_file: Path) -> Iterator[Arena]:
    """A fresh arena on SQLite alone."""
    with sqlite_arena(tmp_path, migrated_sqlite_file) as ready:
        yield ready


@pytest.fixture
def postgres(tmp_path: Path, audited_database: str) -> Iterator[Arena]:
    """A fresh arena on Postgres alone."""
    with postgres_arena(tmp_path, audited_database) as ready:
        yield ready


def _arena(request: pytest.FixtureRequest, folder: Path) -> Iterator[Arena]:
    if request.param == "sqlite":
        with sqlite_arena(folder, request.getfixturevalue("migrated_sqlite_file")) as ready:
            yield ready
    else:
        with postgres_arena(folder, request.getfixturevalue("audited_database")) as ready:
            yield ready
