"""A Towpath opened inside the test, embedded, with its worker and its API."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.support.desk import Desk, opened_desk


@pytest.fixture
async def desk(tmp_path: Path) -> AsyncIterator[Desk]:
    async with opened_desk(tmp_path / "data") as desk:
        yield desk
