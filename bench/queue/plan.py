"""The amounts to measure: the full plan (under 15 minutes) and the quick plan (about 2, for a trial)."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Plan:
    single_jobs: int = 1_000
    bulk_jobs: int = 5_000
    drain_jobs: int = 20_000
    finished_jobs: int = 1_000_000
    durable_runs: int = 500
    latency_samples: int = 300
    idle_seconds: float = 60.0
    kill_limit: float = 120.0
    drain_limit: float = 12.0
    """A drain is cut after this many seconds; its rate is that of the jobs finished by then."""
    short: float = 3.0
    """A throughput that took fewer seconds than this is measured three times; the median counts."""
    repeats: int = 3


FULL = Plan()
QUICK = Plan(
    single_jobs=200,
    bulk_jobs=1_000,
    drain_jobs=2_000,
    finished_jobs=20_000,
    durable_runs=50,
    latency_samples=40,
    idle_seconds=10.0,
    kill_limit=60.0,
    drain_limit=2.0,
    short=0.0,
)
