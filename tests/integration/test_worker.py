"""The worker at its daily work: claim, execute, settle."""

from __future__ import annotations

import asyncio
import time
from dataclasses import replace
from datetime import timedelta

import pytest
from sqlalchemy import inspect, select

from tests.integration.workshop import BRISK, HASTY, Workshop, nothing, until
from towpath.errors import Refused, Rejected, Throttled, Transient
from towpath.ledger.contract import Plan
from towpath.ledger.tables import workers
from towpath.model.ids import HOME_ORG
from towpath.model.work import Done, FailureType, Job, JobStatus, Json, Outcome, RunState, Suspend
from towpath.stages.contract import Context, Stage
from towpath.worker.worker import sweep_pause


async def for_ever(_context: Context) -> Outcome:
    await asyncio.Event().wait()
    return Done()


async def test_a_run_goes_through_its_stages_each_knowing_what_those_before_it_found(
    workshop: Workshop,
) -> None:
    known: dict[str, dict[str, Json]] = {}

    async def look(context: Context) -> Outcome:
        known[context.stage] = dict(context.known)
        return Done({"from": context.stage})

    submitted = await workshop.submit("extract", "chunk", "publish")
    async with workshop.working({"extract": look, "chunk": look, "publish": look}):
        run = await workshop.ended(submitted)
    assert run.state is RunState.COMPLETED
    assert known == {
        "extract": {},
        "chunk": {"extract": {"from": "extract"}},
        "publish": {"extract": {"from": "extract"}, "chunk": {"from": "chunk"}},
    }


async def test_the_lease_is_kept_from_stage_to_stage_so_that_one_claim_is_enough(workshop: Workshop) -> None:
    submitted = await workshop.submit("extract", "chunk", "publish")
    async with workshop.working({"extract": nothing, "chunk": nothing, "publish": nothing}) as worker:
        await workshop.ended(submitted)
    jobs = await workshop.jobs(submitted)
    assert [(job.stage, job.lease_epoch) for job in jobs] == [("extract", 1), ("chunk", 1), ("publish", 1)]
    assert {job.locked_by for job in jobs} == {worker.name}


async def test_a_ring_in_the_same_process_wakes_an_idle_worker_at_once(workshop: Workshop) -> None:
    began = asyncio.Event()

    async def note(_context: Context) -> Outcome:
        began.set()
        return Done()

    sleepy = replace(BRISK, poll_seconds=30.0, idle_seconds=30.0)
    async with workshop.working({"extract": note}, pace=sleepy):
        first = await workshop.submit("extract")
        await workshop.ended(first)
        began.clear()
        submitted = await workshop.submit("extract")
        asked_at = time.monotonic()
        await began.wait()
        assert time.monotonic() - asked_at < 2.0
        await workshop.ended(submitted)


async def test_no_more_jobs_are_worked_on_at_once_than_allowed(workshop: Workshop) -> None:
    at_work: set[str] = set()
    most = 0
    gate = asyncio.Event()

    async def count(context: Context) -> Outcome:
        nonlocal most
        at_work.add(context.run_id)
        most = max(most, len(at_work))
        await gate.wait()
        at_work.discard(context.run_id)
        return Done()

    submitted = [await workshop.submit("extract") for _ in range(12)]
    async with workshop.working({"extract": count}, pace=replace(BRISK, concurrency=3)):

        async def full() -> bool:
            return len(at_work) == 3

        await until(full, "three jobs to be worked on")
        gate.set()
        for one in submitted:
            await workshop.ended(one)
    assert most == 3


async def test_a_special_worker_serves_its_stages_and_leaves_the_others(workshop: Workshop) -> None:
    stages = {"extract": nothing, "embed": nothing}
    submitted = await workshop.submit("extract", "embed")
    other = await workshop.submit("embed")
    async with workshop.working(stages, pace=replace(BRISK, stages=("embed",))):
        await workshop.ended(other)
    assert (await workshop.job(submitted)).status is JobStatus.PENDING
    async with workshop.working(stages):
        assert (await workshop.ended(submitted)).state is RunState.COMPLETED


async def test_a_special_worker_gives_the_run_back_where_its_stages_end(workshop: Workshop) -> None:
    worked: list[tuple[str, str]] = []

    def by(name: str) -> dict[str, Stage]:
        async def note(context: Context) -> Outcome:
            worked.append((name, context.stage))
            return Done()

        return {"extract": note, "embed": note, "publish": note}

    submitted = await workshop.submit("extract", "embed", "publish")
    async with workshop.working(by("first"), pace=replace(BRISK, stages=("extract", "embed"))):

        async def given_back() -> bool:
            job = await workshop.job(submitted)
            return job.stage == "publish" and job.status is JobStatus.PENDING

        await until(given_back, "the next stage to wait for somebody else")
    assert (await workshop.job(submitted)).attempts == 0
    async with workshop.working(by("second"), pace=replace(BRISK, stages=("publish",))):
        assert (await workshop.ended(submitted)).state is RunState.COMPLETED
    assert worked == [("first", "extract"), ("first", "embed"), ("second", "publish")]


