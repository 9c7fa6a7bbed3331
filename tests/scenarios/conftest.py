"""Fixtures of the scenarios: the provider emulators as a process, and a new database per test."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.support.databases import PostgresServer
from tests.support.emulators.process import EmulatorProcess, emulator_process


@pytest.fixture(scope="session")
def emulators() -> Iterator[EmulatorProcess]:
    with emulator_process() as process:
        yield process


@pytest.fixture
def dsn(postgres_server: PostgresServer) -> Iterator[str]:
    address = postgres_server.create_migrated()
    yield address
    postgres_server.drop(address)
