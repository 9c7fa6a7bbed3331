"""I8: attempts rise for errors only; waiting costs none; crashes are counted apart."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from tests.contract.story import Story
from towpath.ledger.contract import Fail
from towpath.model.work import FailureType, JobStatus, RunState


async def test_given_an_error_when_failed_then_the_job_waits_with_one_attempt_more(story: Story) -> None:
    await story.submit(max_attempts=3)
    job = await story.claim_one()
    await story.settle(Fail(job.lease, "the parser said no", story.later(45)))

    waiting = await story.job(job)
    assert (waiting.status, waiting.attempts, waiting.crashes) == (JobStatus.PENDING, 1, 0)
    assert waiting.available_at == story.later(45)
    assert waiting.error_log is not None
    assert "the parser said no" in waiting.error_log
    assert await story.claim() == []
    story.clock.advance(44.999)
    assert await story.claim() == []
    story.clock.advance(0.001)
    assert (await story.claim_one()).attempts == 1


async def test_given_the_last_attempt_when_failed_then_job_run_and_document_are_failed(story: Story) -> None:
    submitted = await story.submit(max_attempts=2)
    await story.fail((await story.claim_one()).lease)
    job = await story.claim_one()
    await story.fail(job.lease)

    failed = await story.job(job)
    run = await story.run(job.run_id)
    assert (failed.status, failed.attempts, failed.completed_at) == (JobStatus.FAILED, 2, story.now)
    assert (run.state, run.failure_type, run.error) == (
        RunState.FAILED,
        FailureType.STAGE_FAILED,
        "it broke",
    )
    assert story.document_status(submitted.document_id) == "FAILED"
    story.clock.advance(100_000)
    assert await story.claim() == [], "a poison job is never scheduled again"


async def test_given_an_input_that_can_never_work_when_rejected_then_no_attempt_is_left_to_try(
    story: Story,
) -> None:
    await story.submit(max_attempts=5)
    job = await story.claim_one()
    refusal = "The file is encrypted."
    await story.settle(Fail(job.lease, refusal, story.now, final=True, failure_type=FailureType.REJECTED))

    run = await story.run(job.run_id)
    assert (run.state, run.failure_type, run.error) == (RunState.FAILED, FailureType.REJECTED, refusal)


async def test_given_a_job_suspended_and_released_many_times_then_no_attempt_is_burnt(story: Story) -> None:
    await story.submit(max_attempts=2)
    for turn in range(5):
        await story.suspend((await story.claim_one()).lease, wait=60, payload={"polls": turn})
        story.clock.advance(60)
        await story.release((await story.claim_one()).lease)
    job = await story.claim_one()
    assert (job.attempts, job.crashes, job.payload) == (0, 0, {"polls": 4})


async def test_given_a_suspended_job_then_it_says_what_it_waits_for_and_keeps_its_payload(
    story: Story,
) -> None:
    await story.submit(payload={"operation": "op-1"})
    job = await story.claim_one()
    await story.suspend(job.lease, wait=60)

    waiting = await story.job(job)
    assert (waiting.waiting_for, waiting.payload) == ("the provider", {"operation": "op-1"})
    assert (waiting.locked_by, waiting.lease_until) == (None, None)
    assert await story.claim() == []
    story.clock.advance(60)
    again = await story.claim_one()
    assert again.payload == {"operation": "op-1"}
    assert (await story.job(again)).waiting_for is None


async def test_given_a_released_job_then_it_is_due_at_once_in_its_old_place(story: Story) -> None:
    await story.submit("first")
    story.clock.advance(1)
    await story.submit("second")
    first = await story.claim_one("anna")
    story.clock.advance(10)
    await story.release(first.lease)
    assert (await story.claim_one("boris")).document_id == first.document_id


async def test_given_a_retry_time_with_microseconds_then_both_engines_keep_it_exactly(story: Story) -> None:
    await story.submit()
    job = await story.claim_one()
    moment = datetime(2026, 1, 1, 0, 7, 11, 123457, tzinfo=UTC)
    await story.settle(Fail(job.lease, "it broke", moment))
    assert (await story.job(job)).available_at == moment


async def test_given_many_errors_then_the_log_keeps_the_last_of_them(story: Story) -> None:
    run_id = await story.submitted_run(max_attempts=100)
    for number in range(12):
        lease = (await story.claim_one()).lease
        await story.settle(Fail(lease, f"error number {number}, {'x' * 1000}", story.now))
    log = (await story.last_job(run_id)).error_log
    assert log is not None
    assert len(log) == 8000
    assert "error number 11" in log
    assert "error number 0," not in log


async def test_given_a_crash_when_rescued_then_crashes_and_attempts_rise_and_the_job_is_due(
    story: Story,
) -> None:
    await story.submit()
    job = await story.claim_one("anna")
    await story.rescue()
    rescued = await story.job(job)
    assert (rescued.status, rescued.attempts, rescued.crashes) == (JobStatus.PENDING, 1, 1)
    assert (rescued.available_at, rescued.locked_by, rescued.lease_until) == (story.now, None, None)
    assert rescued.lease_epoch == job.lease.epoch + 1
    assert rescued.error_log is not None
    assert "anna fell silent" in rescued.error_log


async def test_given_a_document_that_kills_its_workers_then_it_is_quarantined(story: Story) -> None:
    submitted = await story.submit(max_attempts=50)
    for _ in range(2):
        job = await story.claim_one()
        story.clock.advance(31)
        assert (await story.ledger.sweep(story.now, max_crashes=2)).quarantined == 0
    job = await story.claim_one()
    story.clock.advance(31)
    swept = await story.ledger.sweep(story.now, max_crashes=2)

    assert (swept.rescued, swept.quarantined) == (1, 1)
    run = await story.run(job.run_id)
    assert (run.state, run.failure_type) == (RunState.FAILED, FailureType.QUARANTINED)
    assert run.error == "The worker died 3 times during the stage extract."
    assert story.document_status(submitted.document_id) == "FAILED"


async def test_given_a_job_that_comes_on_between_crashes_then_it_is_not_quarantined(story: Story) -> None:
    await story.submit(max_attempts=50)
    for _ in range(4):
        await story.claim_one()
        story.clock.advance(31)
        assert (await story.ledger.sweep(story.now, max_crashes=1)).quarantined == 0
        await story.suspend((await story.claim_one()).lease, wait=0, payload={"heard": 3})
    assert (await story.claim_one()).crashes == 0


async def test_given_a_crash_on_the_last_attempt_then_the_stage_has_failed(story: Story) -> None:
    await story.submit(max_attempts=1)
    job = await story.claim_one()
    await story.rescue()
    run = await story.run(job.run_id)
    assert (run.state, run.failure_type) == (RunState.FAILED, FailureType.STAGE_FAILED)


async def test_given_crashes_in_one_stage_then_the_next_stage_starts_with_none(story: Story) -> None:
    await story.submit()
    await story.claim_one()
    await story.rescue()
    job = await story.claim_one()
    assert job.crashes == 1
    await story.advance(job.lease, "chunk", keep=False)
    job = await story.claim_one()
    assert (job.stage, job.crashes, job.attempts) == ("chunk", 0, 0)


async def test_given_progress_then_it_is_kept_and_outlives_the_worker(story: Story) -> None:
    await story.submit()
    job = await story.claim_one()
    await story.ledger.progress(job.lease, 76, 406, story.now)
    assert (await story.job(job)).progress == {"done": 76, "total": 406}
    await story.rescue()
    assert (await story.job(job)).progress == {"done": 76, "total": 406}


async def test_given_waits_of_all_sizes_then_claims_see_exactly_what_is_due(story: Story) -> None:
    start = story.now
    for wait in (0, 1, 59, 60, 61, 3600):
        await story.submit(str(wait))
        (job,) = await story.claim(limit=1)
        await story.settle(Fail(job.lease, "later", start + timedelta(seconds=wait, microseconds=1)))
    story.clock.advance(60)
    assert len(await story.claim()) == 3
    story.clock.advance(0.000001)
    assert len(await story.claim()) == 1
