"""Fixtures of the contract tests; each test runs on both engines."""

from __future__ import annotations

import pytest

from tests.contract.ledger_driver import LedgerDriver
from tests.support.databases import EngineUnderTest
from towpath.clock import ManualClock


@pytest.fixture
def driver(engine: EngineUnderTest, clock: ManualClock) -> LedgerDriver:
    return LedgerDriver(engine, clock)
