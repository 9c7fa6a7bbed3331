"""The worker: claims, executes and settles jobs."""

from __future__ import annotations

import asyncio
import time
from dataclasses import replace
from datetime import timedelta

import pytest
from sqlalchemy import inspect, select

from tests.integration.worker_harness import FAST_WORKER, WorkerHarness, do_nothing
from tests.support.timeouts import WAIT_SECONDS, async_wait_until
from towpath.errors import Refused, Rejected, Throttled, Transient
from towpath.ledger.contract.ledger import RunPlan
from towpath.ledger.tables import workers
from towpath.model.ids import DEFAULT_ORG_ID
from towpath.model.job import Job, JobStatus, Progress, ProgressUnit, WaitingReason
from towpath.model.json_types import Json
from towpath.model.outcome import Done, Outcome, Suspend
from towpath.model.provider_answer import Answer
from towpath.model.run import FailureType, RunState
from towpath.stages.contract import Context, ProviderCall, Stage
from towpath.worker.executor import PROGRESS_INTERVAL
from towpath.worker.provider_limiter import BackoffSettings, ProviderLimiter
from towpath.worker.sweeper import sweep_pause


async def for_ever(_context: Context) -> Outcome:
    await asyncio.Event().wait()
    return Done()


async def test_a_run_executes_its_stages_in_order_with_the_results_of_earlier_stages(
    harness: WorkerHarness,
) -> None:
    seen_results: dict[str, dict[str, Json]] = {}

    async def record(context: Context) -> Outcome:
        seen_results[context.stage] = dict(context.results)
        return Done({"from": context.stage})

    submitted = await harness.submit("extract", "chunk", "publish")
    async with harness.run_worker({"extract": record, "chunk": record, "publish": record}):
        run = await harness.wait_until_ended(submitted)
    assert run.state is RunState.COMPLETED
    assert seen_results == {
        "extract": {},
        "chunk": {"extract": {"from": "extract"}},
        "publish": {"extract": {"from": "extract"}, "chunk": {"from": "chunk"}},
    }


async def test_the_lease_is_kept_from_stage_to_stage_so_that_one_claim_is_enough(
    harness: WorkerHarness,
) -> None:
    submitted = await harness.submit("extract", "chunk", "publish")
    async with harness.run_worker(
        {"extract": do_nothing, "chunk": do_nothing, "publish": do_nothing}
    ) as worker:
        await harness.wait_until_ended(submitted)
    jobs = await harness.jobs(submitted)
    assert [(job.stage, job.lease_epoch) for job in jobs] == [("extract", 1), ("chunk", 1), ("publish", 1)]
    assert {job.locked_by for job in jobs} == {worker.name}


async def test_a_notification_in_the_same_process_wakes_an_idle_worker_at_once(
    harness: WorkerHarness,
) -> None:
    began = asyncio.Event()

    async def note(_context: Context) -> Outcome:
        began.set()
        return Done()

    slow_polls = replace(FAST_WORKER, poll_seconds=30.0, idle_seconds=30.0)
    async with harness.run_worker({"extract": note}, worker_settings=slow_polls):
        first = await harness.submit("extract")
        await harness.wait_until_ended(first)
        began.clear()
        submitted = await harness.submit("extract")
        submitted_at = time.monotonic()
        await began.wait()
        assert time.monotonic() - submitted_at < 2.0
        await harness.wait_until_ended(submitted)


async def test_at_most_the_allowed_number_of_jobs_run_at_once(harness: WorkerHarness) -> None:
    running: set[str] = set()
    max_running = 0
    release = asyncio.Event()

    async def count(context: Context) -> Outcome:
        nonlocal max_running
        running.add(context.run_id)
        max_running = max(max_running, len(running))
        await release.wait()
        running.discard(context.run_id)
        return Done()

    submitted = [await harness.submit("extract") for _ in range(12)]
    async with harness.run_worker({"extract": count}, worker_settings=replace(FAST_WORKER, concurrency=3)):

        async def full() -> bool:
            return len(running) == 3

        await async_wait_until(full, "three jobs to be worked on")
        release.set()
        for one in submitted:
            await harness.wait_until_ended(one)
    assert max_running == 3


async def test_a_worker_with_selected_stages_claims_no_other_stages(harness: WorkerHarness) -> None:
    stages = {"extract": do_nothing, "embed": do_nothing}
    submitted = await harness.submit("extract", "embed")
    other = await harness.submit("embed")
    async with harness.run_worker(stages, worker_settings=replace(FAST_WORKER, stages=("embed",))):
        await harness.wait_until_ended(other)
    assert (await harness.job(submitted)).status is JobStatus.PENDING
    async with harness.run_worker(stages):
        assert (await harness.wait_until_ended(submitted)).state is RunState.COMPLETED


