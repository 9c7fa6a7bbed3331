"""Random traces of verbs on both engines keep every invariant and lead to the same states."""

from __future__ import annotations

import contextlib
from collections.abc import Generator
from dataclasses import replace
from pathlib import Path

from tests.contract.state_machine.model import run_machine
from tests.support.databases import (
    EngineUnderTest,
    PostgresServer,
    empty,
    postgres_engine,
    temporary_sqlite_engine,
)
from towpath.ledger.sql_ledger import SqlLedger


def test_random_traces_keep_every_invariant_and_the_engines_agree(
    tmp_path: Path, migrated_sqlite_file: Path, postgres_server: PostgresServer
) -> None:
    dsn = postgres_server.create_migrated()
    with postgres_engine(dsn) as postgres:

        @contextlib.contextmanager
        def both() -> Generator[list[EngineUnderTest]]:
            empty(postgres.database)
            # A new ledger object: it stores the position in the round of organizations.
            fresh = replace(postgres, ledger=SqlLedger(postgres.database))
            with temporary_sqlite_engine(tmp_path, migrated_sqlite_file) as sqlite:
                yield [sqlite, fresh]

        run_machine(both, rounds=6)
