"""Settlements: what a worker reports about a job that it holds.

Each settlement is one ledger verb; a batch of them is one transaction.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime

from towpath.model.job import Lease, WaitingReason
from towpath.model.json_types import Json
from towpath.model.run import FailureType


@dataclass(frozen=True, slots=True)
class Advance:
    """The stage is done: queue ``next_stage``. With ``keep`` the worker keeps the lease, which saves a claim."""

    lease: Lease
    next_stage: str
    max_attempts: int
    result: Json = field(default_factory=dict[str, object])
    next_payload: Json = field(default_factory=dict[str, object])
    keep: bool = True
    writes: Sequence[object] = ()


@dataclass(frozen=True, slots=True)
class Finish:
    """The last stage is done: the run is COMPLETED and its follow-ups are queued."""

    lease: Lease
    result: Json = field(default_factory=dict[str, object])
    follow_ups: tuple[str, ...] = ()
    max_attempts: int = 5
    writes: Sequence[object] = ()


@dataclass(frozen=True, slots=True)
class Fail:
    """The stage raised an error: retry at ``retry_at``; if ``final`` or without attempts left, fail the run.

    ``crashed``: the stage ended the process in which it ran alone. This counts a crash instead of an attempt, and
    the ``max_crashes``-th one fails the run.
    """

    lease: Lease
    error: str
    retry_at: datetime
    final: bool = False
    failure_type: FailureType = FailureType.STAGE_FAILED
    #: The database's error code (SQLSTATE, or SQLite's name) if a database raised the error.
    error_code: str | None = None
    #: The provider that rejected the input: the same bytes may be tried again.
    rejected_by: str | None = None
    crashed: bool = False
    max_crashes: int = 2


@dataclass(frozen=True, slots=True)
class Suspended:
    """The job is PENDING again at ``until`` and uses no attempt. A given ``payload`` replaces the job's.

    ``log_line`` is added to the job's error log, with the time.
    """

    lease: Lease
    until: datetime
    reason: WaitingReason
    provider: str | None = None
    detail: str | None = None
    payload: Json | None = None
    log_line: str | None = None


@dataclass(frozen=True, slots=True)
class Release:
    """The worker returns the job without a result; any worker can claim it at once."""

    lease: Lease


Settlement = Advance | Finish | Fail | Suspended | Release


@dataclass(frozen=True, slots=True)
class Settled:
    """The settlement is durable. ``next`` is the lease kept on the next stage's job."""

    job_id: str
    status: str
    next: Lease | None = None
