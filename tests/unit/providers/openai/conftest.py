"""Fixtures: an OpenAI emulator and clients that use the real SDK."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from tests.support.emulators import OpenAIEmulator


@pytest.fixture
async def service() -> AsyncIterator[OpenAIEmulator]:
    async with OpenAIEmulator() as emulator:
        yield emulator
