"""The settlements that a worker reports about a job it holds: advance, finish, fail, suspend or release.

Each settlement is one ledger verb; a batch of them is one transaction.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from towpath.model.job import Lease, Progress, WaitingReason
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
    #: The last progress of the stage; None leaves what is stored.
    progress: Progress | None = None
    #: The password for the next stage, if the stage that reads the file is still to come.
    sealed_password: str | None = field(default=None, repr=False)
    #: The id of the next stage's job; None lets the ledger make one.
    next_id: str | None = None
    #: The next stage is done too: its settlement under the lease that this one keeps, in the same transaction.
    then: Advance | Finish | None = None


@dataclass(frozen=True, slots=True)
class Finish:
    """The last stage is done: the run is COMPLETED and its follow-ups are queued."""

    lease: Lease
    result: Json = field(default_factory=dict[str, object])
    follow_ups: tuple[str, ...] = ()
    max_attempts: int = 5
    writes: Sequence[object] = ()
    #: The last progress of the stage; None leaves what is stored.
    progress: Progress | None = None


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
    #: The code of the reason of a rejection.
    rejection_code: str | None = None
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


def settled_together(settlement: Settlement) -> Iterator[Settlement]:
    """The settlement and those of the later stages that are settled with it, in order."""
    link: Settlement | None = settlement
    while link is not None:
        yield link
        link = link.then if isinstance(link, Advance) else None


@dataclass(frozen=True, slots=True)
class Settled:
    """The settlement is durable. ``next`` is the lease kept on the next stage's job.

    The answer to an advance with ``then`` is that of its last stage.
    """

    job_id: str
    status: str
    next: Lease | None = None
