"""submit: creates document, run and first job; the same bytes are the same document."""

from __future__ import annotations

import asyncio

import pytest
from sqlalchemy.exc import IntegrityError

from tests.contract.ledger_driver import LedgerDriver
from tests.support.factories import a_plan, a_submission, add_organizations, organization_id
from towpath.errors import KeyConflict, NotFound
from towpath.ledger.contract.ledger import Submitted
from towpath.ledger.contract.settlements import Fail
from towpath.ledger.verbs.submit import known_key
from towpath.model.event import EventKind
from towpath.model.ids import DEFAULT_ORG_ID, document_id
from towpath.model.job import JobStatus
from towpath.model.run import FailureType, RunState


async def test_submit_creates_document_run_and_first_job(driver: LedgerDriver) -> None:
    plan = a_plan(options={"language": "de"}, payload={"size": 7}, max_attempts=3, deadline_seconds=120)
    submitted = await driver.submit("a new document", plan=plan)

    assert submitted.duplicate is False
    assert submitted.run_id is not None
    run = await driver.run(submitted.run_id)
    assert (run.state, run.pipeline, run.pipeline_version) == (RunState.QUEUED, "document", 1)
    assert (run.options, run.created_at, run.deadline_at) == ({"language": "de"}, driver.now, None)
    (job,) = await driver.jobs(run.id)
    assert (job.stage, job.status, job.payload) == ("extract", JobStatus.PENDING, {"size": 7})
    assert (job.attempts, job.max_attempts, job.crashes, job.lease_epoch) == (0, 3, 0, 0)
    assert job.available_at == driver.now
    assert [event.kind for event in await driver.events(run.id)] == [EventKind.RUN_QUEUED]
    assert driver.document_status(submitted.document_id) == "PROCESSING"


async def test_the_same_bytes_give_the_same_document(
    driver: LedgerDriver,
) -> None:
    first = await driver.submit("the same bytes")
    again = await driver.submit("the same bytes")

    assert (again.document_id, again.run_id, again.duplicate) == (first.document_id, first.run_id, True)
    assert len(await driver.runs(first.document_id)) == 1


@pytest.mark.parametrize("end", ["running", "completed"])
async def test_resubmitting_a_document_without_failure_adds_no_run(driver: LedgerDriver, end: str) -> None:
    first = await driver.submit("the same bytes")
    job = await driver.claim_one()
    if end == "completed":
        await driver.finish(job.lease)
    again = await driver.submit("the same bytes")

    assert (again.run_id, again.duplicate) == (first.run_id, True)
    assert len(await driver.runs(first.document_id)) == 1


@pytest.mark.parametrize("end", ["failed", "cancelled", "timed out"])
async def test_resubmitting_a_failed_document_queues_a_new_run(driver: LedgerDriver, end: str) -> None:
    first = await driver.submit("the same bytes", deadline_seconds=100)
    job = await driver.claim_one()
    if end == "failed":
        await driver.fail(job.lease, final=True)
    elif end == "cancelled":
        await driver.ledger.cancel(job.run_id, driver.now, org_id=DEFAULT_ORG_ID)
    else:
        driver.clock.advance(101)
        await driver.ledger.sweep(driver.now)
    again = await driver.submit("the same bytes")

    assert (again.document_id, again.duplicate) == (first.document_id, True)
    assert again.run_id != first.run_id
    assert [claimed.run_id for claimed in await driver.claim()] == [again.run_id]


async def test_resubmitting_a_rejected_document_adds_no_run(
    driver: LedgerDriver,
) -> None:
    first = await driver.submit("the same bytes")
    job = await driver.claim_one()
    await driver.settle(
        Fail(job.lease, "It is encrypted.", driver.now, final=True, failure_type=FailureType.REJECTED)
    )
    again = await driver.submit("the same bytes")

    assert (again.document_id, again.run_id, again.duplicate) == (first.document_id, first.run_id, True)
    assert await driver.claim() == []


async def test_resubmitting_a_document_that_a_provider_rejected_queues_a_new_run(
    driver: LedgerDriver,
) -> None:
    first = await driver.submit("the same bytes")
    job = await driver.claim_one()
    await driver.settle(
        Fail(
            job.lease,
            "openai rejected this text.",
            driver.now,
            final=True,
            failure_type=FailureType.REJECTED,
            rejected_by="openai",
        )
    )
    again = await driver.submit("the same bytes")

    assert (again.document_id, again.duplicate) == (first.document_id, True)
    assert [claimed.run_id for claimed in await driver.claim()] == [again.run_id]


async def test_the_same_bytes_are_two_documents_in_two_organizations(driver: LedgerDriver) -> None:
    other_org = organization_id(2)
    add_organizations(driver.database, other_org)
    first = await driver.submit("the same bytes")
    second = await driver.submit("the same bytes", org_id=other_org)

    assert second.duplicate is False
    assert second.document_id != first.document_id


async def test_submit_many_finds_duplicates_in_hundreds_of_documents(driver: LedgerDriver) -> None:
    known = await driver.submit("document 3")
    contents = [f"document {number % 300}" for number in range(601)]
    answers = await driver.ledger.submit_many([a_submission(content) for content in contents], driver.now)

    assert [answer.document_id for answer in answers[:300]] == [
        answer.document_id for answer in answers[300:600]
    ]
    assert len({answer.document_id for answer in answers}) == 300
    assert answers[3].document_id == known.document_id
    new = [index for index, answer in enumerate(answers) if not answer.duplicate]
    assert new == [index for index in range(300) if index != 3]
    for answer in answers[:300:50]:
        assert len(await driver.runs(answer.document_id)) == 1


