"""Every contract test is a story told twice, once on each engine."""

from __future__ import annotations

import pytest

from tests.contract.story import Story
from tests.support.databases import EngineUnderTest
from towpath.clock import ManualClock


@pytest.fixture
def story(engine: EngineUnderTest, clock: ManualClock) -> Story:
    return Story(engine, clock)