async def test_a_worker_with_selected_stages_releases_the_run_before_other_stages(
    harness: WorkerHarness,
) -> None:
    executed: list[tuple[str, str]] = []

    def stages_of(name: str) -> dict[str, Stage]:
        async def note(context: Context) -> Outcome:
            executed.append((name, context.stage))
            return Done()

        return {"extract": note, "embed": note, "publish": note}

    submitted = await harness.submit("extract", "embed", "publish")
    async with harness.run_worker(
        stages_of("first"), worker_settings=replace(FAST_WORKER, stages=("extract", "embed"))
    ):

        async def given_back() -> bool:
            job = await harness.job(submitted)
            return job.stage == "publish" and job.status is JobStatus.PENDING

        await async_wait_until(given_back, "the next stage to wait for another worker")
    assert (await harness.job(submitted)).attempts == 0
    async with harness.run_worker(
        stages_of("second"), worker_settings=replace(FAST_WORKER, stages=("publish",))
    ):
        assert (await harness.wait_until_ended(submitted)).state is RunState.COMPLETED
    assert executed == [("first", "extract"), ("first", "embed"), ("second", "publish")]


class TestOutcomes:
    async def test_an_error_is_retried_and_cleared_after_success(self, harness: WorkerHarness) -> None:
        tries = 0

        async def fail_twice(_context: Context) -> Outcome:
            nonlocal tries
            tries += 1
            if tries < 3:
                raise Transient("the line was busy")
            return Done()

        submitted = await harness.submit("extract")
        async with harness.run_worker({"extract": fail_twice}):
            assert (await harness.wait_until_ended(submitted)).state is RunState.COMPLETED
        job = await harness.job(submitted)
        assert (job.attempts, job.crashes) == (2, 0)

    async def test_after_the_last_attempt_the_run_fails_with_the_error_and_its_location(
        self, harness: WorkerHarness
    ) -> None:
        async def fail(_context: Context) -> Outcome:
            raise ValueError("no such page")

        submitted = await harness.submit("extract", plan=RunPlan("document", 1, (), max_attempts=3))
        async with harness.run_worker({"extract": fail}):
            run = await harness.wait_until_ended(submitted)
        assert (run.state, run.failure_type) == (RunState.FAILED, FailureType.STAGE_FAILED)
        assert run.error is not None
        assert run.error.startswith("ValueError: no such page (fail in test_worker.py:")
        assert (await harness.job(submitted)).attempts == 3

    async def test_a_rejected_input_fails_without_a_retry(self, harness: WorkerHarness) -> None:
        async def read(_context: Context) -> Outcome:
            raise Rejected("encrypted", "This file is locked with a password.")

        submitted = await harness.submit("extract")
        async with harness.run_worker({"extract": read}):
            run = await harness.wait_until_ended(submitted)
        assert (run.failure_type, run.error) == (
            FailureType.REJECTED,
            "This file is locked with a password.",
        )
        assert (await harness.job(submitted)).attempts == 1

    async def test_a_refusal_of_the_provider_fails_without_a_retry(self, harness: WorkerHarness) -> None:
        async def call_provider(_context: Context) -> Outcome:
            raise Refused("The key is not valid any more.")

        submitted = await harness.submit("extract")
        async with harness.run_worker({"extract": call_provider}):
            assert (await harness.wait_until_ended(submitted)).failure_type is FailureType.PROVIDER_REFUSED

    @pytest.mark.parametrize("retry_after", [0.1, None], ids=["with Retry-After", "without it"])
    async def test_a_call_throttled_by_a_provider_without_limits_is_suspended_and_uses_up_no_attempt(
        self, harness: WorkerHarness, retry_after: float | None
    ) -> None:
        tries: list[float] = []

        async def make() -> Answer:
            tries.append(time.monotonic())
            if len(tries) == 1:
                raise Throttled("Too many requests.", retry_after)
            return Answer(b"words")

        async def call_provider(context: Context) -> Outcome:
            await context.call_once(ProviderCall("no limits", "model", {}, "input"), make)
            return Done()

        limiter = ProviderLimiter(
            harness.engine.ledger, harness.clock, {}, BackoffSettings(throttled=0.1, longest_throttled=0.1)
        )
        submitted = await harness.submit("extract")
        async with harness.run_worker({"extract": call_provider}, limiter=limiter):
            await harness.wait_until_ended(submitted)
        assert tries[1] - tries[0] >= 0.09
        assert (await harness.job(submitted)).attempts == 0

    async def test_throttling_outside_of_a_provider_call_is_a_failed_attempt(
        self, harness: WorkerHarness
    ) -> None:
        async def call_provider(_context: Context) -> Outcome:
            raise Throttled("Too many requests.", 0.1)

        submitted = await harness.submit("extract", plan=RunPlan("document", 1, (), max_attempts=2))
        async with harness.run_worker({"extract": call_provider}):
            run = await harness.wait_until_ended(submitted)
        assert (run.failure_type, (await harness.job(submitted)).attempts) == (FailureType.STAGE_FAILED, 2)

    async def test_a_suspended_job_resumes_with_its_payload(self, harness: WorkerHarness) -> None:
        seen: list[Json] = []

        async def poll(context: Context) -> Outcome:
            seen.append(context.payload)
            if len(seen) < 3:
                later = context.now() + timedelta(seconds=0.01)
                return Suspend(later, WaitingReason.PROVIDER_OPERATION, payload={"polls": len(seen)})
            return Done()

        submitted = await harness.submit("extract")
        async with harness.run_worker({"extract": poll}):
            await harness.wait_until_ended(submitted)
        assert seen == [{}, {"polls": 1}, {"polls": 2}]
        assert (await harness.job(submitted)).attempts == 0

    async def test_a_job_of_an_unknown_stage_is_suspended_for_another_worker(
        self, harness: WorkerHarness
    ) -> None:
        submitted = await harness.submit("translate")
        async with harness.run_worker({"extract": do_nothing}):

            async def suspended() -> Job | None:
                job = await harness.job(submitted)
                return job if job.waiting_reason else None

            job = await async_wait_until(suspended, "the job to be suspended")
        assert (job.waiting_reason, job.waiting_detail) == (WaitingReason.UNKNOWN_STAGE, "document/translate")
        assert (job.status, job.attempts) == (JobStatus.PENDING, 0)

    async def test_a_result_that_cannot_be_stored_fails_only_its_own_job(
        self, harness: WorkerHarness
    ) -> None:
        async def answer(context: Context) -> Outcome:
            return Done(writes=[object()] if context.options.get("odd") else [])

        odd = await harness.submit("extract", plan=RunPlan("document", 1, (), {"odd": True}, max_attempts=2))
        others = [await harness.submit("extract") for _ in range(5)]
        async with harness.run_worker({"extract": answer}):
            for other in others:
                assert (await harness.wait_until_ended(other)).state is RunState.COMPLETED
            run = await harness.wait_until_ended(odd)
        assert (run.state, run.failure_type) == (RunState.FAILED, FailureType.STAGE_FAILED)
        assert run.error is not None
        assert "does not know how to write object" in run.error
        assert (await harness.job(odd)).crashes == 0

    async def test_follow_ups_run_after_the_document_is_ready(self, harness: WorkerHarness) -> None:
        states: list[RunState] = []

        async def connect(context: Context) -> Outcome:
            run = await harness.engine.ledger.run(context.run_id, org_id=DEFAULT_ORG_ID)
            states.append(run.state)
            return Done()

        submitted = await harness.submit("publish")
        async with harness.run_worker({"publish": do_nothing}, follow_ups={"connect": connect}):

            async def connected() -> bool:
                job = await harness.job(submitted)
                return job.stage == "connect" and job.status is JobStatus.COMPLETED

            await async_wait_until(connected, "the follow-up to be done")
        assert states == [RunState.COMPLETED]


