"""What the machine can do: workers, sleepers, people and time, on one or two engines, each act checked."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import Any

from tests.contract.machine_rules import Holder, Memory, claimable, demand, judge, judge_one_running
from tests.contract.machine_world import Place, World, look
from tests.support.databases import EngineUnderTest
from tests.support.factories import a_plan, a_submission, add_organizations, organization_id
from towpath.clock import ManualClock
from towpath.errors import IllegalMove, LeaseLost
from towpath.ledger.contract import (
    Advance,
    Fail,
    Finish,
    Release,
    Settled,
    Settlement,
    Suspended,
)
from towpath.lifecycle.moves import RUN_ENDS, Verb, job_may
from towpath.model.work import Claimed, JobStatus, Lease, RunState

LEASE = 30.0
ORGANIZATIONS = (organization_id(1), organization_id(2))
REFUSED = "refused"

#: Whom to pick: one who holds a lease, or one whose job somebody else holds now.
LIVING, SLEEPER = 0, 9

OpenEngines = Callable[[], contextlib.AbstractContextManager[list[EngineUnderTest]]]


class Work:
    """One fresh ledger on each engine, and everything that happens to them."""

    def __init__(self, open_engines: OpenEngines, *, turns: bool = True) -> None:
        #: Whether it matters whose turn it is; not for a ledger whose turns are broken on purpose.
        self.turns = turns
        self.stack = contextlib.ExitStack()
        self.engines = self.stack.enter_context(open_engines())
        self.runner = self.stack.enter_context(asyncio.Runner())
        self.clock = ManualClock()
        self.memory = Memory()
        self.worlds: list[World] = [World() for _ in self.engines]

    def close(self) -> None:
        self.stack.close()

    @property
    def world(self) -> World:
        return self.worlds[0]

    def do(
        self, verbs: set[Verb], act: Callable[[int, EngineUnderTest], Awaitable[Any]]
    ) -> tuple[World, list[Any]]:
        """The same on every engine; all must end in the same world. Gives the world before, and answers."""
        before = self.world
        answers: list[Any] = []
        for number, engine in enumerate(self.engines):
            try:
                answers.append(self.runner.run(_await(act(number, engine))))
            except (LeaseLost, IllegalMove):
                answers.append(REFUSED)
        self.worlds = [look(engine) for engine in self.engines]
        for engine, world in zip(self.engines, self.worlds, strict=True):
            judge_one_running(world)
            demand(world == self.worlds[0], f"I12: {engine.name} differs after {sorted(verbs)}")
        refusals = {answer == REFUSED for answer in answers}
        demand(len(refusals) == 1, f"I12: one engine refused {sorted(verbs)} and the other did not")
        return before, answers

    def judge(self, verbs: set[Verb], before: World) -> None:
        judge(verbs, before, self.world, self.memory, turns=self.turns)

    def unchanged(self, before: World, rule: str) -> None:
        demand(self.world == before, rule)

    def pick(self, number: int) -> Holder:
        """LIVING or SLEEPER: the newest such, if there is one. Else counted back from the newest of all."""
        living = list(self.memory.entitled())
        if number == LIVING and living:
            return living[-1]
        held = {holder.place for holder in living}
        sleepers = [h for h in self.memory.holders if not h.entitled and h.place in held]
        if number == SLEEPER and sleepers:
            return sleepers[-1]
        return self.memory.holders[-1 - number % len(self.memory.holders)]

    def place(self, number: int) -> Place:
        places = sorted(self.world.jobs())
        return places[-1 - number % len(places)]

    def start(self, attempts: int, deadline: float | None) -> None:
        """Two organizations with a document each, a second run that waits, and a worker at work."""
        for engine in self.engines:
            add_organizations(engine.database, *ORGANIZATIONS)
        for number, org in enumerate(ORGANIZATIONS):
            self.submit(number, org, attempts, deadline)
        self.reprocess(0, attempts)
        self.claim("anna", 1)

    # What people do.

    def submit(self, content: int, org: str, attempts: int, deadline: float | None) -> None:
        plan = a_plan(max_attempts=attempts, deadline_seconds=deadline, options={"language": "de"})
        submission = a_submission(f"content {content}", org_id=org, plan=plan)
        before, _ = self.do({Verb.SUBMIT}, lambda _, e: e.ledger.submit(submission, self.clock.now()))
        self.judge({Verb.SUBMIT}, before)

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
        self.judge({Verb.SUBMIT}, before)

    def cancel(self, number: int) -> None:
        document, run, _ = self.place(number)
        before, answers = self.do(
            {Verb.CANCEL},
            lambda side, e: e.ledger.cancel(
                self.worlds[side].id_of(document, run),
                self.clock.now(),
                org_id=self.world.documents[document].org_id,
            ),
        )
        over = before.documents[document].runs[run].state in RUN_ENDS
        demand((answers[0] == REFUSED) == over, "a run was cancelled after its end, or not before it")
        if not over:
            self.memory.lose_run(document, run)
        self.judge({Verb.CANCEL}, before)

    def retry(self, number: int) -> None:
        place = self.place(number)
        before, answers = self.do(
            {Verb.RETRY},
            lambda side, e: e.ledger.retry(
                self.worlds[side].id_of(*place),
                self.clock.now(),
                org_id=self.world.documents[place[0]].org_id,
            ),
        )
        allowed = bool(job_may(before.job(place).status, Verb.RETRY))
        demand((answers[0] != REFUSED) == allowed, "a retry was refused, or allowed, against the table")
        self.judge({Verb.RETRY}, before)

    # What workers do.

    def look_before_claiming(self, worker: str) -> None:
        """A sound ledger looks and takes in one transaction; a careless one may look now and take later."""
        for engine in self.engines:
            look_first = getattr(engine.ledger, "look", None)
            if look_first is not None:
                self.runner.run(look_first(worker, self.clock.now()))

    def claim(self, worker: str, limit: int) -> None:
        due = claimable(self.world, self.clock.now())
        before, answers = self.do(
            {Verb.CLAIM},
            lambda _, e: e.ledger.claim(worker, limit=limit, lease_seconds=LEASE, now=self.clock.now()),
        )
        told = [
            [(self.worlds[side].place_of(job.lease.job_id), _told(job)) for job in jobs]
            for side, jobs in enumerate(answers)
        ]
        demand(all(one == told[0] for one in told), "I12: the engines gave different jobs")
        for number, (place, _) in enumerate(told[0]):
            leases = tuple(jobs[number].lease for jobs in answers)
            demand(place in due or not self.turns, "a job was given that nobody may have now")
            self._give(place, worker, leases, before)
        given = len(told[0])
        demand(
            given == min(limit, len(due)) or not self.turns, f"{len(due)} were due, {given} of {limit} given"
        )
        self.judge({Verb.CLAIM}, before)

    def settle(self, said: list[tuple[int, Verb, bool]]) -> None:
        items = [(self.pick(number), verb, flag) for number, verb, flag in said]
        verbs = {verb for _, verb, _ in items}

        async def act(side: int, engine: EngineUnderTest) -> list[Settled | LeaseLost]:
            batch = [self._settlement(holder.leases[side], verb, flag) for holder, verb, flag in items]
            return await engine.ledger.settle(batch, self.clock.now(), lease_seconds=LEASE)

        before, answers = self.do(verbs, act)
        accepted = False
        for number, (holder, verb, flag) in enumerate(items):
            replies = [reply[number] for reply in answers]
            newer = any(other.place == holder.place and other.epoch > holder.epoch for other, _, _ in items)
            if holder.entitled and not newer:
                accepted = True
                self._accept(holder, verb, flag, replies, before)
            else:
                self._answer_again(holder, verb, replies)
        if not accepted:
            self.unchanged(before, "I2: an old epoch settled something")
        self.judge(verbs, before)

    def _accept(
        self, holder: Holder, verb: Verb, keep: bool, replies: list[Settled | LeaseLost], before: World
    ) -> None:
        settled = [reply for reply in replies if isinstance(reply, Settled)]
        demand(len(settled) == len(replies), f"I4: a holder was refused {verb}")
        status = JobStatus(settled[0].status)
        demand(status in job_may(JobStatus.PROCESSING, verb), f"{verb} led to {status}")
        holder.entitled, holder.word = False, verb
        if verb is Verb.ADVANCE and keep:
            kept = tuple(reply.next for reply in settled if reply.next is not None)
            demand(len(kept) == len(replies), "an advance that keeps gave no lease")
            self._give(self.worlds[0].place_of(kept[0].job_id), holder.worker, kept, before)

    def _answer_again(self, holder: Holder, verb: Verb, replies: list[Settled | LeaseLost]) -> None:
        job = self.world.job(holder.place)
        sent_before = holder.word is not None and job.epoch == holder.epoch
        if sent_before and job.status in job_may(JobStatus.PROCESSING, verb):
            known = all(isinstance(reply, Settled) and reply.status == job.status for reply in replies)
            demand(known, f"a settlement sent again by {verb} was not recognised")
        else:
            lost = all(isinstance(reply, LeaseLost) for reply in replies)
            demand(lost, f"I2: an old epoch was told that its {verb} is settled")

    def heartbeat(self, numbers: list[int]) -> None:
        holders = [self.pick(number) for number in numbers]

        async def act(side: int, engine: EngineUnderTest) -> set[tuple[Place, int]]:
            leases = [holder.leases[side] for holder in holders]
            kept = engine.ledger.heartbeat(leases, LEASE, self.clock.now())
            return {
                (h.place, h.epoch) for h, lease in zip(holders, leases, strict=True) if lease.job_id in kept
            }

        before, answers = self.do({Verb.HEARTBEAT}, act)
        rightful = {(holder.place, holder.epoch) for holder in holders if holder.entitled}
        jobs = {place for place, _ in rightful}
        for answer in answers:
            demand({place for place, _ in answer} == jobs, "I2, I4: a heartbeat kept what it should not")
        for holder in holders:
            if holder.entitled:
                holder.until = self.clock.now() + timedelta(seconds=LEASE)
        if not rightful:
            self.unchanged(before, "I2: an old epoch renewed a lease")
        self.judge({Verb.HEARTBEAT}, before)

    def progress(self, number: int, done: int) -> None:
        holder = self.pick(number)
        self._speak(
            holder,
            {Verb.PROGRESS},
            lambda side, e: e.ledger.progress(holder.leases[side], done, 9, self.clock.now()),
        )

    # What time does.

    def time_passes(self, seconds: float, swept: bool) -> None:
        self.clock.advance(seconds)
        if swept:
            self._sweep()

    def _sweep(self) -> None:
        verbs = {Verb.RESCUE, Verb.TIME_OUT}
        now = self.clock.now()
        before, answers = self.do(verbs, lambda _, e: e.ledger.sweep(now))
        demand(all(answer == answers[0] for answer in answers), "I12: the engines swept differently")
        self.memory.lose_expired(before, now)
        for place, job in self.world.jobs().items():
            late = job.lease_until is not None and job.lease_until < now
            demand(not late, "I3: a dead worker's job was not freed")
            deadline = self.world.run(place).deadline_at
            if self.world.run(place).state is RunState.RUNNING and deadline is not None:
                demand(deadline >= now, "a run outlived its deadline")
        self.judge(verbs, before)

    def recover(self, resume: bool) -> None:
        before, answers = self.do(
            {Verb.RECOVER}, lambda _, e: e.ledger.recover(self.clock.now(), resume_runs=resume)
        )
        demand(all(answer == answers[0] for answer in answers), "I12: the engines recovered differently")
        self.memory.lose_all()
        running = [run for document in self.world.documents for run in document.runs]
        demand(all(run.state is not RunState.RUNNING for run in running), "I3: an orphan was left RUNNING")
        self.judge({Verb.RECOVER}, before)

    def _speak(
        self,
        holder: Holder,
        verbs: set[Verb],
        act: Callable[[int, EngineUnderTest], Awaitable[Any]],
    ) -> None:
        """Something only the entitled may say; said by anyone else, it is refused and changes nothing."""
        before, answers = self.do(verbs, act)
        demand((answers[0] != REFUSED) == holder.entitled, f"I2, I4: {sorted(verbs)} by the wrong one")
        if not holder.entitled:
            self.unchanged(before, f"I2: an old epoch wrote by {sorted(verbs)}")
        self.judge(verbs, before)

    def _give(self, place: Place, worker: str, leases: tuple[Lease, ...], before: World) -> None:
        demand(len({lease.epoch for lease in leases}) == 1, "I12: the engines gave different epochs")
        until = self.clock.now() + timedelta(seconds=LEASE)
        self.memory.give(Holder(place, leases[0].epoch, worker, until, leases), before)

    def _settlement(self, lease: Lease, verb: Verb, flag: bool) -> Settlement:
        now = self.clock.now()
        later = now + timedelta(seconds=20 if flag else 0)
        match verb:
            case Verb.ADVANCE:
                return Advance(lease, "chunk", 3, {"epoch": lease.epoch}, keep=flag)
            case Verb.FINISH:
                return Finish(lease, {"epoch": lease.epoch}, ("connect",) if flag else ())
            case Verb.FAIL:
                return Fail(lease, "it broke", later)
            case Verb.REJECT:
                return Fail(lease, "it can never work", now, final=True)
            case Verb.SUSPEND:
                return Suspended(lease, later, "the provider", {"flag": flag})
            case _:
                return Release(lease)


def _told(job: Claimed) -> tuple[object, ...]:
    return (
        (job.lease.epoch, job.lease.until, job.stage, job.org_id, job.follow_up),
        (job.payload, job.options, job.known, job.attempts, job.max_attempts, job.crashes),
    )


async def _await(something: Awaitable[Any]) -> Any:
    return await something
