"""Workshops for the tests of the worker, on both engines."""

from __future__ import annotations

import pytest

from tests.integration.workshop import Workshop
from tests.support.databases import EngineUnderTest


@pytest.fixture
def workshop(engine: EngineUnderTest) -> Workshop:
    return Workshop(engine)
