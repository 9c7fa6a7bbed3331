"""Fixtures: a Document Intelligence emulator and a client that uses the real SDK."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from tests.support.emulators import DocumentIntelligenceEmulator
from tests.support.timeouts import REQUEST_SECONDS
from towpath.providers.azure.document_intelligence import DocumentIntelligence


@pytest.fixture
async def service() -> AsyncIterator[DocumentIntelligenceEmulator]:
    async with DocumentIntelligenceEmulator() as emulator:
        yield emulator


@pytest.fixture
async def analyzer(service: DocumentIntelligenceEmulator) -> AsyncIterator[DocumentIntelligence]:
    analyzer = DocumentIntelligence(service.url, service.key, read_timeout=REQUEST_SECONDS)
    yield analyzer
    await analyzer.aclose()
