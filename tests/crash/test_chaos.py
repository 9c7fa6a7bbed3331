"""The short form of `make chaos`: random disturbances of real processes on both engines."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.crash.chaos_drill import run_chaos


@pytest.mark.parametrize("engine", ["sqlite", "postgres"])
@pytest.mark.parametrize(("seconds", "documents"), [(8.0, 4), pytest.param(15.0, 6, marks=pytest.mark.long)])
def test_nothing_is_lost_billed_twice_orphaned_or_quarantined(
    engine: str, seconds: float, documents: int, tmp_path: Path
) -> None:
    verdict = run_chaos(engine, tmp_path, seconds=seconds, documents=documents, seed=4)

    assert verdict.is_good, str(verdict)
    assert verdict.acknowledged == documents
