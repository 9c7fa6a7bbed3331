"""The drill of ``ten_thousand.py``, small enough for every day."""

from __future__ import annotations

from tests.crash.arena import Arena
from tests.crash.ten_thousand import drill

RUNS = 1500


def test_fifteen_hundred_runs_under_fire(arena: Arena) -> None:
    report = drill(arena, RUNS, patience=240.0, pay_every=5)
    assert report.kills >= 1
