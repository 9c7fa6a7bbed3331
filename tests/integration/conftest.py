"""Fixtures of the integration tests: a worker harness on each engine."""

from __future__ import annotations

import pytest

from tests.integration.worker_harness import WorkerHarness
from tests.support.databases import EngineUnderTest


@pytest.fixture
def harness(engine: EngineUnderTest) -> WorkerHarness:
    return WorkerHarness(engine)
