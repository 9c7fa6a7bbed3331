"""I6: an answered call is never made again, a started operation is polled, and repeated calls are counted."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from tests.contract.ledger_driver import LEASE_SECONDS, LedgerDriver
from tests.support.factories import a_call, a_submission, add_organizations, organization_id
from towpath.errors import LeaseLost
from towpath.ledger.contract.provider_calls import (
    CallAnswer,
    CallCached,
    CallInProgress,
    CallRequest,
    CallReserved,
    CallRunning,
    CallState,
)
from towpath.model.ids import DEFAULT_ORG_ID, new_id
from towpath.model.job import ClaimedJob, Lease

CALL = a_call()
ANSWER = CallAnswer({"vectors": [1, 2]}, None, {"tokens": 120.0}, 0.004)


async def _begin(driver: LedgerDriver, lease: Lease, call: CallRequest = CALL) -> CallState:
    return await driver.ledger.begin_call(lease, call, driver.now)


async def _worker(driver: LedgerDriver, name: str = "anna") -> ClaimedJob:
    """Claim a job of a new document."""
    await driver.submit()
    return await driver.claim_one(name)


def _row(driver: LedgerDriver) -> Any:
    (row,) = driver.sql("select * from provider_calls")
    return row


async def test_a_new_call_is_reserved_and_its_intent_is_stored(driver: LedgerDriver) -> None:
    job = await _worker(driver)
    assert await _begin(driver, job.lease) == CallReserved()
    row = _row(driver)
    assert (row.status, row.provider, row.model) == ("STARTED", "openai", "small-embedder")
    assert (str(row.job_id), row.lease_epoch, row.reused, row.repeated) == (job.lease.job_id, 1, 0, 0)


async def test_an_answered_call_is_reused_in_the_whole_organization(
    driver: LedgerDriver,
) -> None:
    # Given an answer that was paid for
    job = await _worker(driver)
    await _begin(driver, job.lease)
    await driver.ledger.save_answer(job.lease, CALL.key, ANSWER, driver.now)
    # When the same job, a retry, a resumed run and another document begin the same call
    leases = [job.lease]
    await driver.rescue()
    leases.append((await driver.claim_one()).lease)
    await driver.ledger.recover(driver.now)
    leases.append((await driver.claim_one()).lease)
    leases.append((await _worker(driver)).lease)
    # Then each valid lease gets the answer, and each reuse is counted
    for index, lease in enumerate(leases):
        if index >= 2:
            assert await _begin(driver, lease) == CallCached({"vectors": [1, 2]}, None)
        else:
            with pytest.raises(LeaseLost):
                await _begin(driver, lease)
    row = _row(driver)
    assert (row.status, row.reused, row.repeated, row.cost) == ("ANSWERED", 2, 0, 0.004)
    assert "120" in str(row.units)


async def test_a_large_answer_is_returned_as_an_artifact(driver: LedgerDriver) -> None:
    job = await _worker(driver)
    await _begin(driver, job.lease)
    answer = CallAnswer(None, "answers/abc", {"pages": 12}, 1.2)
    await driver.ledger.save_answer(job.lease, CALL.key, answer, driver.now)
    assert await _begin(driver, job.lease) == CallCached(None, "answers/abc")


async def test_answers_are_not_shared_between_organizations(driver: LedgerDriver) -> None:
    job = await _worker(driver)
    await _begin(driver, job.lease)
    await driver.ledger.save_answer(job.lease, CALL.key, ANSWER, driver.now)
    other_org = organization_id(2)
    add_organizations(driver.database, other_org)
    await driver.ledger.submit(a_submission(org_id=other_org), driver.now)
    other_job = await driver.claim_one()
    assert other_job.org_id == other_org
    assert await _begin(driver, other_job.lease) == CallReserved()


async def test_a_call_in_progress_is_not_made_twice(
    driver: LedgerDriver,
) -> None:
    # Given a call in progress for one document
    anna = await _worker(driver, "anna")
    await _begin(driver, anna.lease)
    # When another worker begins the same call for another document
    boris = await _worker(driver, "boris")
    assert await _begin(driver, boris.lease) == CallInProgress(anna.lease.until)
    # Then it suspends, and finds the answer
    await driver.suspend(boris.lease, wait=LEASE_SECONDS)
    await driver.ledger.save_answer(anna.lease, CALL.key, ANSWER, driver.now)
    driver.clock.advance(LEASE_SECONDS)
    again = await driver.claim_one("boris")
    assert await _begin(driver, again.lease) == CallCached({"vectors": [1, 2]}, None)
    assert (_row(driver).reused, _row(driver).repeated) == (1, 0)


async def test_a_call_stays_in_progress_while_its_lease_is_renewed(
    driver: LedgerDriver,
) -> None:
    anna = await _worker(driver, "anna")
    await _begin(driver, anna.lease)
    driver.clock.advance(LEASE_SECONDS - 1)
    driver.ledger.heartbeat([anna.lease], LEASE_SECONDS, driver.now)
    boris = await _worker(driver, "boris")
    assert await _begin(driver, boris.lease) == CallInProgress(driver.later(LEASE_SECONDS))


async def test_a_call_without_operation_id_is_counted_as_repeated(
    driver: LedgerDriver,
) -> None:
    anna = await _worker(driver, "anna")
    await _begin(driver, anna.lease)
    await driver.rescue()
    boris = await driver.claim_one("boris")
    assert await _begin(driver, boris.lease) == CallReserved(repeated=True)
    assert _row(driver).repeated == 1
    # The late answer of the dead worker is refused, the answer of the live worker is stored
    with pytest.raises(LeaseLost):
        await driver.ledger.save_answer(anna.lease, CALL.key, ANSWER, driver.now)
    await driver.ledger.save_answer(boris.lease, CALL.key, ANSWER, driver.now)
    assert _row(driver).status == "ANSWERED"


async def test_an_operation_of_a_dead_worker_is_polled_by_the_next_one(
    driver: LedgerDriver,
) -> None:
    anna = await _worker(driver, "anna")
    await _begin(driver, anna.lease)
    await driver.ledger.save_operation_id(anna.lease, CALL.key, "op-17")
    await driver.rescue()
    boris = await driver.claim_one("boris")
    assert await _begin(driver, boris.lease) == CallRunning("op-17")
    assert _row(driver).repeated == 0
    await driver.ledger.save_answer(boris.lease, CALL.key, ANSWER, driver.now)
    assert (_row(driver).status, _row(driver).operation_id) == ("ANSWERED", "op-17")


async def test_an_operation_polled_by_suspending_is_started_once(
    driver: LedgerDriver,
) -> None:
    job = await _worker(driver)
    assert await _begin(driver, job.lease) == CallReserved()
    await driver.ledger.save_operation_id(job.lease, CALL.key, "op-17")
    for _ in range(5):
        await driver.suspend(job.lease, wait=2)
        driver.clock.advance(2)
        job = await driver.claim_one()
        assert await _begin(driver, job.lease) == CallRunning("op-17")
    await driver.ledger.save_answer(job.lease, CALL.key, ANSWER, driver.now)
    assert (_row(driver).repeated, _row(driver).reused) == (0, 0)


async def test_another_document_can_poll_the_operation_of_a_suspended_job(
    driver: LedgerDriver,
) -> None:
    # Given anna's document waiting for an operation
    anna = await _worker(driver, "anna")
    await _begin(driver, anna.lease)
    await driver.ledger.save_operation_id(anna.lease, CALL.key, "op-17")
    await driver.suspend(anna.lease, wait=20)
    # When boris' document begins the same call, then boris polls the same operation
    boris = await _worker(driver, "boris")
    assert await _begin(driver, boris.lease) == CallRunning("op-17")
    # And anna waits while boris holds the call, and takes it over after his release
    driver.clock.advance(20)
    anna = await driver.claim_one("anna")
    assert await _begin(driver, anna.lease) == CallInProgress(boris.lease.until)
    await driver.release(boris.lease)
    assert await _begin(driver, anna.lease) == CallRunning("op-17")


async def test_a_failed_call_is_made_again_and_not_counted_as_repeated(
    driver: LedgerDriver,
) -> None:
    job = await _worker(driver)
    await _begin(driver, job.lease)
    await driver.ledger.save_operation_id(job.lease, CALL.key, "op-1")
    await driver.ledger.fail_call(job.lease, CALL.key, "503 from the provider")
    assert (_row(driver).status, _row(driver).error) == ("FAILED", "503 from the provider")
    await driver.fail(job.lease)
    again = await driver.claim_one()
    assert await _begin(driver, again.lease) == CallReserved()
    row = _row(driver)
    assert (row.status, row.operation_id, row.repeated) == ("STARTED", None, 0)
    await driver.ledger.save_answer(again.lease, CALL.key, ANSWER, driver.now)
    assert (_row(driver).status, _row(driver).error) == ("ANSWERED", None)


async def test_a_call_begun_twice_by_one_lease_is_not_counted_as_repeated(
    driver: LedgerDriver,
) -> None:
    job = await _worker(driver)
    assert await _begin(driver, job.lease) == CallReserved()
    assert await _begin(driver, job.lease) == CallReserved()
    assert _row(driver).repeated == 0


async def test_an_answer_saved_again_by_the_same_lease_is_accepted(
    driver: LedgerDriver,
) -> None:
    job = await _worker(driver)
    await _begin(driver, job.lease)
    await driver.ledger.save_operation_id(job.lease, CALL.key, "op-1")
    await driver.ledger.save_operation_id(job.lease, CALL.key, "op-1")
    await driver.ledger.save_answer(job.lease, CALL.key, ANSWER, driver.now)
    before = driver.contents()
    await driver.ledger.save_answer(job.lease, CALL.key, ANSWER, driver.now)
    assert driver.contents() == before
    # But an answer cannot be replaced by a failure
    with pytest.raises(LeaseLost):
        await driver.ledger.fail_call(job.lease, CALL.key, "on second thoughts")
    assert driver.contents() == before


async def test_an_answer_of_a_call_that_was_never_begun_is_refused(driver: LedgerDriver) -> None:
    job = await _worker(driver)
    with pytest.raises(LeaseLost):
        await driver.ledger.save_answer(job.lease, "0" * 64, ANSWER, driver.now)
    with pytest.raises(LeaseLost):
        await driver.ledger.save_operation_id(job.lease, "0" * 64, "op-1")


async def test_only_the_new_owner_of_a_call_can_write(
    driver: LedgerDriver,
) -> None:
    # Given anna, whose lease expired and was not rescued yet, and boris who took the call over
    anna = await _worker(driver, "anna")
    await _begin(driver, anna.lease)
    driver.clock.advance(LEASE_SECONDS + 1)
    boris = await _worker(driver, "boris")
    assert await _begin(driver, boris.lease) == CallReserved(repeated=True)
    # When anna renews the lease of her job
    assert driver.ledger.heartbeat([anna.lease], LEASE_SECONDS, driver.now) == {anna.lease.job_id}
    # Then she does not own the call any more
    with pytest.raises(LeaseLost):
        await driver.ledger.save_answer(anna.lease, CALL.key, ANSWER, driver.now)
    assert await _begin(driver, anna.lease) == CallInProgress(boris.lease.until)
    await driver.ledger.save_answer(boris.lease, CALL.key, ANSWER, driver.now)
    assert await _begin(driver, anna.lease) == CallCached({"vectors": [1, 2]}, None)


async def test_of_eight_concurrent_documents_one_makes_the_call(driver: LedgerDriver) -> None:
    for _ in range(8):
        await driver.submit()
    jobs = [(await driver.claim_one(f"worker {number}")) for number in range(8)]
    states = await asyncio.gather(*(_begin(driver, job.lease) for job in jobs))
    assert sum(isinstance(state, CallReserved) for state in states) == 1
    assert sum(isinstance(state, CallInProgress) for state in states) == 7


async def test_an_answer_is_reused_after_its_document_was_deleted(driver: LedgerDriver) -> None:
    job = await _worker(driver)
    await _begin(driver, job.lease)
    await driver.ledger.save_answer(job.lease, CALL.key, ANSWER, driver.now)
    driver.sql(
        "delete from documents where id = :id and org_id = :org", id=job.document_id, org=DEFAULT_ORG_ID
    )
    other = await _worker(driver)
    assert await _begin(driver, other.lease) == CallCached({"vectors": [1, 2]}, None)


async def test_answered_calls_are_known_by_their_keys(driver: LedgerDriver) -> None:
    await driver.submit()
    lease = (await driver.claim_one()).lease
    for key in ("answered", "failed", "open"):
        await driver.ledger.begin_call(lease, CallRequest(key, "openai", "small"), driver.now)
    await driver.ledger.save_answer(lease, "answered", CallAnswer({"text": "words"}), driver.now)
    await driver.ledger.fail_call(lease, "failed", "busy")
    keys = ["answered", "failed", "open", *(f"unknown {number}" for number in range(1200))]
    assert await driver.ledger.answered_calls(DEFAULT_ORG_ID, keys) == {"answered"}
    assert await driver.ledger.answered_calls(new_id(), keys) == set()


async def test_a_batch_limit_holds_for_one_server_and_thirty_days(driver: LedgerDriver) -> None:
    ledger = driver.ledger
    assert await ledger.batch_limit("openai", "server small", driver.now) is None
    for inputs in (64, 32):
        await ledger.save_batch_limit("openai", "server small", inputs, driver.now)
    assert await ledger.batch_limit("openai", "server small", driver.now) == 32
    assert await ledger.batch_limit("openai", "server large", driver.now) is None
    driver.clock.advance(31 * 86_400)
    assert await ledger.batch_limit("openai", "server small", driver.now) is None
