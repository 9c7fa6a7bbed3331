"""The governor: one provider's complaint stops nobody else, costs no attempt and holds no worker."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable
from datetime import timedelta

import pytest

from tests.integration.workshop import Workshop, until
from tests.support.databases import EngineUnderTest
from towpath.clock import ManualClock
from towpath.errors import AccountRefused, Throttled
from towpath.lifecycle.pacing import Limits
from towpath.model.ids import HOME_ORG
from towpath.model.work import Done, FailureType, JobStatus, Outcome, RunState
from towpath.providers.contract import Answer, Pending
from towpath.stages.contract import Context, PaidCall, Postpone, Stage
from towpath.worker.governor import Governor, Pauses

LIMITED = {"busy": Limits(), "free": Limits()}


class Provider:
    """Complains for as long as it is told to, and counts what it is asked."""

    def __init__(self, complaint: Callable[[], Exception] | None = None) -> None:
        self.complaint = complaint
        self.asked = 0

    async def call(self) -> Answer:
        self.asked += 1
        if self.complaint is not None:
            raise self.complaint()
        return Answer(b"words")

    def stage(self, name: str) -> Stage:
        async def stage(context: Context) -> Outcome:
            await context.once(PaidCall(name, "model", {}, context.document_id), self.call)
            return Done()

        return stage


def _governor(workshop: Workshop, pauses: Pauses | None = None) -> Governor:
    return Governor(workshop.engine.ledger, workshop.clock, LIMITED, pauses)


async def test_a_busy_provider_is_left_alone_by_all_and_the_other_goes_on(workshop: Workshop) -> None:
    busy, free = Provider(lambda: Throttled("Too many requests.", 600.0)), Provider()
    stages = {"extract": busy.stage("busy"), "embed": free.stage("free")}
    first = await workshop.submit("extract")
    async with workshop.working(stages, governor=_governor(workshop)):

        async def first_waits() -> bool:
            return (await workshop.job(first)).waiting_for is not None

        await until(first_waits, "the first job to be sent away")
        others = [await workshop.submit("extract") for _ in range(5)]
        flowing = [await workshop.submit("embed") for _ in range(5)]
        for submitted in flowing:
            assert (await workshop.ended(submitted)).state is RunState.COMPLETED

        async def all_wait() -> bool:
            jobs = [await workshop.job(submitted) for submitted in (first, *others)]
            return all(job.status is JobStatus.PENDING and job.waiting_for for job in jobs)

        await until(all_wait, "everybody to be sent away")
    assert busy.asked == 1
    jobs = [await workshop.job(submitted) for submitted in (first, *others)]
    assert {job.attempts for job in jobs} == {0}
    assert {job.waiting_for for job in jobs} == {"busy: Too many requests."}
    opening = min(job.available_at for job in jobs)
    assert opening > workshop.clock.now() + timedelta(seconds=500)
    assert len({job.available_at for job in jobs}) == len(jobs), "they would all return at one moment"


async def test_calls_that_are_refused_together_are_one_complaint(workshop: Workshop) -> None:
    arrived = 0
    everybody = asyncio.Event()

    async def refused_together() -> Answer:
        nonlocal arrived
        arrived += 1
        if arrived == 6:
            everybody.set()
        await everybody.wait()
        raise Throttled("Too many requests.")

    async def stage(context: Context) -> Outcome:
        await context.once(PaidCall("busy", "model", {}, context.document_id), refused_together)
        return Done()

    waiting = [await workshop.submit("extract") for _ in range(6)]
    governor = _governor(workshop, Pauses(throttled=100.0, longest_throttled=6400.0))
    async with workshop.working({"extract": stage}, governor=governor):

        async def all_wait() -> bool:
            return all([(await workshop.job(one)).waiting_for for one in waiting])

        await until(all_wait, "everybody to be sent away")
    last = max([(await workshop.job(one)).available_at for one in waiting])
    assert last < workshop.clock.now() + timedelta(seconds=150), "each would have doubled the wait"


async def test_an_account_without_credit_parks_its_runs_until_it_is_topped_up(workshop: Workshop) -> None:
    provider = Provider(lambda: AccountRefused("No credit left. Top it up."))
    pauses = Pauses(refused=0.3)
    async with workshop.working({"extract": provider.stage("busy")}, governor=_governor(workshop, pauses)):
        submitted = await workshop.submit("extract")

        async def asked_twice() -> bool:
            return provider.asked >= 2

        await until(asked_twice, "the provider to be tried again")
        assert (await workshop.run(submitted)).state is RunState.RUNNING
        provider.complaint = None
        assert (await workshop.ended(submitted)).state is RunState.COMPLETED
    job = await workshop.job(submitted)
    assert (job.attempts, job.error_log) == (0, None)


async def test_a_person_who_topped_the_account_up_gets_all_who_wait_going_by_retrying_one(
    workshop: Workshop,
) -> None:
    provider = Provider(lambda: AccountRefused("No credit left. Top it up."))
    governors = [_governor(workshop, Pauses(refused=600.0)) for _ in range(2)]
    stages = {"extract": provider.stage("busy")}
    async with (
        workshop.working(stages, governor=governors[0]),
        workshop.working(stages, governor=governors[1]),
    ):
        waiting = [await workshop.submit("extract") for _ in range(6)]

        async def all_wait() -> bool:
            return all([(await workshop.job(one)).waiting_for for one in waiting])

        async def asked_in_vain() -> bool:
            return provider.asked > in_vain and await all_wait()

        async def retry(number: int) -> None:
            job = await workshop.job(waiting[number])
            await workshop.engine.ledger.retry(job.id, workshop.clock.now(), org_id=HOME_ORG)
            workshop.bell.ring()

        await until(all_wait, "everybody to be sent away")
        in_vain = provider.asked
        await retry(0)
        await until(asked_in_vain, "the provider to be asked once more, before its time")
        assert provider.asked == in_vain + 1
        provider.complaint = None
        await retry(3)
        for one in waiting:
            assert (await workshop.ended(one)).state is RunState.COMPLETED
    assert {(await workshop.job(one)).attempts for one in waiting} == {0}


async def test_where_runs_have_a_deadline_a_refusal_is_told_at_once(workshop: Workshop) -> None:
    provider = Provider(lambda: AccountRefused("The key is wrong."))
    governor = _governor(workshop, Pauses(refused=None))
    async with workshop.working({"extract": provider.stage("busy")}, governor=governor):
        run = await workshop.ended(await workshop.submit("extract"))
    assert (run.state, run.failure_type) == (RunState.FAILED, FailureType.PROVIDER_REFUSED)
    assert run.error == "The key is wrong."


async def test_a_poll_that_is_throttled_is_asked_again_and_the_operation_is_not_restarted(
    workshop: Workshop,
) -> None:
    starts, polls = 0, 0

    async def start() -> str:
        nonlocal starts
        starts += 1
        return "operation"

    async def poll(_: str) -> Pending | Answer:
        nonlocal polls
        polls += 1
        if polls == 1:
            raise Throttled("Too many polls.", 0.1)
        return Answer(b"words")

    async def stage(context: Context) -> Outcome:
        await context.operation(PaidCall("busy", "model", {}, "input"), start, poll)
        return Done()

    async with workshop.working({"extract": stage}, governor=_governor(workshop)):
        submitted = await workshop.submit("extract")
        assert (await workshop.ended(submitted)).state is RunState.COMPLETED
    assert (starts, polls, (await workshop.job(submitted)).attempts) == (1, 2, 0)


# Several workers on one clock that the test owns: how they share what may be asked.


class Crowd:
    """So many governors, each that of one worker process."""

    def __init__(self, engine: EngineUnderTest, clock: ManualClock, limits: Limits, size: int) -> None:
        self.clock = clock
        self.members = [Governor(engine.open(), clock, {"busy": limits}) for _ in range(size)]
        self.passed = Counter[int]()

    async def ask(self, member: int, tokens: int = 0) -> bool:
        try:
            await self.members[member].admit("busy", requests=1, tokens=tokens)
        except Postpone:
            return False
        self.passed[member] += 1
        return True

    async def leave(self, member: int) -> None:
        async with self.members[member].watching("busy"):
            pass


@pytest.fixture
def owned(clock: ManualClock, engine: EngineUnderTest) -> tuple[EngineUnderTest, ManualClock]:
    return engine, clock


async def test_requests_a_minute_are_shared_and_used_up(owned: tuple[EngineUnderTest, ManualClock]) -> None:
    engine, clock = owned
    crowd = Crowd(engine, clock, Limits(requests_per_minute=120), 3)
    for _ in range(60 * 4):
        for member in range(3):
            if await crowd.ask(member):
                await crowd.leave(member)
        clock.advance(0.25)
    assert 100 <= crowd.passed.total() <= 120 + 6
    assert min(crowd.passed.values()) >= 30


async def test_tokens_a_minute_hold_for_requests_of_any_size(
    owned: tuple[EngineUnderTest, ManualClock],
) -> None:
    engine, clock = owned
    crowd = Crowd(engine, clock, Limits(tokens_per_minute=60_000), 2)
    for _ in range(120 * 2):
        for member in range(2):
            if await crowd.ask(member, tokens=9_000):
                await crowd.leave(member)
        clock.advance(0.5)
    assert 100_000 <= crowd.passed.total() * 9_000 <= 120_000 + 2 * 9_000


async def test_together_no_more_calls_are_under_way_than_may_be(
    owned: tuple[EngineUnderTest, ManualClock],
) -> None:
    engine, clock = owned
    crowd = Crowd(engine, clock, Limits(concurrency=4), 3)
    # All come, and wait until each has seen the others
    for member in range(3):
        if await crowd.ask(member):
            await crowd.leave(member)
    clock.advance(3)
    under_way = [member for _ in range(5) for member in range(3) if await crowd.ask(member)]
    assert len(under_way) == 4
    # One that leaves gives its share to those who stay
    for member in under_way:
        await crowd.leave(member)
    await crowd.members[2].close()
    clock.advance(3)
    assert len([member for _ in range(5) for member in range(2) if await crowd.ask(member)]) == 4


async def test_a_gate_closed_by_one_worker_is_closed_for_the_others_within_a_second(
    owned: tuple[EngineUnderTest, ManualClock],
) -> None:
    engine, clock = owned
    crowd = Crowd(engine, clock, Limits(), 2)
    assert await crowd.ask(0)
    assert await crowd.ask(1)
    with pytest.raises(Postpone, match="slow down"):
        async with crowd.members[0].watching("busy"):
            raise Throttled("slow down", 60.0)
    clock.advance(1)
    assert not await crowd.ask(1)
    clock.advance(60)
    assert await crowd.ask(1)


async def test_without_a_wish_of_the_provider_the_pauses_grow_until_it_answers(
    owned: tuple[EngineUnderTest, ManualClock],
) -> None:
    engine, clock = owned
    governor = Governor(engine.ledger, clock, LIMITED, Pauses(throttled=10.0, longest_throttled=30.0))
    waits: list[float] = []
    for _ in range(4):
        await governor.admit("busy", requests=1)
        with pytest.raises(Postpone) as sent_away:
            async with governor.watching("busy"):
                raise Throttled("later")
        waits.append(round((sent_away.value.suspend.until - clock.now()).total_seconds()))
        clock.advance(waits[-1] + 1)
    assert waits == [10, 20, 30, 30]


async def test_calls_that_fail_together_close_the_gate_once(workshop: Workshop) -> None:
    provider = Provider(lambda: Throttled("Too many requests.", 600.0))
    governor = _governor(workshop)
    ledger = workshop.engine.ledger
    closings = 0
    close_gate = ledger.close_gate

    async def counted(*arguments: object) -> None:
        nonlocal closings
        closings += 1
        await close_gate(*arguments)  # pyright: ignore[reportArgumentType]  (handed on as they came)

    ledger.close_gate = counted  # pyright: ignore[reportAttributeAccessIssue]
    for _ in range(4):
        await governor.admit("busy", requests=1)

    async def complain() -> None:
        async with governor.watching("busy"):
            await provider.call()

    ended = await asyncio.gather(*(complain() for _ in range(4)), return_exceptions=True)
    assert [type(one) for one in ended] == [Postpone] * 4
    assert closings == 1
