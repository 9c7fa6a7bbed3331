"""A soak of five minutes: mixed work succeeds, and files and threads do not grow; `make soak` judges memory."""

from __future__ import annotations

import pytest

from bench.soak.samples import Sample, slope
from bench.soak.scenario import Soak, describe, soak

#: Files and threads that a server may open for each minute of a soak this short: pools that are not full yet.
MOST_FILES = 10.0


@pytest.mark.parametrize("engine", ["sqlite", "postgres"])
@pytest.mark.long
def test_mixed_work_fails_nowhere_and_leaves_no_files_open(engine: str) -> None:
    plan = Soak(minutes=5.0, warm_up=1.0, maximum=0.5)
    report = soak(engine, plan)
    assert report.failed == 0
    assert report.samples[-1].rounds > 0
    assert report.slopes["files"] < MOST_FILES
    assert report.slopes["threads"] < MOST_FILES
    assert describe(report, plan).startswith(f"### {engine}")


def test_the_slope_is_that_after_the_warm_up() -> None:
    sizes = [100.0, 200.0, 300.0, 302.0, 304.0]
    samples = [Sample(float(minute), 0.0, size, 0, 0, 0.0, 0.0, 0.0, 0) for minute, size in enumerate(sizes)]
    assert slope(samples, "all_mb", 2.0) == pytest.approx(2.0)
    assert slope(samples, "all_mb", 4.0) == 0.0
