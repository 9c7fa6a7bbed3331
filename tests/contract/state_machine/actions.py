"""The actions of the state machine: workers, stale workers, people and time, on one or two engines."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import Any

from tests.contract.state_machine.rules import (
    ExpectedCalls,
    Holder,
    check,
    check_one_running,
    claimable,
    require,
)
from tests.contract.state_machine.world import Position, World, read_world
from tests.support.databases import EngineUnderTest
from tests.support.factories import a_plan, a_submission, add_organizations, organization_id
from towpath.clock import ManualClock
from towpath.errors import IllegalTransition, LeaseLost
from towpath.ledger.contract.ledger import ClaimRequest
from towpath.ledger.contract.settlements import Advance, Fail, Finish, Release, Settled, Settlement, Suspended
from towpath.lifecycle.transitions import RUN_ENDS, Verb, next_job_states
from towpath.model.job import ClaimedJob, JobStatus, Lease, Progress, ProgressUnit, WaitingReason
from towpath.model.run import RunState

LEASE = 30.0
ORGANIZATIONS = (organization_id(1), organization_id(2))
REFUSED = "refused"

#: Arguments of `pick`: a holder of a valid lease, or a holder whose job has a newer lease.
VALID_HOLDER, STALE_HOLDER = 0, 9

OpenEngines = Callable[[], contextlib.AbstractContextManager[list[EngineUnderTest]]]


class Work:
    """One empty ledger on each engine, and the actions on them."""

    def __init__(self, open_engines: OpenEngines, *, check_order: bool = True) -> None:
        #: Check the order of runs; False for a ledger whose order is broken on purpose.
        self.check_order = check_order
        self.stack = contextlib.ExitStack()
        self.engines = self.stack.enter_context(open_engines())
        self.runner = self.stack.enter_context(asyncio.Runner())
        self.clock = ManualClock()
        self.expected = ExpectedCalls()
        self.worlds: list[World] = [World() for _ in self.engines]

    def close(self) -> None:
        self.stack.close()

    @property
    def world(self) -> World:
        return self.worlds[0]

    def do(
        self, verbs: set[Verb], action: Callable[[int, EngineUnderTest], Awaitable[Any]]
    ) -> tuple[World, list[Any]]:
        """Run an action on every engine; all must have the same rows afterwards.

        Return the rows before the action, and the answers.
        """
        before = self.world
        answers: list[Any] = []
        for number, engine in enumerate(self.engines):
            try:
                answers.append(self.runner.run(_await(action(number, engine))))
            except (LeaseLost, IllegalTransition):
                answers.append(REFUSED)
        self.worlds = [read_world(engine) for engine in self.engines]
        for engine, world in zip(self.engines, self.worlds, strict=True):
            check_one_running(world)
            require(world == self.worlds[0], f"I12: {engine.name} differs after {sorted(verbs)}")
        refusals = {answer == REFUSED for answer in answers}
        require(len(refusals) == 1, f"I12: one engine refused {sorted(verbs)} and the other did not")
        return before, answers

    def check(self, verbs: set[Verb], before: World) -> None:
        check(verbs, before, self.world, self.expected, check_order=self.check_order)

    def unchanged(self, before: World, rule: str) -> None:
        require(self.world == before, rule)

    def pick(self, number: int) -> Holder:
        """Return the newest holder of the given kind, or the holder `number` places before the newest."""
        active = list(self.expected.entitled())
        if number == VALID_HOLDER and active:
            return active[-1]
        held = {holder.position for holder in active}
        stale = [h for h in self.expected.holders if not h.entitled and h.position in held]
        if number == STALE_HOLDER and stale:
            return stale[-1]
        return self.expected.holders[-1 - number % len(self.expected.holders)]

    def position(self, number: int) -> Position:
        positions = sorted(self.world.jobs())
        return positions[-1 - number % len(positions)]

    def start(self, attempts: int, deadline: float | None) -> None:
        """Set up two organizations with a document each, a second run that waits, and a claimed job."""
        for engine in self.engines:
            add_organizations(engine.database, *ORGANIZATIONS)
        for number, org in enumerate(ORGANIZATIONS):
            self.submit(number, org, attempts, deadline)
        self.reprocess(0, attempts)
        self.claim("anna", 1)

    # Actions of people.

    def submit(self, content: int, org: str, attempts: int, deadline: float | None) -> None:
        plan = a_plan(max_attempts=attempts, deadline_seconds=deadline, options={"language": "de"})
        submission = a_submission(f"content {content}", org_id=org, plan=plan)
        before, _ = self.do({Verb.SUBMIT}, lambda _, e: e.ledger.submit(submission, self.clock.now()))
        self.check({Verb.SUBMIT}, before)

    def reprocess(self, number: int, attempts: int) -> None:
        document = number % len(self.world.documents)
        plan = a_plan(max_attempts=attempts)
        before, _ = self.do(
            {Verb.SUBMIT},
            lambda side, e: e.ledger.reprocess(
                self.worlds[side].id_of(document),
                plan,
                self.clock.now(),
                org_id=self.world.documents[document].org_id,
            ),
        )
        self.check({Verb.SUBMIT}, before)

    def cancel(self, number: int) -> None:
        document, run, _ = self.position(number)
        before, answers = self.do(
            {Verb.CANCEL},
            lambda side, e: e.ledger.cancel(
                self.worlds[side].id_of(document, run),
                self.clock.now(),
                org_id=self.world.documents[document].org_id,
            ),
        )
        ended = before.documents[document].runs[run].state in RUN_ENDS
        require(
            (answers[0] == REFUSED) == ended,
            "cancel of an ended run was accepted, or of an active run refused",
        )
        if not ended:
            self.expected.lose_run(document, run)
        self.check({Verb.CANCEL}, before)

    def retry(self, number: int) -> None:
        position = self.position(number)
        before, answers = self.do(
            {Verb.RETRY},
            lambda side, e: e.ledger.retry(
                self.worlds[side].id_of(*position),
                self.clock.now(),
                org_id=self.world.documents[position[0]].org_id,
            ),
        )
        allowed = bool(next_job_states(before.job(position).status, Verb.RETRY))
        require((answers[0] != REFUSED) == allowed, "retry does not follow the transition table")
        self.check({Verb.RETRY}, before)

    # Actions of workers.

    def select_before_claiming(self, worker: str) -> None:
        """Let a broken ledger select runs before its claim; the intact one does both in one transaction."""
        for engine in self.engines:
            select_startable_runs = getattr(engine.ledger, "select_startable_runs", None)
            if select_startable_runs is not None:
                self.runner.run(select_startable_runs())

    def claim(self, worker: str, limit: int) -> None:
        due = claimable(self.world, self.clock.now())
        before, answers = self.do(
            {Verb.CLAIM},
            lambda _, e: e.ledger.claim(ClaimRequest(worker, limit, LEASE), self.clock.now()),
        )
        claims = [
            [(self.worlds[side].position_of(job.lease.job_id), _claim_fields(job)) for job in jobs]
            for side, jobs in enumerate(answers)
        ]
        require(all(claim == claims[0] for claim in claims), "I12: the engines returned different jobs")
        for number, (position, _) in enumerate(claims[0]):
            leases = tuple(jobs[number].lease for jobs in answers)
            require(position in due or not self.check_order, "a job was claimed that is not due")
            self._grant(position, worker, leases, before)
        given = len(claims[0])
        require(
            given == min(limit, len(due)) or not self.check_order,
            f"{len(due)} were due, {given} of {limit} claimed",
        )
        self.check({Verb.CLAIM}, before)

    def settle(self, settlements: list[tuple[int, Verb, bool]]) -> None:
        items = [(self.pick(number), verb, flag) for number, verb, flag in settlements]
        verbs = {verb for _, verb, _ in items}

        async def action(side: int, engine: EngineUnderTest) -> list[Settled | LeaseLost]:
            batch = [self._settlement(holder.leases[side], verb, flag) for holder, verb, flag in items]
            return await engine.ledger.settle(batch, self.clock.now(), lease_seconds=LEASE)

        before, answers = self.do(verbs, action)
        accepted = False
        for number, (holder, verb, flag) in enumerate(items):
            replies = [reply[number] for reply in answers]
            newer = any(
                other.position == holder.position and other.epoch > holder.epoch for other, _, _ in items
            )
            if holder.entitled and not newer:
                accepted = True
                self._accept(holder, verb, flag, replies, before)
            else:
                self._settle_twice(holder, verb, replies)
        if not accepted:
            self.unchanged(before, "I2: an old epoch settled something")
        self.check(verbs, before)

    def _accept(
        self, holder: Holder, verb: Verb, keep: bool, replies: list[Settled | LeaseLost], before: World
    ) -> None:
        settled = [reply for reply in replies if isinstance(reply, Settled)]
        require(len(settled) == len(replies), f"I4: {verb} of a valid holder was refused")
        status = JobStatus(settled[0].status)
        require(status in next_job_states(JobStatus.PROCESSING, verb), f"{verb} led to {status}")
        holder.entitled, holder.settled_by = False, verb
        if verb is Verb.ADVANCE and keep:
            kept = tuple(reply.next for reply in settled if reply.next is not None)
            require(len(kept) == len(replies), "an advance with keep returned no lease")
            self._grant(self.worlds[0].position_of(kept[0].job_id), holder.worker, kept, before)

    def _settle_twice(self, holder: Holder, verb: Verb, replies: list[Settled | LeaseLost]) -> None:
        job = self.world.job(holder.position)
        sent_before = holder.settled_by is not None and job.epoch == holder.epoch
        if sent_before and job.status in next_job_states(JobStatus.PROCESSING, verb):
            known = all(isinstance(reply, Settled) and reply.status == job.status for reply in replies)
            require(known, f"a settlement sent again by {verb} was not recognised")
        else:
            lost = all(isinstance(reply, LeaseLost) for reply in replies)
            require(lost, f"I2: {verb} with an old epoch was acknowledged")

    def heartbeat(self, numbers: list[int]) -> None:
        holders = [self.pick(number) for number in numbers]

        async def action(side: int, engine: EngineUnderTest) -> set[tuple[Position, int]]:
            leases = [holder.leases[side] for holder in holders]
            kept = engine.ledger.heartbeat(leases, LEASE, self.clock.now())
            return {
                (h.position, h.epoch)
                for h, lease in zip(holders, leases, strict=True)
                if lease.job_id in kept
            }

        before, answers = self.do({Verb.HEARTBEAT}, action)
        valid = {(holder.position, holder.epoch) for holder in holders if holder.entitled}
        jobs = {position for position, _ in valid}
        for answer in answers:
            require(
                {position for position, _ in answer} == jobs, "I2, I4: a heartbeat renewed the wrong leases"
            )
        for holder in holders:
            if holder.entitled:
                holder.until = self.clock.now() + timedelta(seconds=LEASE)
        if not valid:
            self.unchanged(before, "I2: an old epoch renewed a lease")
        self.check({Verb.HEARTBEAT}, before)

    def progress(self, number: int, done: int) -> None:
        holder = self.pick(number)
        self._write_with_lease(
            holder,
            {Verb.PROGRESS},
            lambda side, e: e.ledger.progress(
                holder.leases[side], Progress(done, 9, ProgressUnit.PAGE), self.clock.now()
            ),
        )

    # Actions of the clock.

    def advance_time(self, seconds: float, sweep: bool) -> None:
        self.clock.advance(seconds)
        if sweep:
            self._sweep()

    def _sweep(self) -> None:
        verbs = {Verb.RESCUE, Verb.TIME_OUT}
        now = self.clock.now()
        before, answers = self.do(verbs, lambda _, e: e.ledger.sweep(now))
        require(all(answer == answers[0] for answer in answers), "I12: the engines swept differently")
        self.expected.lose_expired(before, now)
        for position, job in self.world.jobs().items():
            late = job.lease_until is not None and job.lease_until < now
            require(not late, "I3: a job with an expired lease was not rescued")
            deadline = self.world.run(position).deadline_at
            if self.world.run(position).state is RunState.RUNNING and deadline is not None:
                require(deadline >= now, "a run past its deadline is RUNNING")
        self.check(verbs, before)

    def recover(self, resume: bool) -> None:
        before, answers = self.do(
            {Verb.RECOVER}, lambda _, e: e.ledger.recover(self.clock.now(), resume_runs=resume)
        )
        require(all(answer == answers[0] for answer in answers), "I12: the engines recovered differently")
        self.expected.lose_all()
        running = [run for document in self.world.documents for run in document.runs]
        require(all(run.state is not RunState.RUNNING for run in running), "I3: an orphan was left RUNNING")
        self.check({Verb.RECOVER}, before)

    def _write_with_lease(
        self,
        holder: Holder,
        verbs: set[Verb],
        action: Callable[[int, EngineUnderTest], Awaitable[Any]],
    ) -> None:
        """Run a verb with the holder's lease; with an invalid lease it is refused and changes nothing."""
        before, answers = self.do(verbs, action)
        require(
            (answers[0] != REFUSED) == holder.entitled, f"I2, I4: {sorted(verbs)} accepted or refused wrongly"
        )
        if not holder.entitled:
            self.unchanged(before, f"I2: {sorted(verbs)} with an old epoch changed rows")
        self.check(verbs, before)

    def _grant(self, position: Position, worker: str, leases: tuple[Lease, ...], before: World) -> None:
        require(len({lease.epoch for lease in leases}) == 1, "I12: the engines returned different epochs")
        until = self.clock.now() + timedelta(seconds=LEASE)
        self.expected.grant(Holder(position, leases[0].epoch, worker, until, leases), before)

    def _settlement(self, lease: Lease, verb: Verb, flag: bool) -> Settlement:
        now = self.clock.now()
        later = now + timedelta(seconds=20 if flag else 0)
        match verb:
            case Verb.ADVANCE:
                return Advance(lease, "chunk", 3, {"epoch": lease.epoch}, keep=flag)
            case Verb.FINISH:
                return Finish(lease, {"epoch": lease.epoch}, ("connect",) if flag else ())
            case Verb.FAIL:
                return Fail(lease, "it broke", later, crashed=lease.epoch % 3 == 0)
            case Verb.REJECT:
                return Fail(lease, "it can never work", now, final=True)
            case Verb.SUSPEND:
                return Suspended(
                    lease, later, WaitingReason.PROVIDER_OPERATION, "openai", payload={"flag": flag}
                )
            case _:
                return Release(lease)


def _claim_fields(job: ClaimedJob) -> tuple[object, ...]:
    return (
        (job.lease.epoch, job.lease.until, job.stage, job.org_id, job.follow_up),
        (job.payload, job.options, job.results, job.attempts, job.max_attempts, job.crashes, job.suspect),
    )


async def _await(awaitable: Awaitable[Any]) -> Any:
    return await awaitable
