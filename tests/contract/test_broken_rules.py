"""The machine is worth its time: with one rule taken out of the SQL, it fails, and says which."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Generator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.contract.broken_rules import FENCES, RESCUE_BUMPS, guard_outside_the_transaction, without
from tests.contract.machine import run_machine
from tests.contract.machine_rules import RuleBroken
from tests.contract.machine_work import OpenEngines
from tests.support.databases import (
    EngineUnderTest,
    PostgresServer,
    empty,
    passing_sqlite_engine,
    postgres_engine,
)
from towpath.ledger.ledger import SqlLedger

#: Enough for each of them with a margin of three; a sound ledger passes ten times as many elsewhere.
ROUNDS = 12

Variant = Callable[[SqlLedger], SqlLedger]


def _as_it_is(ledger: SqlLedger) -> SqlLedger:
    return SqlLedger(ledger.database)


@pytest.fixture(params=["sqlite", "postgres"])
def opened(
    request: pytest.FixtureRequest, tmp_path: Path, migrated_sqlite_file: Path
) -> Generator[tuple[str, Callable[[Variant], OpenEngines]]]:
    """An engine's name, and how to open it afresh for each trace with a variant of the ledger on it."""
    if request.param == "sqlite":
        files = functools.partial(passing_sqlite_engine, tmp_path, migrated_sqlite_file)
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
def test_given_a_verb_without_its_fence_then_the_machine_sees_an_old_epoch_write(
    opened: Opened, verb: str
) -> None:
    dialect, opener = opened
    with without(dialect, verb, FENCES[dialect][verb]), pytest.raises(RuleBroken, match="I2"):
        run_machine(opener(_as_it_is), rounds=ROUNDS, shrink=False)


def test_given_a_rescue_that_keeps_the_epoch_then_the_machine_sees_a_sleeper_come_back(
    opened: Opened,
) -> None:
    dialect, opener = opened
    with without(dialect, "rescue", RESCUE_BUMPS[dialect]), pytest.raises(RuleBroken, match="I2"):
        run_machine(opener(_as_it_is), rounds=ROUNDS, shrink=False)


def test_given_a_guard_outside_the_transaction_then_the_machine_sees_two_runs_of_one_document(
    opened: Opened,
) -> None:
    dialect, opener = opened
    with guard_outside_the_transaction(dialect) as careless, pytest.raises(RuleBroken, match="I1"):
        # Whose turn it is is broken as well, and would be seen first; here the index's rule must be.
        run_machine(opener(careless), rounds=ROUNDS, shrink=False, turns=False)


def test_given_no_rule_taken_out_then_the_same_traces_pass(opened: Opened) -> None:
    _, opener = opened
    run_machine(opener(_as_it_is), rounds=1, shrink=False)