async def test_progress_is_written_rarely_and_the_last_one_with_the_completion(
    harness: WorkerHarness,
) -> None:
    written: list[tuple[int, int]] = []
    ledger = harness.engine.ledger
    progress = ledger.progress

    async def record(lease: object, counted: Progress, now: object) -> None:
        written.append((counted.done, counted.total))
        await progress(lease, counted, now)  # pyright: ignore[reportArgumentType]  (passed on unchanged)

    ledger.progress = record  # pyright: ignore[reportAttributeAccessIssue]  (replaced to record calls)

    async def count(context: Context) -> Outcome:
        for done in range(1, 1001):
            await context.progress(done, 1000, ProgressUnit.PAGE)
            if done == 500:
                await asyncio.sleep(PROGRESS_INTERVAL + 0.01)
        return Done()

    submitted = await harness.submit("extract", "chunk")
    async with harness.run_worker({"extract": count, "chunk": count}):
        await harness.wait_until_ended(submitted)
    assert written
    assert len(written) < 20
    jobs = await harness.jobs(submitted)
    assert [job.progress for job in jobs] == [Progress(1000, 1000, ProgressUnit.PAGE)] * 2


async def test_a_short_stage_writes_its_progress_with_its_completion_only(harness: WorkerHarness) -> None:
    ledger = harness.engine.ledger

    async def refuse(*_: object) -> None:
        raise AssertionError("a progress write of its own")

    ledger.progress = refuse  # pyright: ignore[reportAttributeAccessIssue]  (replaced to find calls)

    async def count(context: Context) -> Outcome:
        await context.progress(1, 1, ProgressUnit.PAGE)
        return Done()

    submitted = await harness.submit("extract")
    async with harness.run_worker({"extract": count}):
        await harness.wait_until_ended(submitted)
    assert (await harness.job(submitted)).progress == Progress(1, 1, ProgressUnit.PAGE)


