"""The pay-once memory as stages use it: an answered call is never made again, a started one is polled."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from sqlalchemy import Row, select

from tests.integration.workshop import Workshop, until
from towpath.errors import Ambiguous, Rejected, Throttled, Transient
from towpath.ledger.contract import Plan
from towpath.ledger.tables import provider_calls
from towpath.model.work import Done, FailureType, Job, Outcome, RunState
from towpath.providers.contract import Answer, Pending
from towpath.stages.contract import Context, PaidCall, Stage
from towpath.worker.memory import INLINE_BYTES

CALL = PaidCall("emulator", "small", {"language": "en"}, "the same input")


class Provider:
    """Counts what it is asked, and does as each test wants."""

    def __init__(
        self, answer: Callable[[int], Answer] = lambda _: Answer(b"words", {"pages": 2}, 0.02)
    ) -> None:
        self.calls = 0
        self.polls = 0
        self._answer = answer

    async def call(self) -> Answer:
        self.calls += 1
        return self._answer(self.calls)

    async def start(self) -> str:
        self.calls += 1
        return f"operation {self.calls}"

    def once(self, call: PaidCall = CALL) -> Stage:
        async def stage(context: Context) -> Outcome:
            answer = await context.once(call, self.call)
            return Done({"answer": answer.body.decode(), "cost": answer.cost})

        return stage


def _calls(workshop: Workshop) -> list[Row[Any]]:
    return workshop.engine.database.transact(
        lambda tx: list(tx.connection.execute(select(provider_calls)).all()), read=True
    )


def _answer(job: Job) -> object:
    return (job.result or {}).get("answer")


async def test_the_same_content_in_another_document_is_not_paid_for_again(workshop: Workshop) -> None:
    provider = Provider()
    async with workshop.working({"extract": provider.once()}):
        for _ in range(3):
            submitted = await workshop.submit("extract")
            await workshop.ended(submitted)
            assert _answer(await workshop.job(submitted)) == "words"
    [row] = _calls(workshop)
    assert provider.calls == 1
    assert (row.status, row.reused, row.reopened, row.cost) == ("ANSWERED", 2, 0, 0.02)


async def test_a_jobs_result_tells_what_it_paid_for_and_what_it_remembered(workshop: Workshop) -> None:
    provider = Provider()
    async with workshop.working({"extract": provider.once()}):
        results = [(await _worked(workshop)).result or {} for _ in range(2)]
    assert results[0]["calls"] == {"made": 1, "reused": 0, "cost": 0.02}
    assert results[1]["calls"] == {"made": 0, "reused": 1, "cost": 0.0}


async def _worked(workshop: Workshop) -> Job:
    submitted = await workshop.submit("extract")
    await workshop.ended(submitted)
    return await workshop.job(submitted)


async def test_another_parameter_is_another_call(workshop: Workshop) -> None:
    provider = Provider()
    german = PaidCall("emulator", "small", {"language": "de"}, "the same input")
    async with workshop.working({"extract": provider.once(), "chunk": provider.once(german)}):
        await workshop.ended(await workshop.submit("extract", "chunk"))
    assert provider.calls == 2


async def test_a_large_answer_is_kept_as_an_artifact_and_recalled_from_there(workshop: Workshop) -> None:
    body = b"x" * (INLINE_BYTES + 1)
    provider = Provider(lambda _: Answer(body))
    async with workshop.working({"extract": provider.once()}):
        await workshop.ended(await workshop.submit("extract"))
        again = await workshop.submit("extract")
        await workshop.ended(again)
    [row] = _calls(workshop)
    assert row.answer is None
    assert list(workshop.shelf.bodies.values()) == [body]
    assert provider.calls == 1
    assert _answer(await workshop.job(again)) == body.decode()


@pytest.mark.parametrize(
    ("error", "reopened"),
    [(Transient("busy"), 0), (Throttled("slow down", 0.01), 0), (Ambiguous("the line went dead"), 1)],
    ids=["transient", "throttled", "ambiguous"],
)
async def test_a_call_without_an_answer_is_made_again_and_counted_where_it_may_have_been_paid(
    workshop: Workshop, error: Exception, reopened: int
) -> None:
    def answer(times: int) -> Answer:
        if times == 1:
            raise error
        return Answer(b"words")

    provider = Provider(answer)
    submitted = await workshop.submit("extract")
    async with workshop.working({"extract": provider.once()}):
        assert (await workshop.ended(submitted)).state is RunState.COMPLETED
    [row] = _calls(workshop)
    assert provider.calls == 2
    assert (row.status, row.reopened) == ("ANSWERED", reopened)


async def test_two_that_want_the_same_call_at_once_one_makes_it_the_other_waits(workshop: Workshop) -> None:
    gate = asyncio.Event()
    made = 0

    async def call() -> Answer:
        nonlocal made
        made += 1
        await gate.wait()
        return Answer(b"words")

    async def stage(context: Context) -> Outcome:
        return Done({"answer": (await context.once(CALL, call)).body.decode()})

    first, second = await workshop.submit("extract"), await workshop.submit("extract")
    async with workshop.working({"extract": stage}):

        async def waiting() -> list[Job]:
            jobs = [await workshop.job(one) for one in (first, second)]
            return [job for job in jobs if job.waiting_for]

        [job] = await until(waiting, "one of them to wait")
        assert job.waiting_for == "another job that is making the same call to emulator"
        gate.set()
        for one in (first, second):
            await workshop.ended(one)
            done = await workshop.job(one)
            assert _answer(done) == "words"
            assert done.attempts == 0
    assert made == 1


class TestOperations:
    def _stage(self, provider: Provider, poll: Callable[[str], Pending | Answer]) -> Stage:
        async def ask(operation: str) -> Pending | Answer:
            provider.polls += 1
            return poll(operation)

        async def stage(context: Context) -> Outcome:
            answer = await context.operation(CALL, provider.start, ask)
            return Done({"answer": answer.body.decode()})

        return stage

    async def test_is_started_once_and_polled_without_a_waiting_worker(self, workshop: Workshop) -> None:
        provider = Provider()

        def poll(operation: str) -> Pending | Answer:
            return Pending(0.01) if provider.polls < 4 else Answer(operation.encode())

        submitted = await workshop.submit("extract")
        async with workshop.working({"extract": self._stage(provider, poll)}):
            await workshop.ended(submitted)
        job = await workshop.job(submitted)
        assert (provider.calls, provider.polls) == (1, 4)
        assert _answer(job) == "operation 1"
        assert (job.attempts, job.lease_epoch) == (0, 4)
        assert job.payload["polls"] == 3

    async def test_one_that_never_ends_is_given_up_and_started_anew(self, workshop: Workshop) -> None:
        provider = Provider()

        def poll(operation: str) -> Pending | Answer:
            return Pending(0.01) if operation == "operation 1" else Answer(operation.encode())

        # Given a job that has asked for its operation since yesterday
        asking = {"operation": "operation 1", "since": "2026-01-01T00:00:00+00:00"}
        plan = Plan("document", 1, (), payload={"asking": asking})
        submitted = await workshop.submit("extract", plan=plan)
        async with workshop.working({"extract": self._stage(provider, poll)}):
            await workshop.ended(submitted)
        job = await workshop.job(submitted)
        assert (_answer(job), job.attempts) == ("operation 2", 1)
        assert "has not finished the operation" in (job.error_log or "")

    async def test_a_poll_that_fails_is_asked_again_and_starts_nothing(self, workshop: Workshop) -> None:
        provider = Provider()

        def poll(operation: str) -> Pending | Answer:
            if provider.polls == 1:
                raise Transient("no connection")
            return Answer(operation.encode())

        submitted = await workshop.submit("extract")
        async with workshop.working({"extract": self._stage(provider, poll)}):
            await workshop.ended(submitted)
        assert (provider.calls, provider.polls) == (1, 2)
        assert (await workshop.job(submitted)).attempts == 1

    async def test_an_operation_that_ends_in_a_rejection_ends_the_run(self, workshop: Workshop) -> None:
        provider = Provider()

        def poll(_operation: str) -> Pending | Answer:
            raise Rejected("corrupt", "The provider could not read this file.")

        submitted = await workshop.submit("extract", plan=Plan("document", 1, ()))
        async with workshop.working({"extract": self._stage(provider, poll)}):
            run = await workshop.ended(submitted)
        assert run.failure_type is FailureType.REJECTED
        [row] = _calls(workshop)
        assert (row.status, row.error) == ("FAILED", "The provider could not read this file.")
