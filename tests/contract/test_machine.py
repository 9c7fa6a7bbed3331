"""The machine on both engines at once: any trace of verbs keeps every rule, and leads to the same states."""

from __future__ import annotations

import contextlib
from collections.abc import Generator
from dataclasses import replace
from pathlib import Path

from tests.contract.machine import run_machine
from tests.support.databases import (
    EngineUnderTest,
    PostgresServer,
    empty,
    passing_sqlite_engine,
    postgres_engine,
)
from towpath.ledger.ledger import SqlLedger


def test_given_any_trace_of_verbs_then_every_rule_holds_and_the_engines_agree(
    tmp_path: Path, migrated_sqlite_file: Path, postgres_server: PostgresServer
) -> None:
    dsn = postgres_server.create_migrated()
    with postgres_engine(dsn) as postgres:

        @contextlib.contextmanager
        def both() -> Generator[list[EngineUnderTest]]:
            empty(postgres.database)
            # A ledger of its own: the place in the round of organizations is the ledger's.
            fresh = replace(postgres, ledger=SqlLedger(postgres.database))
            with passing_sqlite_engine(tmp_path, migrated_sqlite_file) as sqlite:
                yield [sqlite, fresh]

        run_machine(both, rounds=6)
