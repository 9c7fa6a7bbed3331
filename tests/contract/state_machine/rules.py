"""The invariants that the state machine checks after every verb.

Stored here: which holder got which lease, which verb settled it, and the expected provider calls.
Everything else is checked by comparing the rows before and after a verb.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime

from tests.contract.state_machine.world import DocumentRow, JobRow, Position, RunRow, World
from towpath.ledger.columns import NEVER
from towpath.lifecycle.transitions import JOB_ENDS, RUN_ENDS, Verb, next_job_states, next_run_states
from towpath.model.job import JobStatus, Lease
from towpath.model.run import RunState

USE_ATTEMPTS = {Verb.FAIL, Verb.REJECT}
COUNT_CRASHES = {Verb.FAIL}
MAKE_SUSPECTS = {Verb.RESCUE, Verb.RECOVER}


class RuleBroken(AssertionError):
    """An invariant of the ledger does not hold."""


def require(holds: bool, rule: str) -> None:
    if not holds:
        raise RuleBroken(rule)


@dataclass(slots=True)
class Holder:
    """A worker that was granted a lease on each engine; `entitled` is True while the lease is valid."""

    position: Position
    epoch: int
    worker: str
    until: datetime
    leases: tuple[Lease, ...]
    entitled: bool = True
    #: The verb that settled the job with this lease; the same settlement may be sent again.
    settled_by: Verb | None = None


@dataclass(slots=True)
class Call:
    """The expected state of one provider call."""

    owner: Holder
    status: str = "STARTED"
    operation: str | None = None
    answer: int | None = None


@dataclass(slots=True)
class ExpectedCalls:
    """The granted leases and the expected provider calls."""

    holders: list[Holder] = field(default_factory=list[Holder])
    calls: dict[tuple[str, str], Call] = field(default_factory=dict[tuple[str, str], Call])

    def entitled(self) -> Iterable[Holder]:
        return (holder for holder in self.holders if holder.entitled)

    def grant(self, holder: Holder, before: World) -> None:
        """Record a lease granted by a claim or an advance."""
        others = [other for other in self.holders if other.position == holder.position]
        require(
            not any(other_holder.entitled for other_holder in others),
            "I4: a job with a valid lease was claimed",
        )
        require(
            all(holder.epoch > other_holder.epoch for other_holder in others),
            "I2: an epoch was granted twice",
        )
        if holder.position in before.jobs():
            require(holder.epoch > before.job(holder.position).epoch, "I2: a claim did not raise the epoch")
        self.holders.append(holder)

    def lose_expired(self, before: World, now: datetime) -> None:
        """Record that a sweep revokes expired leases and the leases of runs past their deadline."""
        for holder in self.entitled():
            deadline = before.run(holder.position).deadline_at
            running = before.run(holder.position).state is RunState.RUNNING
            late = running and deadline is not None and deadline < now
            holder.entitled = holder.until >= now and not late

    def lose_run(self, document: int, run: int) -> None:
        for holder in self.entitled():
            holder.entitled = holder.position[:2] != (document, run)

    def lose_all(self) -> None:
        for holder in self.entitled():
            holder.entitled = False


def claimable(world: World, now: datetime) -> set[Position]:
    """The jobs that a claim may take now."""
    due: set[Position] = set()
    for position, job in world.jobs().items():
        if job.status is not JobStatus.PENDING or job.available_at > now:
            continue
        runs = world.documents[position[0]].runs
        state = world.run(position).state
        may_start = state is RunState.QUEUED and _first_active(runs) == position[1]
        if may_start or state is RunState.RUNNING or (job.follow_up and state is RunState.COMPLETED):
            due.add(position)
    return due


def _first_active(runs: tuple[RunRow, ...]) -> int | None:
    running = [number for number, run in enumerate(runs) if run.state is RunState.RUNNING]
    queued = [number for number, run in enumerate(runs) if run.state is RunState.QUEUED]
    return next(iter(running + queued), None)


def check_one_running(world: World) -> None:
    for document in world.documents:
        states = [run.state for run in document.runs]
        require(states.count(RunState.RUNNING) <= 1, "I1: two runs of one document are RUNNING")


def check(
    verbs: set[Verb], before: World, after: World, expected: ExpectedCalls, *, check_order: bool = True
) -> None:
    """Check the invariants that hold after every verb; ``check_order``: also the order of runs."""
    for number, document in enumerate(after.documents):
        _check_document(document)
        if check_order:
            _check_run_order(document)
        if number < len(before.documents):
            _check_history(verbs, before.documents[number], document)
    worked = {
        (position, job.epoch) for position, job in after.jobs().items() if job.status is JobStatus.PROCESSING
    }
    held = {(holder.position, holder.epoch) for holder in expected.entitled()}
    require(worked == held, f"I2, I4: PROCESSING jobs {sorted(worked)}, valid leases {sorted(held)}")


def _check_document(document: DocumentRow) -> None:
    active = [run for run in document.runs if run.state not in RUN_ENDS]
    require(
        (document.status == "PROCESSING") == bool(active),
        f"a document with {len(active)} active runs has the status {document.status}",
    )
    for run in document.runs:
        unfinished = _unfinished_jobs(run)
        require(
            len(unfinished) == (run.state not in RUN_ENDS),
            f"a {run.state} run has {len(unfinished)} unfinished jobs",
        )
        if run.state is RunState.QUEUED:
            require(unfinished[0].status is JobStatus.PENDING, "a job of a QUEUED run is not PENDING")


def _check_run_order(document: DocumentRow) -> None:
    for number, run in enumerate(document.runs):
        if run.state is RunState.QUEUED:
            first = _first_active(document.runs) == number
            waits = _unfinished_jobs(run)[0].available_at == NEVER
            require(waits != first, "a waiting run is due, or the first run is not due")


def _unfinished_jobs(run: RunRow) -> list[JobRow]:
    return [job for job in run.jobs if job.status not in JOB_ENDS and not job.follow_up]


def _check_history(verbs: set[Verb], before: DocumentRow, after: DocumentRow) -> None:
    require(len(after.runs) >= len(before.runs), "a run disappeared")
    for old, new in zip(before.runs, after.runs, strict=False):
        if new.state != old.state:
            allowed = frozenset[RunState]().union(*(next_run_states(old.state, verb) for verb in verbs))
            require(new.state in allowed, f"a run went from {old.state} to {new.state} by {sorted(verbs)}")
        if old.state in RUN_ENDS:
            require(
                (new.failure_type, new.error, new.ended_at) == (old.failure_type, old.error, old.ended_at),
                "the end of a run was rewritten",
            )
        require(new.events[: len(old.events)] == old.events, "history was rewritten")
        for old_job, new_job in zip(old.jobs, new.jobs, strict=False):
            _check_job(verbs, old_job, new_job)


def _check_job(verbs: set[Verb], old: JobRow, new: JobRow) -> None:
    if old.status in JOB_ENDS:
        require(new == old, "I5: a finished job was changed")
    if new.status != old.status:
        allowed = frozenset[JobStatus]().union(*(next_job_states(old.status, verb) for verb in verbs))
        require(new.status in allowed, f"a job went from {old.status} to {new.status} by {sorted(verbs)}")
    require(new.epoch >= old.epoch, "I2: an epoch went down")
    used = new.attempts - old.attempts
    require(used in (0, 1) and (not used or bool(verbs & USE_ATTEMPTS)), "I8: an attempt was used")
    crashed = 0 if Verb.SUSPEND in verbs and not new.crashes else new.crashes - old.crashes
    require(crashed in (0, 1) and (not crashed or bool(verbs & COUNT_CRASHES)), "I8: a crash was counted")
    require(not (used and crashed), "I8: a crash used an attempt")
    became_suspect = new.suspect and not old.suspect
    require(
        not became_suspect or bool(verbs & MAKE_SUSPECTS), "I8: a job became a suspect though no process died"
    )
