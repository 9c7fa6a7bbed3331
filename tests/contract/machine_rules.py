"""The rules a ledger must keep, as the machine checks them: what holds always, and what a holder may do.

This is no third ledger: it remembers who was given which lease, what each of them has said, and what was
answered. Everything else is judged by comparing the world before and after a verb.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime

from tests.contract.machine_world import DocumentSeen, JobSeen, Place, RunSeen, World
from towpath.ledger.columns import NEVER
from towpath.lifecycle.moves import JOB_ENDS, RUN_ENDS, Verb, job_may, run_may
from towpath.model.work import JobStatus, Lease, RunState

BURN_ATTEMPTS = {Verb.FAIL, Verb.REJECT, Verb.RESCUE}
COUNT_CRASHES = {Verb.RESCUE, Verb.RECOVER}


class RuleBroken(AssertionError):
    """A rule of the ledger did not hold."""


def demand(holds: bool, rule: str) -> None:
    if not holds:
        raise RuleBroken(rule)


@dataclass(slots=True)
class Holder:
    """Somebody who was given a lease, on each engine, and whether it still entitles to anything."""

    place: Place
    epoch: int
    worker: str
    until: datetime
    leases: tuple[Lease, ...]
    entitled: bool = True
    #: What settled the job under this lease, so that the same word may be sent again.
    word: Verb | None = None


@dataclass(slots=True)
class Call:
    """What is known of one paid call."""

    owner: Holder
    status: str = "STARTED"
    operation: str | None = None
    answer: int | None = None


@dataclass(slots=True)
class Memory:
    """Who was given what."""

    holders: list[Holder] = field(default_factory=list[Holder])
    calls: dict[tuple[str, str], Call] = field(default_factory=dict[tuple[str, str], Call])

    def entitled(self) -> Iterable[Holder]:
        return (holder for holder in self.holders if holder.entitled)

    def give(self, holder: Holder, before: World) -> None:
        """A claim or an advance hands out a lease."""
        rivals = [other for other in self.holders if other.place == holder.place]
        demand(not any(rival.entitled for rival in rivals), "I4: a job was taken from a living holder")
        demand(
            all(holder.epoch > rival.epoch for rival in rivals), "I2: an epoch was given for the second time"
        )
        if holder.place in before.jobs():
            demand(holder.epoch > before.job(holder.place).epoch, "I2: a claim did not raise the epoch")
        self.holders.append(holder)

    def lose_expired(self, before: World, now: datetime) -> None:
        """A sweep takes leases that ran out, and the jobs of runs past their deadline."""
        for holder in self.entitled():
            deadline = before.run(holder.place).deadline_at
            running = before.run(holder.place).state is RunState.RUNNING
            late = running and deadline is not None and deadline < now
            holder.entitled = holder.until >= now and not late

    def lose_run(self, document: int, run: int) -> None:
        for holder in self.entitled():
            holder.entitled = holder.place[:2] != (document, run)

    def lose_all(self) -> None:
        for holder in self.entitled():
            holder.entitled = False


def claimable(world: World, now: datetime) -> set[Place]:
    """The jobs that a claim may take at this moment."""
    found: set[Place] = set()
    for place, job in world.jobs().items():
        if job.status is not JobStatus.PENDING or job.available_at > now:
            continue
        runs = world.documents[place[0]].runs
        state = world.run(place).state
        may_start = state is RunState.QUEUED and _first_active(runs) == place[1]
        if may_start or state is RunState.RUNNING or (job.follow_up and state is RunState.COMPLETED):
            found.add(place)
    return found


def _first_active(runs: tuple[RunSeen, ...]) -> int | None:
    running = [number for number, run in enumerate(runs) if run.state is RunState.RUNNING]
    queued = [number for number, run in enumerate(runs) if run.state is RunState.QUEUED]
    return next(iter(running + queued), None)


def judge_one_running(world: World) -> None:
    for document in world.documents:
        states = [run.state for run in document.runs]
        demand(states.count(RunState.RUNNING) <= 1, "I1: two runs of one document are RUNNING")


def judge(verbs: set[Verb], before: World, after: World, memory: Memory, *, turns: bool = True) -> None:
    """Everything that must hold after a verb, whatever it was; ``turns``: also whose turn it is."""
    for number, document in enumerate(after.documents):
        _judge_document(document)
        if turns:
            _judge_turns(document)
        if number < len(before.documents):
            _judge_history(verbs, before.documents[number], document)
    worked = {(place, job.epoch) for place, job in after.jobs().items() if job.status is JobStatus.PROCESSING}
    held = {(holder.place, holder.epoch) for holder in memory.entitled()}
    demand(worked == held, f"I2, I4: worked are {sorted(worked)}, entitled are {sorted(held)}")


def _judge_document(document: DocumentSeen) -> None:
    active = [run for run in document.runs if run.state not in RUN_ENDS]
    demand(
        (document.status == "PROCESSING") == bool(active),
        f"a document with {len(active)} active runs says {document.status}",
    )
    for run in document.runs:
        living = _living(run)
        demand(len(living) == (run.state not in RUN_ENDS), f"a {run.state} run has {len(living)} jobs to do")
        if run.state is RunState.QUEUED:
            demand(living[0].status is JobStatus.PENDING, "a job is worked though its run has not started")


def _judge_turns(document: DocumentSeen) -> None:
    for number, run in enumerate(document.runs):
        if run.state is RunState.QUEUED:
            first = _first_active(document.runs) == number
            parked = _living(run)[0].available_at == NEVER
            demand(parked != first, "a run waits for nobody, or stands in the way of others")


def _living(run: RunSeen) -> list[JobSeen]:
    return [job for job in run.jobs if job.status not in JOB_ENDS and not job.follow_up]


def _judge_history(verbs: set[Verb], before: DocumentSeen, after: DocumentSeen) -> None:
    demand(len(after.runs) >= len(before.runs), "a run disappeared")
    for old, new in zip(before.runs, after.runs, strict=False):
        if new.state != old.state:
            allowed = frozenset[RunState]().union(*(run_may(old.state, verb) for verb in verbs))
            demand(new.state in allowed, f"a run went from {old.state} to {new.state} by {sorted(verbs)}")
        if old.state in RUN_ENDS:
            demand(
                (new.failure_type, new.error, new.ended_at) == (old.failure_type, old.error, old.ended_at),
                "the end of a run was rewritten",
            )
        demand(new.events[: len(old.events)] == old.events, "history was rewritten")
        for old_job, new_job in zip(old.jobs, new.jobs, strict=False):
            _judge_job(verbs, old_job, new_job)


def _judge_job(verbs: set[Verb], old: JobSeen, new: JobSeen) -> None:
    if old.status in JOB_ENDS:
        demand(new == old, "I5: a finished job was changed")
    if new.status != old.status:
        allowed = frozenset[JobStatus]().union(*(job_may(old.status, verb) for verb in verbs))
        demand(new.status in allowed, f"a job went from {old.status} to {new.status} by {sorted(verbs)}")
    demand(new.epoch >= old.epoch, "I2: an epoch went down")
    burnt = new.attempts - old.attempts
    demand(burnt in (0, 1) and (not burnt or bool(verbs & BURN_ATTEMPTS)), "I8: an attempt was burnt")
    crashed = 0 if Verb.SUSPEND in verbs and not new.crashes else new.crashes - old.crashes
    demand(crashed in (0, 1) and (not crashed or bool(verbs & COUNT_CRASHES)), "I8: a crash was counted")
