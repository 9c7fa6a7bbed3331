"""The provider call cache: an answered call is not repeated, a started operation is polled."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from sqlalchemy import Row, select

from tests.integration.worker_harness import WorkerHarness
from tests.support.timeouts import async_wait_until
from towpath.errors import Ambiguous, Rejected, Throttled, Transient
from towpath.ledger.contract.ledger import RunPlan
from towpath.ledger.tables import provider_calls
from towpath.model.job import Job, WaitingReason
from towpath.model.outcome import Done, Outcome
from towpath.model.provider_answer import Answer, Pending
from towpath.model.run import FailureType, RunState
from towpath.stages.contract import Context, ProviderCall, Stage
from towpath.worker.provider_calls import INLINE_BYTES

CALL = ProviderCall("emulator", "small", {"language": "en"}, "the same input")


class Provider:
    """A provider that counts its calls and behaves as the test sets it up."""

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

    def once(self, call: ProviderCall = CALL) -> Stage:
        async def stage(context: Context) -> Outcome:
            answer = await context.call_once(call, self.call)
            return Done({"answer": answer.body.decode(), "cost": answer.cost})

        return stage


def _calls(harness: WorkerHarness) -> list[Row[Any]]:
    return harness.engine.database.transact(
        lambda tx: list(tx.connection.execute(select(provider_calls)).all()), read=True
    )


def _answer(job: Job) -> object:
    return (job.result or {}).get("answer")


async def test_the_same_content_in_another_document_is_not_paid_for_again(harness: WorkerHarness) -> None:
    provider = Provider()
    async with harness.run_worker({"extract": provider.once()}):
        for _ in range(3):
            submitted = await harness.submit("extract")
            await harness.wait_until_ended(submitted)
            assert _answer(await harness.job(submitted)) == "words"
    [row] = _calls(harness)
    assert provider.calls == 1
    assert (row.status, row.reused, row.repeated, row.cost) == ("ANSWERED", 2, 0, 0.02)


async def test_the_result_of_a_job_counts_calls_made_and_cached_answers(harness: WorkerHarness) -> None:
    provider = Provider()
    async with harness.run_worker({"extract": provider.once()}):
        results = [(await _process(harness)).result or {} for _ in range(2)]
    assert results[0]["calls"] == {"made": 1, "reused": 0, "cost": 0.02}
    assert results[1]["calls"] == {"made": 0, "reused": 1, "cost": 0.0}


async def _process(harness: WorkerHarness) -> Job:
    submitted = await harness.submit("extract")
    await harness.wait_until_ended(submitted)
    return await harness.job(submitted)


async def test_another_parameter_is_another_call(harness: WorkerHarness) -> None:
    provider = Provider()
    german = ProviderCall("emulator", "small", {"language": "de"}, "the same input")
    async with harness.run_worker({"extract": provider.once(), "chunk": provider.once(german)}):
        await harness.wait_until_ended(await harness.submit("extract", "chunk"))
    assert provider.calls == 2


async def test_a_large_answer_is_stored_as_a_blob_and_read_from_there(harness: WorkerHarness) -> None:
    body = b"x" * (INLINE_BYTES + 1)
    provider = Provider(lambda _: Answer(body))
    async with harness.run_worker({"extract": provider.once()}):
        await harness.wait_until_ended(await harness.submit("extract"))
        again = await harness.submit("extract")
        await harness.wait_until_ended(again)
    [row] = _calls(harness)
    assert row.answer is None
    assert list(harness.artifacts.bodies.values()) == [body]
    assert provider.calls == 1
    assert _answer(await harness.job(again)) == body.decode()


@pytest.mark.parametrize(
    ("error", "repeated"),
    [(Transient("busy"), 0), (Throttled("slow down", 0.01), 0), (Ambiguous("the connection broke"), 1)],
    ids=["transient", "throttled", "ambiguous"],
)
async def test_a_call_without_an_answer_is_repeated_and_counted_if_it_may_have_been_paid(
    harness: WorkerHarness, error: Exception, repeated: int
) -> None:
    def answer(times: int) -> Answer:
        if times == 1:
            raise error
        return Answer(b"words")

    provider = Provider(answer)
    submitted = await harness.submit("extract")
    async with harness.run_worker({"extract": provider.once()}):
        assert (await harness.wait_until_ended(submitted)).state is RunState.COMPLETED
    [row] = _calls(harness)
    assert provider.calls == 2
    assert (row.status, row.repeated) == ("ANSWERED", repeated)


async def test_of_two_equal_calls_at_once_one_is_made_and_the_other_waits(
    harness: WorkerHarness,
) -> None:
    release = asyncio.Event()
    made = 0

    async def call() -> Answer:
        nonlocal made
        made += 1
        await release.wait()
        return Answer(b"words")

    async def stage(context: Context) -> Outcome:
        return Done({"answer": (await context.call_once(CALL, call)).body.decode()})

    first, second = await harness.submit("extract"), await harness.submit("extract")
    async with harness.run_worker({"extract": stage}):

        async def waiting() -> list[Job]:
            jobs = [await harness.job(one) for one in (first, second)]
            return [job for job in jobs if job.waiting_reason]

        [job] = await async_wait_until(waiting, "one of them to wait")
        assert (job.waiting_reason, job.waiting_provider) == (WaitingReason.SAME_CALL_ELSEWHERE, "emulator")
        release.set()
        for one in (first, second):
            await harness.wait_until_ended(one)
            done = await harness.job(one)
            assert _answer(done) == "words"
            assert done.attempts == 0
    assert made == 1


class TestOperations:
    def _stage(self, provider: Provider, poll: Callable[[str], Pending | Answer]) -> Stage:
        async def poll_once(operation: str) -> Pending | Answer:
            provider.polls += 1
            return poll(operation)

        async def stage(context: Context) -> Outcome:
            answer = await context.run_operation(CALL, provider.start, poll_once)
            return Done({"answer": answer.body.decode()})

        return stage

    async def test_an_operation_is_started_once_and_polled_without_holding_a_slot(
        self, harness: WorkerHarness
    ) -> None:
        provider = Provider()

        def poll(operation: str) -> Pending | Answer:
            return Pending(0.01) if provider.polls < 4 else Answer(operation.encode())

        submitted = await harness.submit("extract")
        async with harness.run_worker({"extract": self._stage(provider, poll)}):
            await harness.wait_until_ended(submitted)
        job = await harness.job(submitted)
        assert (provider.calls, provider.polls) == (1, 4)
        assert _answer(job) == "operation 1"
        assert (job.attempts, job.lease_epoch) == (0, 4)
        assert job.payload["polls"] == 3

    async def test_an_operation_that_never_ends_is_given_up_and_started_again(
        self, harness: WorkerHarness
    ) -> None:
        provider = Provider()

        def poll(operation: str) -> Pending | Answer:
            return Pending(0.01) if operation == "operation 1" else Answer(operation.encode())

        # Given a job that has polled its operation since yesterday
        asking = {"operation": "operation 1", "since": "2026-01-01T00:00:00+00:00"}
        plan = RunPlan("document", 1, (), payload={"asking": asking})
        submitted = await harness.submit("extract", plan=plan)
        async with harness.run_worker({"extract": self._stage(provider, poll)}):
            await harness.wait_until_ended(submitted)
        job = await harness.job(submitted)
        assert (_answer(job), job.attempts) == ("operation 2", 1)
        assert "has not finished the operation" in (job.error_log or "")

    async def test_a_failed_poll_is_repeated_and_starts_nothing(self, harness: WorkerHarness) -> None:
        provider = Provider()

        def poll(operation: str) -> Pending | Answer:
            if provider.polls == 1:
                raise Transient("no connection")
            return Answer(operation.encode())

        submitted = await harness.submit("extract")
        async with harness.run_worker({"extract": self._stage(provider, poll)}):
            await harness.wait_until_ended(submitted)
        assert (provider.calls, provider.polls) == (1, 2)
        assert (await harness.job(submitted)).attempts == 1

    async def test_an_operation_that_ends_in_a_rejection_ends_the_run(self, harness: WorkerHarness) -> None:
        provider = Provider()

        def poll(_operation: str) -> Pending | Answer:
            raise Rejected("corrupt", "The provider could not read this file.")

        submitted = await harness.submit("extract", plan=RunPlan("document", 1, ()))
        async with harness.run_worker({"extract": self._stage(provider, poll)}):
            run = await harness.wait_until_ended(submitted)
        assert run.failure_type is FailureType.REJECTED
        [row] = _calls(harness)
        assert (row.status, row.error) == ("FAILED", "The provider could not read this file.")