async def test_a_cancelled_run_stops_its_stage_at_the_next_heartbeat(harness: WorkerHarness) -> None:
    stopped = asyncio.Event()

    async def work(_context: Context) -> Outcome:
        try:
            await asyncio.Event().wait()
        finally:
            stopped.set()
        return Done()

    submitted = await harness.submit("extract")
    async with harness.run_worker(
        {"extract": work}, worker_settings=replace(FAST_WORKER, heartbeat_seconds=0.1)
    ) as worker:

        async def held() -> bool:
            return bool(worker.running_jobs)

        await async_wait_until(held, "the stage to run")
        await harness.engine.ledger.cancel(str(submitted.run_id), harness.clock.now(), org_id=DEFAULT_ORG_ID)
        await asyncio.wait_for(stopped.wait(), WAIT_SECONDS)
        assert (await harness.run(submitted)).state is RunState.CANCELLED


async def test_a_run_past_its_deadline_ends_while_its_stage_still_runs(harness: WorkerHarness) -> None:
    submitted = await harness.submit("extract", plan=RunPlan("document", 1, (), deadline_seconds=0.2))
    async with harness.run_worker(
        {"extract": for_ever}, worker_settings=replace(FAST_WORKER, lease_seconds=1.0)
    ):
        run = await harness.wait_until_ended(submitted)
    assert run.state is RunState.TIMED_OUT
    assert run.error is not None
    assert "run_deadline_seconds" in run.error


async def test_a_worker_continues_after_unexpected_errors(
    harness: WorkerHarness, caplog: pytest.LogCaptureFixture
) -> None:
    def rename(old: str, new: str) -> None:
        harness.engine.database.transact(
            lambda tx: tx.connection.exec_driver_sql(f"alter table {old} rename to {new}")
        )

    rename("processing_runs", "processing_runs_renamed")
    try:
        async with harness.run_worker(
            {"extract": do_nothing}, worker_settings=replace(FAST_WORKER, idle_seconds=0.05)
        ):

            async def logged() -> bool:
                return "claim failed" in caplog.text and "sweep failed" in caplog.text

            await async_wait_until(logged, "the worker to meet the missing table")
            rename("processing_runs_renamed", "processing_runs")
            submitted = await harness.submit("extract")
            assert (await harness.wait_until_ended(submitted)).state is RunState.COMPLETED
    finally:
        if "processing_runs_renamed" in _tables(harness):
            rename("processing_runs_renamed", "processing_runs")


def _tables(harness: WorkerHarness) -> list[str]:
    return inspect(harness.engine.database.engine).get_table_names()


@pytest.mark.parametrize("lease", [3.0, 30.0, 1800.0])
@pytest.mark.parametrize("share", [None, 0.0, 0.5, 1.0], ids=lambda share: f"due in {share} leases")
def test_an_expired_lease_is_found_within_two_seconds(lease: float, share: float | None) -> None:
    due = None if share is None else share * lease
    for jitter in (0.0, 0.5, 1.0):
        pause = sweep_pause(lease, due, jitter)
        # With nothing due, a job that is claimed from now on has a full lease.
        assert pause <= (lease if due is None else due) + 1.0
        # No busy loop, and a lease of half an hour does not delay the check of deadlines.
        assert 0.25 <= pause <= 31.0


async def test_an_idle_worker_is_registered_until_it_stops(harness: WorkerHarness) -> None:
    async def alive() -> list[str]:
        rows = await harness.engine.database.run(lambda tx: tx.connection.execute(select(workers.c.id)).all())
        return [row.id for row in rows]

    async with harness.run_worker({"extract": do_nothing}) as worker:
        assert await async_wait_until(alive, "the worker to be registered") == [worker.name]
    assert await alive() == []
