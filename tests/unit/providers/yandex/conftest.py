"""Fixtures: a SpeechKit emulator and clients for API v2 and v3."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from tests.support.emulators import SpeechKitEmulator
from tests.support.timeouts import REQUEST_SECONDS
from towpath.providers.yandex.speechkit_v2 import SpeechKitV2
from towpath.providers.yandex.speechkit_v3 import SpeechKit


@pytest.fixture
async def service() -> AsyncIterator[SpeechKitEmulator]:
    async with SpeechKitEmulator() as emulator:
        yield emulator


@pytest.fixture
async def speechkit(service: SpeechKitEmulator) -> AsyncIterator[SpeechKit]:
    speechkit = SpeechKit(
        service.key, stt_url=service.url, operations_url=service.url, timeout=REQUEST_SECONDS
    )
    yield speechkit
    await speechkit.aclose()


@pytest.fixture
async def speechkit_v2(service: SpeechKitEmulator) -> AsyncIterator[SpeechKitV2]:
    speechkit = SpeechKitV2(
        service.key, transcribe_url=service.url, operations_url=service.url, timeout=REQUEST_SECONDS
    )
    yield speechkit
    await speechkit.aclose()