class TestOutcomes:
    async def test_an_error_is_retried_and_then_forgotten(self, workshop: Workshop) -> None:
        tries = 0

        async def stumble(_context: Context) -> Outcome:
            nonlocal tries
            tries += 1
            if tries < 3:
                raise Transient("the line was busy")
            return Done()

        submitted = await workshop.submit("extract")
        async with workshop.working({"extract": stumble}):
            assert (await workshop.ended(submitted)).state is RunState.COMPLETED
        job = await workshop.job(submitted)
        assert (job.attempts, job.crashes) == (2, 0)

    async def test_attempts_run_out_and_the_run_says_what_went_wrong_and_where(
        self, workshop: Workshop
    ) -> None:
        async def break_down(_context: Context) -> Outcome:
            raise ValueError("no such page")

        submitted = await workshop.submit("extract", plan=Plan("document", 1, (), max_attempts=3))
        async with workshop.working({"extract": break_down}):
            run = await workshop.ended(submitted)
        assert (run.state, run.failure_type) == (RunState.FAILED, FailureType.STAGE_FAILED)
        assert run.error is not None
        assert run.error.startswith("ValueError: no such page (break_down in test_worker.py:")
        assert (await workshop.job(submitted)).attempts == 3

    async def test_an_input_that_can_never_work_is_rejected_at_once(self, workshop: Workshop) -> None:
        async def read(_context: Context) -> Outcome:
            raise Rejected("encrypted", "This file is locked with a password.")

        submitted = await workshop.submit("extract")
        async with workshop.working({"extract": read}):
            run = await workshop.ended(submitted)
        assert (run.failure_type, run.error) == (
            FailureType.REJECTED,
            "This file is locked with a password.",
        )
        assert (await workshop.job(submitted)).attempts == 1

    async def test_a_provider_that_refuses_is_a_matter_for_a_person(self, workshop: Workshop) -> None:
        async def ask(_context: Context) -> Outcome:
            raise Refused("The key is not valid any more.")

        submitted = await workshop.submit("extract")
        async with workshop.working({"extract": ask}):
            assert (await workshop.ended(submitted)).failure_type is FailureType.PROVIDER_REFUSED

    @pytest.mark.parametrize("wish", [0.1, None], ids=["with a wish", "without one"])
    async def test_a_throttled_call_waits_and_costs_nothing(
        self, workshop: Workshop, wish: float | None
    ) -> None:
        tries: list[float] = []

        async def ask(_context: Context) -> Outcome:
            tries.append(time.monotonic())
            if len(tries) == 1:
                raise Throttled("Too many requests.", wish)
            return Done()

        submitted = await workshop.submit("extract")
        async with workshop.working({"extract": ask}, rules=replace(HASTY, throttle_seconds=0.1)):
            await workshop.ended(submitted)
        assert tries[1] - tries[0] >= 0.09
        assert (await workshop.job(submitted)).attempts == 0

    async def test_a_suspended_job_comes_back_with_its_payload(self, workshop: Workshop) -> None:
        seen: list[Json] = []

        async def poll(context: Context) -> Outcome:
            seen.append(context.payload)
            if len(seen) < 3:
                later = context.now() + timedelta(seconds=0.01)
                return Suspend(later, "the provider", {"polls": len(seen)})
            return Done()

        submitted = await workshop.submit("extract")
        async with workshop.working({"extract": poll}):
            await workshop.ended(submitted)
        assert seen == [{}, {"polls": 1}, {"polls": 2}]
        assert (await workshop.job(submitted)).attempts == 0

    async def test_a_stage_nobody_here_knows_is_left_for_a_worker_that_does(self, workshop: Workshop) -> None:
        submitted = await workshop.submit("translate")
        async with workshop.working({"extract": nothing}):

            async def suspended() -> Job | None:
                job = await workshop.job(submitted)
                return job if job.waiting_for else None

            job = await until(suspended, "the job to be put aside")
        assert job.waiting_for == "a worker that knows the stage document/translate"
        assert (job.status, job.attempts) == (JobStatus.PENDING, 0)

    async def test_an_answer_that_cannot_be_written_fails_its_own_job_and_no_other(
        self, workshop: Workshop
    ) -> None:
        async def answer(context: Context) -> Outcome:
            return Done(writes=[object()] if context.options.get("odd") else [])

        odd = await workshop.submit("extract", plan=Plan("document", 1, (), {"odd": True}, max_attempts=2))
        others = [await workshop.submit("extract") for _ in range(5)]
        async with workshop.working({"extract": answer}):
            for other in others:
                assert (await workshop.ended(other)).state is RunState.COMPLETED
            run = await workshop.ended(odd)
        assert (run.state, run.failure_type) == (RunState.FAILED, FailureType.STAGE_FAILED)
        assert run.error is not None
        assert "does not know how to write object" in run.error
        assert (await workshop.job(odd)).crashes == 0

    async def test_follow_ups_are_worked_after_the_document_is_ready(self, workshop: Workshop) -> None:
        states: list[RunState] = []

        async def connect(context: Context) -> Outcome:
            run = await workshop.engine.ledger.run(context.run_id, org_id=HOME_ORG)
            states.append(run.state)
            return Done()

        submitted = await workshop.submit("publish")
        async with workshop.working({"publish": nothing}, follow_ups={"connect": connect}):

            async def connected() -> bool:
                job = await workshop.job(submitted)
                return job.stage == "connect" and job.status is JobStatus.COMPLETED

            await until(connected, "the follow-up to be done")
        assert states == [RunState.COMPLETED]


