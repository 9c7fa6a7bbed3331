"""The state machine tests fail if one rule is removed from the SQL, and name the broken invariant."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Generator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.contract.broken_ledgers import FENCES, RESCUE_BUMPS, start_guard_before_transaction, without
from tests.contract.state_machine.actions import OpenEngines
from tests.contract.state_machine.model import run_machine
from tests.contract.state_machine.rules import RuleBroken
from tests.support.databases import (
    EngineUnderTest,
    PostgresServer,
    empty,
    postgres_engine,
    temporary_sqlite_engine,
)
from towpath.ledger.sql_ledger import SqlLedger

#: Three times the rounds that each removed rule needs; the intact ledger is tested with ten times as many.
ROUNDS = 12

Variant = Callable[[SqlLedger], SqlLedger]


def _unchanged(ledger: SqlLedger) -> SqlLedger:
    return SqlLedger(ledger.database)


@pytest.fixture(params=["sqlite", "postgres"])
def open_ledger(
    request: pytest.FixtureRequest, tmp_path: Path, migrated_sqlite_file: Path
) -> Generator[tuple[str, Callable[[Variant], OpenEngines]]]:
    """An engine's name, and a function that opens it empty for each trace, with a variant of the ledger."""
    if request.param == "sqlite":
        files = functools.partial(temporary_sqlite_engine, tmp_path, migrated_sqlite_file)
        yield request.param, lambda variant: _with(variant, files)
    else:
        server: PostgresServer = request.getfixturevalue("postgres_server")
        with postgres_engine(server.create_migrated()) as shared:

            @contextlib.contextmanager
            def emptied() -> Generator[EngineUnderTest]:
                empty(shared.database)
                yield shared

            yield request.param, lambda variant: _with(variant, emptied)


def _with(
    variant: Variant, fresh: Callable[[], contextlib.AbstractContextManager[EngineUnderTest]]
) -> OpenEngines:
    @contextlib.contextmanager
    def engines() -> Generator[list[EngineUnderTest]]:
        with fresh() as engine:
            yield [replace(engine, ledger=variant(engine.ledger))]

    return engines


Opened = tuple[str, Callable[[Variant], OpenEngines]]


@pytest.mark.parametrize("verb", sorted(FENCES["sqlite"]))
def test_a_verb_without_the_epoch_comparison_is_detected(open_ledger: Opened, verb: str) -> None:
    dialect, opener = open_ledger
    with without(dialect, verb, FENCES[dialect][verb]), pytest.raises(RuleBroken, match="I2"):
        run_machine(opener(_unchanged), rounds=ROUNDS, shrink=False)


def test_a_rescue_that_keeps_the_epoch_is_detected(
    open_ledger: Opened,
) -> None:
    dialect, opener = open_ledger
    with without(dialect, "rescue", RESCUE_BUMPS[dialect]), pytest.raises(RuleBroken, match="I2"):
        run_machine(opener(_unchanged), rounds=ROUNDS, shrink=False)


def test_a_guard_outside_the_transaction_is_detected(
    open_ledger: Opened,
) -> None:
    dialect, opener = open_ledger
    with start_guard_before_transaction(dialect) as unguarded, pytest.raises(RuleBroken, match="I1"):
        # The order of runs is broken too and would be reported first; this test is about I1.
        run_machine(opener(unguarded), rounds=ROUNDS, shrink=False, check_order=False)


def test_the_intact_ledger_passes_the_same_traces(open_ledger: Opened) -> None:
    _, opener = open_ledger
    run_machine(opener(_unchanged), rounds=1, shrink=False)
