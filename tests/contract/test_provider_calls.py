"""I6: what was answered is never asked again, what was started is polled, and the open window is counted."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from tests.contract.story import LEASE_SECONDS, Story
from tests.support.factories import a_call, a_submission, add_organizations, organization_id
from towpath.errors import LeaseLost
from towpath.ledger.contract import (
    CallAnswer,
    CallAnswered,
    CallBusy,
    CallOperation,
    CallRequest,
    CallState,
    CallYours,
)
from towpath.model.ids import HOME_ORG
from towpath.model.work import Claimed, Lease

CALL = a_call()
ANSWER = CallAnswer({"vectors": [1, 2]}, None, {"tokens": 120.0}, 0.004)


async def _begin(story: Story, lease: Lease, call: CallRequest = CALL) -> CallState:
    return await story.ledger.call_begin(lease, call, story.now)


async def _worker(story: Story, name: str = "anna") -> Claimed:
    """A worker with a document of its own."""
    await story.submit()
    return await story.claim_one(name)


def _row(story: Story) -> Any:
    (row,) = story.sql("select * from provider_calls")
    return row


async def test_given_a_new_call_then_it_is_yours_and_the_intent_is_noted_first(story: Story) -> None:
    job = await _worker(story)
    assert await _begin(story, job.lease) == CallYours()
    row = _row(story)
    assert (row.status, row.provider, row.model) == ("STARTED", "openai", "small-embedder")
    assert (str(row.job_id), row.lease_epoch, row.reused, row.reopened) == (job.lease.job_id, 1, 0, 0)


async def test_given_an_answered_call_then_it_is_reused_for_free_by_everyone_in_the_organization(
    story: Story,
) -> None:
    # Given an answer that was paid for
    job = await _worker(story)
    await _begin(story, job.lease)
    await story.ledger.call_answer(job.lease, CALL.key, ANSWER, story.now)
    # When the same job, a retry, a resumed run and another document want it
    takers = [job.lease]
    await story.rescue()
    takers.append((await story.claim_one()).lease)
    await story.ledger.recover(story.now)
    takers.append((await story.claim_one()).lease)
    takers.append((await _worker(story)).lease)
    # Then each gets the answer, and it is counted
    for place, lease in enumerate(takers):
        if place >= 2:
            assert await _begin(story, lease) == CallAnswered({"vectors": [1, 2]}, None)
        else:
            with pytest.raises(LeaseLost):
                await _begin(story, lease)
    row = _row(story)
    assert (row.status, row.reused, row.reopened, row.cost) == ("ANSWERED", 2, 0, 0.004)
    assert "120" in str(row.units)


async def test_given_a_large_answer_then_its_artifact_is_handed_out(story: Story) -> None:
    job = await _worker(story)
    await _begin(story, job.lease)
    kept = CallAnswer(None, "answers/abc", {"pages": 12}, 1.2)
    await story.ledger.call_answer(job.lease, CALL.key, kept, story.now)
    assert await _begin(story, job.lease) == CallAnswered(None, "answers/abc")


async def test_given_another_organization_then_its_memory_is_its_own(story: Story) -> None:
    job = await _worker(story)
    await _begin(story, job.lease)
    await story.ledger.call_answer(job.lease, CALL.key, ANSWER, story.now)
    stranger = organization_id(2)
    add_organizations(story.database, stranger)
    await story.ledger.submit(a_submission(org_id=stranger), story.now)
    theirs = await story.claim_one()
    assert theirs.org_id == stranger
    assert await _begin(story, theirs.lease) == CallYours()


async def test_given_a_living_worker_that_calls_then_another_is_told_to_come_back(story: Story) -> None:
    # Given anna making a call for one document
    anna = await _worker(story, "anna")
    await _begin(story, anna.lease)
    # When boris wants the same for another document
    boris = await _worker(story, "boris")
    assert await _begin(story, boris.lease) == CallBusy(anna.lease.until)
    # Then he waits by suspending, and finds the answer
    await story.suspend(boris.lease, wait=LEASE_SECONDS)
    await story.ledger.call_answer(anna.lease, CALL.key, ANSWER, story.now)
    story.clock.advance(LEASE_SECONDS)
    again = await story.claim_one("boris")
    assert await _begin(story, again.lease) == CallAnswered({"vectors": [1, 2]}, None)
    assert (_row(story).reused, _row(story).reopened) == (1, 0)


async def test_given_a_living_worker_that_renews_its_lease_then_the_call_stays_busy(story: Story) -> None:
    anna = await _worker(story, "anna")
    await _begin(story, anna.lease)
    story.clock.advance(LEASE_SECONDS - 1)
    story.ledger.heartbeat([anna.lease], LEASE_SECONDS, story.now)
    boris = await _worker(story, "boris")
    assert await _begin(story, boris.lease) == CallBusy(story.later(LEASE_SECONDS))


async def test_given_a_worker_that_died_before_saving_an_id_then_the_open_window_is_counted(
    story: Story,
) -> None:
    anna = await _worker(story, "anna")
    await _begin(story, anna.lease)
    await story.rescue()
    boris = await story.claim_one("boris")
    assert await _begin(story, boris.lease) == CallYours(reopened=True)
    assert _row(story).reopened == 1
    # The dead worker's late answer is not taken, the living one's is
    with pytest.raises(LeaseLost):
        await story.ledger.call_answer(anna.lease, CALL.key, ANSWER, story.now)
    await story.ledger.call_answer(boris.lease, CALL.key, ANSWER, story.now)
    assert _row(story).status == "ANSWERED"


async def test_given_a_started_operation_when_its_worker_dies_then_the_next_one_polls_it(
    story: Story,
) -> None:
    anna = await _worker(story, "anna")
    await _begin(story, anna.lease)
    await story.ledger.call_operation(anna.lease, CALL.key, "op-17")
    await story.rescue()
    boris = await story.claim_one("boris")
    assert await _begin(story, boris.lease) == CallOperation("op-17")
    assert _row(story).reopened == 0
    await story.ledger.call_answer(boris.lease, CALL.key, ANSWER, story.now)
    assert (_row(story).status, _row(story).operation_id) == ("ANSWERED", "op-17")


async def test_given_a_long_operation_polled_by_suspending_then_it_is_started_once(story: Story) -> None:
    job = await _worker(story)
    assert await _begin(story, job.lease) == CallYours()
    await story.ledger.call_operation(job.lease, CALL.key, "op-17")
    for _ in range(5):
        await story.suspend(job.lease, wait=2)
        story.clock.advance(2)
        job = await story.claim_one()
        assert await _begin(story, job.lease) == CallOperation("op-17")
    await story.ledger.call_answer(job.lease, CALL.key, ANSWER, story.now)
    assert (_row(story).reopened, _row(story).reused) == (0, 0)


async def test_given_an_operation_of_a_suspended_job_then_another_document_may_poll_it(story: Story) -> None:
    # Given anna's document waiting for an operation
    anna = await _worker(story, "anna")
    await _begin(story, anna.lease)
    await story.ledger.call_operation(anna.lease, CALL.key, "op-17")
    await story.suspend(anna.lease, wait=20)
    # When boris' document wants the same, then he polls the same operation
    boris = await _worker(story, "boris")
    assert await _begin(story, boris.lease) == CallOperation("op-17")
    # And anna, back again, waits for boris while he holds it, and takes it over when he is gone
    story.clock.advance(20)
    anna = await story.claim_one("anna")
    assert await _begin(story, anna.lease) == CallBusy(boris.lease.until)
    await story.release(boris.lease)
    assert await _begin(story, anna.lease) == CallOperation("op-17")


async def test_given_a_call_that_failed_then_it_is_made_again_without_counting_a_window(story: Story) -> None:
    job = await _worker(story)
    await _begin(story, job.lease)
    await story.ledger.call_operation(job.lease, CALL.key, "op-1")
    await story.ledger.call_failed(job.lease, CALL.key, "503 from the provider")
    assert (_row(story).status, _row(story).error) == ("FAILED", "503 from the provider")
    await story.fail(job.lease)
    again = await story.claim_one()
    assert await _begin(story, again.lease) == CallYours()
    row = _row(story)
    assert (row.status, row.operation_id, row.reopened) == ("STARTED", None, 0)
    await story.ledger.call_answer(again.lease, CALL.key, ANSWER, story.now)
    assert (_row(story).status, _row(story).error) == ("ANSWERED", None)


async def test_given_a_call_begun_and_begun_again_by_the_same_lease_then_no_window_is_counted(
    story: Story,
) -> None:
    job = await _worker(story)
    assert await _begin(story, job.lease) == CallYours()
    assert await _begin(story, job.lease) == CallYours()
    assert _row(story).reopened == 0


async def test_given_an_acknowledgement_that_was_lost_when_the_answer_is_saved_again_then_it_is_accepted(
    story: Story,
) -> None:
    job = await _worker(story)
    await _begin(story, job.lease)
    await story.ledger.call_operation(job.lease, CALL.key, "op-1")
    await story.ledger.call_operation(job.lease, CALL.key, "op-1")
    await story.ledger.call_answer(job.lease, CALL.key, ANSWER, story.now)
    before = story.contents()
    await story.ledger.call_answer(job.lease, CALL.key, ANSWER, story.now)
    assert story.contents() == before
    # But an answer is not taken back
    with pytest.raises(LeaseLost):
        await story.ledger.call_failed(job.lease, CALL.key, "on second thoughts")
    assert story.contents() == before


async def test_given_a_call_never_begun_then_nothing_can_be_saved_about_it(story: Story) -> None:
    job = await _worker(story)
    with pytest.raises(LeaseLost):
        await story.ledger.call_answer(job.lease, "0" * 64, ANSWER, story.now)
    with pytest.raises(LeaseLost):
        await story.ledger.call_operation(job.lease, "0" * 64, "op-1")


async def test_given_a_call_taken_over_while_its_first_worker_slept_then_only_the_new_one_writes(
    story: Story,
) -> None:
    # Given anna, whose lease ran out but was not rescued yet, and boris who took the call over
    anna = await _worker(story, "anna")
    await _begin(story, anna.lease)
    story.clock.advance(LEASE_SECONDS + 1)
    boris = await _worker(story, "boris")
    assert await _begin(story, boris.lease) == CallYours(reopened=True)
    # When anna wakes up with a lease that is still her job's
    assert story.ledger.heartbeat([anna.lease], LEASE_SECONDS, story.now) == {anna.lease.job_id}
    # Then the call is not hers any more
    with pytest.raises(LeaseLost):
        await story.ledger.call_answer(anna.lease, CALL.key, ANSWER, story.now)
    assert await _begin(story, anna.lease) == CallBusy(boris.lease.until)
    await story.ledger.call_answer(boris.lease, CALL.key, ANSWER, story.now)
    assert await _begin(story, anna.lease) == CallAnswered({"vectors": [1, 2]}, None)


async def test_given_eight_documents_wanting_one_call_at_once_then_one_makes_it(story: Story) -> None:
    for _ in range(8):
        await story.submit()
    jobs = [(await story.claim_one(f"worker {number}")) for number in range(8)]
    states = await asyncio.gather(*(_begin(story, job.lease) for job in jobs))
    assert sum(isinstance(state, CallYours) for state in states) == 1
    assert sum(isinstance(state, CallBusy) for state in states) == 7


async def test_given_a_deleted_document_then_its_answer_still_serves_others(story: Story) -> None:
    job = await _worker(story)
    await _begin(story, job.lease)
    await story.ledger.call_answer(job.lease, CALL.key, ANSWER, story.now)
    story.sql("delete from documents where id = :id and org_id = :org", id=job.document_id, org=HOME_ORG)
    other = await _worker(story)
    assert await _begin(story, other.lease) == CallAnswered({"vectors": [1, 2]}, None)
