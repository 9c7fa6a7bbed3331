"""I2 and I5: a verb with an old epoch changes no row, and a completed job is never changed."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace

import pytest

from tests.contract.ledger_driver import LEASE_SECONDS, LedgerDriver
from tests.support.factories import a_call
from towpath.errors import LeaseLost
from towpath.ledger.contract.provider_calls import CallAnswer
from towpath.ledger.contract.settlements import Advance, Fail, Finish, Release, Settlement, Suspended
from towpath.model.event import EventKind
from towpath.model.ids import DEFAULT_ORG_ID, new_id
from towpath.model.job import Lease, Progress, ProgressUnit, WaitingReason

CALL = a_call()


def _settles(
    make_settlement: Callable[[LedgerDriver, Lease], Settlement],
) -> Callable[[LedgerDriver, Lease], Awaitable[object]]:
    async def write(driver: LedgerDriver, lease: Lease) -> None:
        answer = await driver.try_settle(make_settlement(driver, lease))
        if isinstance(answer, LeaseLost):
            raise answer

    return write


async def _heartbeat(driver: LedgerDriver, lease: Lease) -> None:
    if lease.job_id not in driver.ledger.heartbeat([lease], LEASE_SECONDS, driver.now):
        raise LeaseLost("The heartbeat was refused.")


def _two_stages(lease: Lease) -> Advance:
    next_id = new_id()
    then = Finish(replace(lease, job_id=next_id, epoch=1), {"late": True})
    return Advance(lease, "chunk", 5, {"late": True}, next_id=next_id, then=then)


#: Every write that a worker can make with a lease.
WRITES: dict[str, Callable[[LedgerDriver, Lease], Awaitable[object]]] = {
    "heartbeat": _heartbeat,
    "progress": lambda driver, lease: driver.ledger.progress(
        lease, Progress(3, 4, ProgressUnit.PAGE), driver.now
    ),
    "note": lambda driver, lease: driver.ledger.add_event(
        lease, EventKind.SCHEDULER_CONTENTION, {"late": True}, driver.now
    ),
    "advance and keep": _settles(lambda driver, lease: Advance(lease, "chunk", 5, {"late": True})),
    "advance": _settles(lambda driver, lease: Advance(lease, "chunk", 5, {"late": True}, keep=False)),
    "advance, then finish": _settles(lambda driver, lease: _two_stages(lease)),
    "finish": _settles(lambda driver, lease: Finish(lease, {"late": True}, ("connect",))),
    "fail": _settles(lambda driver, lease: Fail(lease, "late", driver.now)),
    "reject": _settles(lambda driver, lease: Fail(lease, "late", driver.now, final=True)),
    "suspend": _settles(
        lambda driver, lease: Suspended(lease, driver.now, WaitingReason.STORAGE, payload={"late": True})
    ),
    "release": _settles(lambda driver, lease: Release(lease)),
    "begin a new call": lambda driver, lease: driver.ledger.begin_call(lease, a_call("other"), driver.now),
    "begin the same call": lambda driver, lease: driver.ledger.begin_call(lease, CALL, driver.now),
    "save an operation": lambda driver, lease: driver.ledger.save_operation_id(lease, CALL.key, "late"),
    "save an answer": lambda driver, lease: driver.ledger.save_answer(
        lease, CALL.key, CallAnswer({"late": True}, cost=9.0), driver.now
    ),
    "save a failed call": lambda driver, lease: driver.ledger.fail_call(lease, CALL.key, "late"),
}


async def _rescued(driver: LedgerDriver, _lease: Lease) -> None:
    await driver.rescue()


async def _rescued_and_claimed_by_another(driver: LedgerDriver, _lease: Lease) -> None:
    await driver.rescue()
    await driver.claim_one("boris")


async def _rescued_and_claimed_by_the_same(driver: LedgerDriver, _lease: Lease) -> None:
    await driver.rescue()
    await driver.claim_one("anna")


async def _rescued_claimed_and_calling(driver: LedgerDriver, _lease: Lease) -> None:
    await driver.rescue()
    job = await driver.claim_one("boris")
    await driver.ledger.begin_call(job.lease, CALL, driver.now)
    await driver.ledger.save_operation_id(job.lease, CALL.key, "operation of the valid holder")


async def _finished_by_another(driver: LedgerDriver, _lease: Lease) -> None:
    await driver.rescue()
    job = await driver.claim_one("boris")
    await driver.finish(job.lease)


async def _quarantined_by_another(driver: LedgerDriver, _lease: Lease) -> None:
    await driver.rescue()
    job = await driver.claim_one("boris")
    await driver.crash(job.lease, max_crashes=1)


async def _cancelled(driver: LedgerDriver, lease: Lease) -> None:
    await driver.ledger.cancel((await _run_of(driver, lease)), driver.now, org_id=DEFAULT_ORG_ID)


async def _timed_out(driver: LedgerDriver, _lease: Lease) -> None:
    driver.clock.advance(1001)
    await driver.ledger.sweep(driver.now)


async def _recovered(driver: LedgerDriver, _lease: Lease) -> None:
    await driver.ledger.recover(driver.now)


async def _run_of(driver: LedgerDriver, lease: Lease) -> str:
    rows = driver.sql("select run_id from document_processing_jobs where id = :job", job=lease.job_id)
    return str(rows[0][0])


LOSSES = [
    _rescued,
    _rescued_and_claimed_by_another,
    _rescued_and_claimed_by_the_same,
    _rescued_claimed_and_calling,
    _finished_by_another,
    _quarantined_by_another,
    _cancelled,
    _timed_out,
    _recovered,
]


@pytest.mark.parametrize("lost", LOSSES, ids=lambda lost: lost.__name__.strip("_"))
async def test_a_worker_with_a_lost_lease_writes_nothing(
    driver: LedgerDriver, lost: Callable[[LedgerDriver, Lease], Awaitable[None]]
) -> None:
    # Given a worker that began a call and then lost its lease
    await driver.submit(deadline_seconds=1000)
    zombie = (await driver.claim_one("anna")).lease
    await driver.ledger.begin_call(zombie, CALL, driver.now)
    await lost(driver, zombie)
    before = driver.contents()

    for write_name, write in WRITES.items():
        # When it tries any write
        with pytest.raises(LeaseLost):
            await write(driver, zombie)
        # Then the write is refused and no row is changed
        assert driver.contents() == before, write_name


@pytest.mark.parametrize("write_name", WRITES)
async def test_a_lease_that_was_never_granted_writes_nothing(driver: LedgerDriver, write_name: str) -> None:
    await driver.submit()
    held = (await driver.claim_one()).lease
    await driver.ledger.begin_call(held, CALL, driver.now)
    before = driver.contents()

    for epoch in (held.epoch - 1, held.epoch + 1):
        forged = Lease(held.job_id, epoch, held.worker, held.until)
        with pytest.raises(LeaseLost):
            await WRITES[write_name](driver, forged)
        assert driver.contents() == before


async def test_a_second_settlement_of_a_completed_job_changes_nothing(
    driver: LedgerDriver,
) -> None:
    # Given a stage completed under this lease
    await driver.submit()
    job = await driver.claim_one()
    await driver.advance(job.lease, result={"pages": 3}, keep=False)
    before = driver.contents()
    # When the same worker settles it differently with the same lease
    for write_name in ("fail", "reject", "suspend", "release"):
        with pytest.raises(LeaseLost):
            await WRITES[write_name](driver, job.lease)
    # Then the checkpoint stays as it was acknowledged
    assert driver.contents() == before
    assert (await driver.job(job)).result == {"pages": 3}


async def test_every_claim_raises_the_epoch(driver: LedgerDriver) -> None:
    await driver.submit(max_attempts=100)
    epochs: list[int] = []
    for end in (driver.release, driver.suspend, driver.fail, None, driver.release):
        lease = (await driver.claim_one()).lease
        epochs.append(lease.epoch)
        if end is None:
            await driver.rescue()
        else:
            await end(lease)
        driver.clock.advance(61)
    assert epochs == sorted(set(epochs))


async def test_of_two_leases_of_one_job_in_a_batch_only_the_newer_one_writes(
    driver: LedgerDriver,
) -> None:
    # Given a worker that lost a job, claimed it again, and finished both executions at the same moment
    await driver.submit()
    old = (await driver.claim_one("anna")).lease
    await driver.rescue()
    new = (await driver.claim_one("anna")).lease
    # When both are settled in one batch
    answers = await driver.ledger.settle(
        [Finish(old, {"by": "old"}), Finish(new, {"by": "new"}), Fail(old, "late", driver.now)], driver.now
    )
    # Then the old lease gets LeaseLost, and only the result of the new one is stored
    assert [isinstance(answer, LeaseLost) for answer in answers] == [True, False, True]
    rows = driver.sql("select result from document_processing_jobs where id = :job", job=new.job_id)
    assert "new" in str(rows[0][0])
    assert "old" not in str(rows[0][0])
