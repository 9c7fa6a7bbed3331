"""A short queue drill; `make drill-queue` runs the long one with 10,000 runs."""

from __future__ import annotations

import pytest

from tests.crash.crash_harness import CrashHarness
from tests.crash.queue_drill import drill
from tests.support.timeouts import COMMAND_SECONDS


@pytest.mark.parametrize("runs", [400, pytest.param(1500, marks=pytest.mark.long)])
def test_runs_complete_while_workers_are_killed(harness: CrashHarness, runs: int) -> None:
    report = drill(harness, runs, seconds=COMMAND_SECONDS, pay_every=5)
    assert report.kills >= 1
