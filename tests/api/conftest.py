"""Fixtures of the API tests: an embedded runtime with a worker, and a client of its API."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.support.api_client import ApiClient, open_api_client


@pytest.fixture
async def client(tmp_path: Path) -> AsyncIterator[ApiClient]:
    async with open_api_client(tmp_path / "data", in_threads=True) as client:
        yield client