async def test_progress_is_written_seldom_but_never_without_its_end(workshop: Workshop) -> None:
    written: list[tuple[int, int]] = []
    ledger = workshop.engine.ledger
    progress = ledger.progress

    async def record(lease: object, done: int, total: int, now: object) -> None:
        written.append((done, total))
        await progress(lease, done, total, now)  # pyright: ignore[reportArgumentType]  (passed on as they came)

    ledger.progress = record  # pyright: ignore[reportAttributeAccessIssue]  (to listen in)

    async def count(context: Context) -> Outcome:
        for done in range(1, 1001):
            await context.progress(done, 1000)
        return Done()

    submitted = await workshop.submit("extract")
    async with workshop.working({"extract": count}):
        await workshop.ended(submitted)
    assert written[0] == (1, 1000)
    assert written[-1] == (1000, 1000)
    assert len(written) < 20
    assert (await workshop.job(submitted)).progress == {"done": 1000, "total": 1000}


async def test_a_cancelled_run_stops_its_stage_at_the_next_heartbeat(workshop: Workshop) -> None:
    stopped = asyncio.Event()

    async def work(_context: Context) -> Outcome:
        try:
            await asyncio.Event().wait()
        finally:
            stopped.set()
        return Done()

    submitted = await workshop.submit("extract")
    async with workshop.working({"extract": work}, pace=replace(BRISK, heartbeat_seconds=0.1)) as worker:

        async def held() -> bool:
            return bool(worker.holding)

        await until(held, "the stage to run")
        await workshop.engine.ledger.cancel(str(submitted.run_id), workshop.clock.now(), org_id=HOME_ORG)
        await asyncio.wait_for(stopped.wait(), 10.0)
        assert (await workshop.run(submitted)).state is RunState.CANCELLED


async def test_a_run_past_its_deadline_is_ended_while_its_stage_still_works(workshop: Workshop) -> None:
    submitted = await workshop.submit("extract", plan=Plan("document", 1, (), deadline_seconds=0.2))
    async with workshop.working({"extract": for_ever}, pace=replace(BRISK, lease_seconds=1.0)):
        run = await workshop.ended(submitted)
    assert run.state is RunState.TIMED_OUT
    assert run.error is not None
    assert "run_deadline_seconds" in run.error


async def test_a_worker_outlives_errors_that_nobody_foresaw(
    workshop: Workshop, caplog: pytest.LogCaptureFixture
) -> None:
    def rename(old: str, new: str) -> None:
        workshop.engine.database.transact(
            lambda tx: tx.connection.exec_driver_sql(f"alter table {old} rename to {new}")
        )

    rename("processing_runs", "mislaid")
    try:
        async with workshop.working({"extract": nothing}, pace=replace(BRISK, idle_seconds=0.05)):

            async def complained() -> bool:
                return "claiming failed" in caplog.text and "a sweep failed" in caplog.text

            await until(complained, "the worker to meet the missing table")
            rename("mislaid", "processing_runs")
            submitted = await workshop.submit("extract")
            assert (await workshop.ended(submitted)).state is RunState.COMPLETED
    finally:
        if "mislaid" in _tables(workshop):
            rename("mislaid", "processing_runs")


def _tables(workshop: Workshop) -> list[str]:
    return inspect(workshop.engine.database.engine).get_table_names()


@pytest.mark.parametrize("lease", [3.0, 30.0, 1800.0])
@pytest.mark.parametrize("share", [None, 0.0, 0.5, 1.0], ids=lambda share: f"due in {share} leases")
def test_a_lost_job_is_found_within_two_seconds_of_its_leases_end(lease: float, share: float | None) -> None:
    due = None if share is None else share * lease
    for luck in (0.0, 0.5, 1.0):
        pause = sweep_pause(lease, due, luck)
        # With nothing due, whatever is claimed from now on has a whole lease before it.
        assert pause <= (lease if due is None else due) + 1.0
        # Never a busy loop, and deadlines are not kept waiting by leases that last for half an hour.
        assert 0.25 <= pause <= 31.0


async def test_a_worker_is_known_while_it_lives_also_with_nothing_to_do(workshop: Workshop) -> None:
    async def alive() -> list[str]:
        rows = await workshop.engine.database.run(
            lambda tx: tx.connection.execute(select(workers.c.id)).all()
        )
        return [row.id for row in rows]

    async with workshop.working({"extract": nothing}) as worker:
        assert await until(alive, "a sign of life") == [worker.name]
    assert await alive() == []
