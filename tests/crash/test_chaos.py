"""The short form of `make chaos`: random disturbances of real processes on both engines."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.crash.chaos_drill import run_chaos


@pytest.mark.parametrize("engine", ["sqlite", "postgres"])
def test_nothing_is_lost_billed_twice_orphaned_or_quarantined(engine: str, tmp_path: Path) -> None:
    verdict = run_chaos(engine, tmp_path, seconds=15.0, documents=6, seed=4)

    assert verdict.is_good, str(verdict)
    assert verdict.acknowledged == 6
