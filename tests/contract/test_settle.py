"""settle: batches, lost acknowledgements, and writes in the same transaction."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from tests.contract.ledger_driver import LedgerDriver
from towpath.clock import ManualClock
from towpath.errors import LeaseLost
from towpath.ledger.contract.settlements import Advance, Fail, Finish, Release, Settled, Settlement, Suspended
from towpath.ledger.database import Transaction
from towpath.ledger.sql_ledger import SqlLedger
from towpath.model.event import EventKind
from towpath.model.ids import DEFAULT_ORG_ID, new_id
from towpath.model.job import JobStatus, Lease, Progress, ProgressUnit, WaitingReason
from towpath.model.json_types import Json
from towpath.model.run import RunState


async def test_advance_with_keep_leases_the_next_job_to_the_same_worker(
    driver: LedgerDriver,
) -> None:
    await driver.submit()
    job = await driver.claim_one("anna")
    settled = await driver.advance(job.lease, "chunk", result={"pages": 3}, next_payload={"size": 200})

    assert settled.next == Lease(settled.next.job_id if settled.next else "", 1, "anna", driver.later(30))
    extract, chunk = await driver.jobs(job.run_id)
    assert (extract.status, extract.result, extract.lease_until) == (JobStatus.COMPLETED, {"pages": 3}, None)
    assert (chunk.stage, chunk.status, chunk.payload) == ("chunk", JobStatus.PROCESSING, {"size": 200})
    assert (chunk.locked_by, chunk.lease_until) == ("anna", driver.later(30))
    assert await driver.claim("boris") == []


async def test_advance_without_keep_lets_any_worker_claim_the_next_job(
    driver: LedgerDriver,
) -> None:
    await driver.submit()
    job = await driver.claim_one("anna")
    settled = await driver.advance(job.lease, "chunk", result={"pages": 3}, keep=False)

    assert settled.next is None
    (next_job,) = await driver.claim("boris")
    assert (next_job.stage, next_job.results) == ("chunk", {"extract": {"pages": 3}})


async def test_a_claimed_job_has_the_results_of_the_stages_before(driver: LedgerDriver) -> None:
    await driver.submit()
    job = await driver.claim_one()
    await driver.advance(job.lease, "chunk", result={"a": 1}, keep=False)
    job = await driver.claim_one()
    await driver.advance(job.lease, "publish", result={"b": [1, 2]}, keep=False)
    job = await driver.claim_one()
    assert job.results == {"extract": {"a": 1}, "chunk": {"b": [1, 2]}}


async def test_the_events_of_a_run_are_complete_and_in_order(driver: LedgerDriver) -> None:
    await driver.submit()
    job = await driver.claim_one()
    kept = (await driver.advance(job.lease, "chunk")).next
    assert kept is not None
    await driver.suspend(kept, wait=10)
    driver.clock.advance(10)
    job = await driver.claim_one()
    await driver.fail(job.lease)
    job = await driver.claim_one()
    await driver.finish(job.lease)

    assert [event.kind for event in await driver.events(job.run_id)] == [
        EventKind.RUN_QUEUED,
        EventKind.RUN_STARTED,
        EventKind.STEP_STARTED,
        EventKind.STEP_COMPLETED,
        EventKind.STEP_STARTED,
        EventKind.STEP_SUSPENDED,
        EventKind.STEP_STARTED,
        EventKind.STEP_RETRIED,
        EventKind.STEP_STARTED,
        EventKind.STEP_COMPLETED,
        EventKind.RUN_COMPLETED,
    ]


async def test_a_lost_lease_in_a_batch_does_not_affect_the_others(
    driver: LedgerDriver,
) -> None:
    # Given six claimed jobs, one of which was cancelled
    for _ in range(6):
        await driver.submit()
    a, b, lost, c, d, e = await driver.claim()
    await driver.ledger.cancel(lost.run_id, driver.now, org_id=DEFAULT_ORG_ID)
    # When all are settled in one batch by different verbs
    batch: list[Settlement] = [
        Advance(a.lease, "chunk", 5),
        Finish(b.lease),
        Finish(lost.lease),
        Fail(c.lease, "it broke", driver.later(30)),
        Suspended(d.lease, driver.later(60), WaitingReason.PROVIDER_OPERATION),
        Release(e.lease),
    ]
    answers = await driver.ledger.settle(batch, driver.now)
    # Then the cancelled one gets LeaseLost at its index, and the others are applied
    assert [isinstance(answer, LeaseLost) for answer in answers] == [False, False, True, False, False, False]
    states = [(await driver.run(job.run_id)).state for job in (a, b, lost, c, d, e)]
    running = RunState.RUNNING
    assert states == [running, RunState.COMPLETED, RunState.CANCELLED, running, running, running]
    statuses = [(await driver.job(job)).status for job in (a, b, lost, c, d, e)]
    pending = JobStatus.PENDING
    assert statuses == [
        JobStatus.COMPLETED,
        JobStatus.COMPLETED,
        JobStatus.CANCELLED,
        pending,
        pending,
        pending,
    ]


def _next(lease: Lease) -> Lease:
    """The lease that an advance of ``lease`` keeps."""
    return replace(lease, job_id=new_id(), epoch=1)


def _then(lease: Lease, then: Advance | Finish, **rest: Any) -> Advance:
    """The stage and the stage after it, settled together."""
    return Advance(lease, "chunk", 5, {"pages": 3}, next_id=then.lease.job_id, then=then, **rest)


async def test_stages_that_are_settled_together_are_stored_like_stages_settled_one_by_one(
    driver: LedgerDriver,
) -> None:
    async def history(run_id: str) -> tuple[object, ...]:
        jobs, events = await driver.jobs(run_id), await driver.events(run_id)
        return (
            (await driver.run(run_id)).state,
            [(job.stage, job.status, job.lease_epoch, job.result, job.progress) for job in jobs],
            [(event.kind, event.stage, event.detail) for event in events],
        )

    progress = Progress(2, 2, ProgressUnit.CHUNK)
    together = await driver.submitted_run("together")
    lease = (await driver.claim_one()).lease
    embed = Advance(_next(lease), "embed", 5, {"chunks": 2}, progress=progress)
    settled = await driver.settle(_then(lease, embed))
    assert settled.next is not None
    assert (settled.next.epoch, settled.next.worker, settled.job_id) == (1, lease.worker, embed.lease.job_id)
    await driver.settle(Finish(settled.next, {"vectors": 2}, ("connect",)))

    one_by_one = await driver.submitted_run("one by one")
    lease = (await driver.claim(stages=["extract"]))[0].lease
    for stage, result, done in (("chunk", {"pages": 3}, None), ("embed", {"chunks": 2}, progress)):
        kept = (await driver.advance(lease, stage, result=result, progress=done)).next
        assert kept is not None
        lease = kept
    await driver.settle(Finish(lease, {"vectors": 2}, ("connect",)))
    assert await history(together) == await history(one_by_one)


async def test_of_stages_that_are_settled_together_all_or_none_are_stored(driver: LedgerDriver) -> None:
    """I7: what the last stage publishes is visible with the completion of all of them."""

    def rename(tx: Transaction, job_id: str, write: object) -> Json:
        if write == "breaks":
            raise RuntimeError("the disk is full")
        tx.connection.exec_driver_sql(f"update documents set name = '{write}'")
        return {"renamed": write}

    ledger = SqlLedger(driver.database, apply_write=rename)
    run_id = await driver.submitted_run("original")
    lease = (await driver.claim_one()).lease
    before = driver.contents()
    with pytest.raises(RuntimeError):
        await ledger.settle(
            [_then(lease, Finish(_next(lease), writes=("breaks",)), writes=("renamed",))], driver.now
        )
    assert driver.contents() == before

    finish = _then(lease, Finish(_next(lease), writes=("by the second",)), writes=("by the first",))
    assert isinstance((await ledger.settle([finish], driver.now))[0], Settled)
    assert _names(driver) == ["by the second"]
    completed = [event for event in await driver.events(run_id) if event.kind == "STEP_COMPLETED"]
    assert [(event.stage, event.detail) for event in completed] == [
        ("extract", {"renamed": "by the first"}),
        ("chunk", {"renamed": "by the second"}),
    ]


def _settlements(driver: LedgerDriver, lease: Lease) -> dict[str, Settlement]:
    return {
        "advance and keep": Advance(lease, "chunk", 5, {"pages": 3}),
        "advance": Advance(lease, "chunk", 5, {"pages": 3}, keep=False),
        "advance, then advance": _then(lease, Advance(_next(lease), "embed", 5, {"chunks": 2})),
        "advance, then finish": _then(lease, Finish(_next(lease), {"chunks": 2}, ("connect",))),
        "finish": Finish(lease, {"pages": 3}, ("connect", "notify")),
        "fail": Fail(lease, "it broke", driver.later(30)),
        "reject": Fail(lease, "it can never work", driver.now, final=True),
        "suspend": Suspended(lease, driver.later(60), WaitingReason.PROVIDER_OPERATION, payload={"poll": 2}),
        "release": Release(lease),
    }


@pytest.mark.parametrize(
    "name",
    [
        *("advance and keep", "advance", "advance, then advance", "advance, then finish"),
        *("finish", "fail", "reject", "suspend", "release"),
    ],
)
async def test_a_repeated_settlement_gets_the_same_answer(driver: LedgerDriver, name: str) -> None:
    await driver.submit()
    lease = (await driver.claim_one()).lease
    settlement = _settlements(driver, lease)[name]

    first = await driver.try_settle(settlement)
    after_once = driver.contents()
    assert isinstance(first, Settled)
    assert await driver.try_settle(settlement) == first
    assert driver.contents() == after_once


async def test_a_settlement_repeated_in_one_batch_is_applied_once(driver: LedgerDriver) -> None:
    run_id = await driver.submitted_run()
    lease = (await driver.claim_one()).lease
    advance = Advance(lease, "chunk", 5)
    first, second = await driver.ledger.settle([advance, advance], driver.now)

    assert first == second
    assert [job.stage for job in await driver.jobs(run_id)] == ["extract", "chunk"]


async def test_a_repeated_advance_returns_no_lease_if_the_next_job_was_claimed(
    driver: LedgerDriver,
) -> None:
    # Given an advance that did not keep the lease, and the same worker claiming the next job properly
    await driver.submit()
    job = await driver.claim_one("anna")
    advance = Advance(job.lease, "chunk", 5, keep=False)
    await driver.settle(advance)
    await driver.claim_one("anna")
    # When the first settlement is sent again
    again = await driver.settle(advance)
    # Then no lease is returned, because the job is already claimed
    assert again.next is None


async def test_a_repeated_finish_returns_no_lease_if_follow_ups_were_claimed(
    driver: LedgerDriver,
) -> None:
    await driver.submit()
    job = await driver.claim_one("anna")
    finish = Finish(job.lease, follow_ups=("connect", "notify"))
    await driver.settle(finish)
    assert len(await driver.claim("anna")) == 2
    again = await driver.settle(finish)
    assert (again.status, again.next) == (JobStatus.COMPLETED, None)


async def test_a_repeated_advance_returns_no_lease_if_the_kept_job_was_rescued(
    driver: LedgerDriver,
) -> None:
    await driver.submit()
    job = await driver.claim_one("anna")
    advance = Advance(job.lease, "chunk", 5)
    await driver.settle(advance)
    await driver.rescue()
    again = await driver.settle(advance)
    assert (again.status, again.next) == (JobStatus.COMPLETED, None)


async def test_writes_are_applied_in_the_transaction_of_the_settlement(
    driver: LedgerDriver,
) -> None:
    # Given a ledger whose writes set a document's name
    def rename(tx: Transaction, job_id: str, write: object) -> None:
        if write == "breaks":
            raise RuntimeError("the disk is full")
        tx.connection.exec_driver_sql(f"update documents set name = '{write}'")

    ledger = SqlLedger(driver.database, apply_write=rename)
    await driver.submit("original")
    job = await driver.claim_one()

    # When a write fails, then neither it nor the checkpoint is stored
    before = driver.contents()
    with pytest.raises(RuntimeError):
        await ledger.settle([Finish(job.lease, writes=("renamed", "breaks"))], driver.now)
    assert driver.contents() == before

    # When an old lease sends writes in a batch with the new lease, then they are not applied
    await driver.rescue()
    held = (await driver.claim_one()).lease
    batch = [Finish(job.lease, writes=("by the zombie",)), Finish(held, writes=("by the holder",))]
    answers = await ledger.settle(batch, driver.now)
    assert [isinstance(answer, LeaseLost) for answer in answers] == [True, False]
    assert _names(driver) == ["by the holder"]

    # When the acknowledgement was lost and the checkpoint is sent again, then its writes are not repeated
    driver.sql("update documents set name = 'changed since'")
    assert isinstance((await ledger.settle(batch[1:], driver.now))[0], Settled)
    assert _names(driver) == ["changed since"]


async def test_times_are_those_of_the_commit(driver: LedgerDriver, clock: ManualClock) -> None:
    """I14: writes that take 94 seconds are part of the stage's and the run's duration."""

    def publish_slowly(_tx: Transaction, _job_id: str, _write: object) -> Json:
        clock.advance(94)
        return {"chunks": {"added": 2_000}}

    ledger = SqlLedger(driver.database, apply_write=publish_slowly, clock=clock)
    run_id = await driver.submitted_run("book")
    job = await driver.claim_one()
    started = driver.now
    await ledger.settle(
        [Finish(job.lease, follow_ups=("connect",), writes=("content",))], started, lease_seconds=30
    )

    committed = started + timedelta(seconds=94)
    run, events = await driver.run(run_id), await driver.events(run_id)
    finished, follow_up = await driver.jobs(run_id)
    assert (run.started_at, run.ended_at) == (started, committed)
    assert (finished.completed_at, follow_up.available_at) == (committed, committed)
    assert [event.at for event in events if event.kind in ("STEP_COMPLETED", "RUN_COMPLETED")] == [
        committed
    ] * 2
    assert [event.detail for event in events if event.kind == "STEP_COMPLETED"] == [
        {"chunks": {"added": 2_000}}
    ]


def _names(driver: LedgerDriver) -> list[Any]:
    return [row[0] for row in driver.sql("select name from documents")]