async def test_submit_many_answers_duplicates_in_order(
    driver: LedgerDriver,
) -> None:
    known = await driver.submit("known")
    batch = [a_submission(content) for content in ("new", "known", "twin", "twin")]
    new, again, twin, other_twin = await driver.ledger.submit_many(batch, driver.now)

    assert (new.duplicate, twin.duplicate) == (False, False)
    assert (again.document_id, again.duplicate) == (known.document_id, True)
    assert (other_twin.document_id, other_twin.run_id, other_twin.duplicate) == (
        twin.document_id,
        twin.run_id,
        True,
    )
    assert len(await driver.claim()) == 3


async def test_an_idempotency_key_is_stored_with_its_document(driver: LedgerDriver) -> None:
    submission = a_submission("bytes", idempotency_key="order 66")
    first = await driver.ledger.submit(submission, driver.now)
    again = await driver.ledger.submit(submission, driver.now)

    assert again.document_id == first.document_id
    stored_id = driver.database.transact(lambda tx: known_key(tx, DEFAULT_ORG_ID, "order 66"))
    assert stored_id == first.document_id
    assert driver.database.transact(lambda tx: known_key(tx, DEFAULT_ORG_ID, "order 67")) is None


async def test_two_concurrent_files_with_one_idempotency_key_conflict(
    driver: LedgerDriver,
) -> None:
    submissions = [a_submission(f"file {n}", idempotency_key="order 66") for n in range(6)]

    answers = await asyncio.gather(
        *(driver.ledger.submit(submission, driver.now) for submission in submissions), return_exceptions=True
    )

    accepted = [answer for answer in answers if isinstance(answer, Submitted)]
    assert [type(answer) for answer in answers if answer not in accepted] == [KeyConflict] * 5
    stored_id = driver.database.transact(lambda tx: known_key(tx, DEFAULT_ORG_ID, "order 66"))
    assert [answer.document_id for answer in accepted] == [stored_id]
    assert len(await driver.claim()) == 1, "the refused submissions left no jobs"


async def test_the_document_id_depends_only_on_organization_and_bytes(
    driver: LedgerDriver,
) -> None:
    submission = a_submission("bytes")
    submitted = await driver.ledger.submit(submission, driver.now)
    assert submitted.document_id == document_id(DEFAULT_ORG_ID, submission.document.sha256)


async def test_the_same_bytes_twice_in_one_batch_are_one_document(
    driver: LedgerDriver,
) -> None:
    first, second = await driver.ledger.submit_many([a_submission("twin"), a_submission("twin")], driver.now)

    assert first.document_id == second.document_id
    assert first.run_id == second.run_id
    assert [first.duplicate, second.duplicate] == [False, True]
    assert await driver.states(first.document_id) == ["QUEUED"]


async def test_submit_for_an_unknown_organization_stores_nothing(driver: LedgerDriver) -> None:
    with pytest.raises(IntegrityError):
        await driver.submit(org_id=organization_id(404))
    assert driver.contents()["documents"] == []


async def test_eight_concurrent_uploads_of_the_same_bytes_are_one_document(
    driver: LedgerDriver,
) -> None:
    answers = await asyncio.gather(*(driver.submit("all at once") for _ in range(8)))

    assert len({answer.document_id for answer in answers}) == 1
    assert sorted(answer.duplicate for answer in answers) == [False] + [True] * 7
    assert await driver.states(answers[0].document_id) == ["QUEUED"]


async def test_runs_jobs_and_documents_of_another_organization_are_not_found(
    driver: LedgerDriver,
) -> None:
    other_org = organization_id(2)
    submitted = await driver.submit()
    run_id = submitted.run_id
    assert run_id is not None
    job = await driver.last_job(run_id)
    before = driver.contents()

    with pytest.raises(NotFound):
        await driver.ledger.run(run_id, org_id=other_org)
    with pytest.raises(NotFound):
        await driver.ledger.cancel(run_id, driver.now, org_id=other_org)
    with pytest.raises(NotFound):
        await driver.ledger.retry(job.id, driver.now, org_id=other_org)
    with pytest.raises(NotFound):
        await driver.ledger.reprocess(submitted.document_id, a_plan(), driver.now, org_id=other_org)
    assert await driver.ledger.runs(submitted.document_id, org_id=other_org) == []
    assert await driver.ledger.jobs(run_id, org_id=other_org) == []
    assert await driver.ledger.events(run_id, org_id=other_org) == []
    assert await driver.ledger.retry_many(driver.now, org_id=other_org) == []
    assert driver.contents() == before


@pytest.mark.parametrize("name", ["not-an-id", "", "7", "00000000-0000-7000-9000-00000000000x", "\x00"])
async def test_a_text_that_is_no_id_is_not_found(driver: LedgerDriver, name: str) -> None:
    with pytest.raises(NotFound):
        await driver.ledger.run(name, org_id=DEFAULT_ORG_ID)
    with pytest.raises(NotFound):
        await driver.ledger.cancel(name, driver.now, org_id=DEFAULT_ORG_ID)
    with pytest.raises(NotFound):
        await driver.ledger.retry(name, driver.now, org_id=DEFAULT_ORG_ID)
    with pytest.raises(NotFound):
        await driver.ledger.reprocess(name, a_plan(), driver.now, org_id=DEFAULT_ORG_ID)
    assert await driver.ledger.runs(name, org_id=DEFAULT_ORG_ID) == []
    assert await driver.ledger.jobs(name, org_id=DEFAULT_ORG_ID) == []
    assert await driver.ledger.events(name, org_id=DEFAULT_ORG_ID) == []
