"""A short queue drill; `make drill-queue` runs the long one with 10,000 runs."""

from __future__ import annotations

from tests.crash.crash_harness import CrashHarness
from tests.crash.queue_drill import drill
from tests.support.timeouts import COMMAND_SECONDS

RUNS = 1500


def test_fifteen_hundred_runs_complete_while_workers_are_killed(harness: CrashHarness) -> None:
    report = drill(harness, RUNS, seconds=COMMAND_SECONDS, pay_every=5)
    assert report.kills >= 1
