"""Profiles: named sets of values for several settings, each giving one documented behaviour literally."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Profile:
    """Values that a profile sets. A value from the file, the environment or a flag takes precedence."""

    help: str
    values: Mapping[str, object]


#: `docs/reference/behaviour.md` describes which behaviour each value gives.
PROFILES: Mapping[str, Profile] = {
    "single-process": Profile(
        "One server on SQLite: 2 attempts, 120 s for each run of a document, runs of a crashed server stay FAILED.",
        {
            "max_attempts": 2,
            "run_deadline_seconds": 120.0,
            "continue_after_timeout": False,
            "recovery": "fail",
            "poll_seconds": 1.0,
            "poll_mode": "fixed",
        },
    ),
    "postgres-queue": Profile(
        "Workers on Postgres: 5 attempts, fixed backoff, polling at a fixed interval (queue 1 s, transcripts 10 s).",
        {
            "max_attempts": 5,
            "backoff": "fixed",
            "speechkit_poll_interval_ms": 10_000,
            "run_deadline_seconds": None,
            "call_deadline_seconds": None,
            "poll_seconds": 1.0,
            "poll_mode": "fixed",
        },
    ),
    "extraction-queue": Profile(
        "Paid extraction on Postgres: throttling uses an attempt, a job is stale after 2 hours without a heartbeat.",
        {
            "max_attempts": 5,
            "throttle_uses_attempt": True,
            "run_deadline_seconds": None,
            "lease_seconds": 7200.0,
            "heartbeat_seconds": 600.0,
        },
    ),
    "checkpointed": Profile(
        "Long documents: a job is stale after 30 minutes, a heartbeat every 5 minutes, runs resume.",
        {
            "run_deadline_seconds": None,
            "lease_seconds": 1800.0,
            "heartbeat_seconds": 300.0,
            "recovery": "resume",
        },
    ),
}
