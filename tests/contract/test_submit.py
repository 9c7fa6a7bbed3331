"""submit: document, run and first job at once; the same bytes are the same document."""

from __future__ import annotations

import asyncio

import pytest
from sqlalchemy.exc import IntegrityError

from tests.contract.story import Story
from tests.support.factories import a_plan, a_submission, add_organizations, organization_id
from towpath.errors import KeyConflict, NotFound
from towpath.ledger.contract import Fail, Submitted
from towpath.ledger.verbs.submit import known_key
from towpath.model.ids import HOME_ORG, document_id
from towpath.model.work import EventKind, FailureType, JobStatus, RunState


async def test_given_new_bytes_when_submitted_then_run_and_first_job_are_there(story: Story) -> None:
    plan = a_plan(options={"language": "de"}, payload={"size": 7}, max_attempts=3, deadline_seconds=120)
    submitted = await story.submit("a new document", plan=plan)

    assert submitted.duplicate is False
    assert submitted.run_id is not None
    run = await story.run(submitted.run_id)
    assert (run.state, run.pipeline, run.pipeline_version) == (RunState.QUEUED, "document", 1)
    assert (run.options, run.created_at, run.deadline_at) == ({"language": "de"}, story.now, None)
    (job,) = await story.jobs(run.id)
    assert (job.stage, job.status, job.payload) == ("extract", JobStatus.PENDING, {"size": 7})
    assert (job.attempts, job.max_attempts, job.crashes, job.lease_epoch) == (0, 3, 0, 0)
    assert job.available_at == story.now
    assert [event.kind for event in await story.events(run.id)] == [EventKind.RUN_QUEUED]
    assert story.document_status(submitted.document_id) == "PROCESSING"


async def test_given_the_same_bytes_when_submitted_again_then_it_is_the_same_document(story: Story) -> None:
    first = await story.submit("the same bytes")
    again = await story.submit("the same bytes")

    assert (again.document_id, again.run_id, again.duplicate) == (first.document_id, first.run_id, True)
    assert len(await story.runs(first.document_id)) == 1


@pytest.mark.parametrize("end", ["running", "completed"])
async def test_given_a_document_that_is_well_when_submitted_again_then_no_run_is_added(
    story: Story, end: str
) -> None:
    first = await story.submit("the same bytes")
    job = await story.claim_one()
    if end == "completed":
        await story.finish(job.lease)
    again = await story.submit("the same bytes")

    assert (again.run_id, again.duplicate) == (first.run_id, True)
    assert len(await story.runs(first.document_id)) == 1


@pytest.mark.parametrize("end", ["failed", "cancelled", "timed out"])
async def test_given_a_document_whose_run_went_wrong_when_submitted_again_then_it_gets_a_new_run(
    story: Story, end: str
) -> None:
    first = await story.submit("the same bytes", deadline_seconds=100)
    job = await story.claim_one()
    if end == "failed":
        await story.fail(job.lease, final=True)
    elif end == "cancelled":
        await story.ledger.cancel(job.run_id, story.now, org_id=HOME_ORG)
    else:
        story.clock.advance(101)
        await story.ledger.sweep(story.now)
    again = await story.submit("the same bytes")

    assert (again.document_id, again.duplicate) == (first.document_id, True)
    assert again.run_id != first.run_id
    assert [claimed.run_id for claimed in await story.claim()] == [again.run_id]


async def test_given_bytes_that_can_never_work_when_submitted_again_then_the_verdict_stands(
    story: Story,
) -> None:
    first = await story.submit("the same bytes")
    job = await story.claim_one()
    await story.settle(
        Fail(job.lease, "It is encrypted.", story.now, final=True, failure_type=FailureType.REJECTED)
    )
    again = await story.submit("the same bytes")

    assert (again.document_id, again.run_id, again.duplicate) == (first.document_id, first.run_id, True)
    assert await story.claim() == []


async def test_given_two_organizations_then_the_same_bytes_are_two_documents(story: Story) -> None:
    other_org = organization_id(2)
    add_organizations(story.database, other_org)
    mine = await story.submit("the same bytes")
    theirs = await story.submit("the same bytes", org_id=other_org)

    assert theirs.duplicate is False
    assert theirs.document_id != mine.document_id


async def test_given_many_submissions_with_twins_among_them_then_each_is_answered_in_its_place(
    story: Story,
) -> None:
    known = await story.submit("known")
    batch = [a_submission(content) for content in ("new", "known", "twin", "twin")]
    new, again, twin, other_twin = await story.ledger.submit_many(batch, story.now)

    assert (new.duplicate, twin.duplicate) == (False, False)
    assert (again.document_id, again.duplicate) == (known.document_id, True)
    assert (other_twin.document_id, other_twin.run_id, other_twin.duplicate) == (
        twin.document_id,
        twin.run_id,
        True,
    )
    assert len(await story.claim()) == 3


async def test_given_an_idempotency_key_then_it_is_remembered_for_its_document(story: Story) -> None:
    submission = a_submission("bytes", idempotency_key="order 66")
    first = await story.ledger.submit(submission, story.now)
    again = await story.ledger.submit(submission, story.now)

    assert again.document_id == first.document_id
    found = story.database.transact(lambda tx: known_key(tx, HOME_ORG, "order 66"))
    assert found == first.document_id
    assert story.database.transact(lambda tx: known_key(tx, HOME_ORG, "order 67")) is None


async def test_given_two_files_with_one_idempotency_key_at_the_same_moment_then_one_has_it_and_the_other_is_told(
    story: Story,
) -> None:
    together = [a_submission(f"file {n}", idempotency_key="order 66") for n in range(6)]

    answers = await asyncio.gather(
        *(story.ledger.submit(one, story.now) for one in together), return_exceptions=True
    )

    accepted = [answer for answer in answers if isinstance(answer, Submitted)]
    assert [type(answer) for answer in answers if answer not in accepted] == [KeyConflict] * 5
    found = story.database.transact(lambda tx: known_key(tx, HOME_ORG, "order 66"))
    assert [answer.document_id for answer in accepted] == [found]
    assert len(await story.claim()) == 1, "nothing is left of the others"


async def test_given_the_same_bytes_then_the_document_has_the_same_id_wherever_they_are_submitted(
    story: Story,
) -> None:
    submission = a_submission("bytes")
    submitted = await story.ledger.submit(submission, story.now)
    assert submitted.document_id == document_id(HOME_ORG, submission.document.sha256)


async def test_given_the_same_bytes_twice_in_one_batch_then_there_is_one_document(story: Story) -> None:
    first, second = await story.ledger.submit_many([a_submission("twin"), a_submission("twin")], story.now)

    assert first.document_id == second.document_id
    assert first.run_id == second.run_id
    assert [first.duplicate, second.duplicate] == [False, True]
    assert await story.states(first.document_id) == ["QUEUED"]


async def test_given_an_organization_that_is_not_there_then_nothing_is_stored(story: Story) -> None:
    with pytest.raises(IntegrityError):
        await story.submit(org_id=organization_id(404))
    assert story.contents()["documents"] == []


async def test_given_eight_uploads_of_the_same_bytes_at_once_then_there_is_one_document(story: Story) -> None:
    answers = await asyncio.gather(*(story.submit("all at once") for _ in range(8)))

    assert len({answer.document_id for answer in answers}) == 1
    assert sorted(answer.duplicate for answer in answers) == [False] + [True] * 7
    assert await story.states(answers[0].document_id) == ["QUEUED"]


async def test_given_another_organization_then_its_runs_jobs_and_documents_are_not_found(
    story: Story,
) -> None:
    stranger = organization_id(2)
    submitted = await story.submit()
    run_id = submitted.run_id
    assert run_id is not None
    job = await story.last_job(run_id)
    before = story.contents()

    with pytest.raises(NotFound):
        await story.ledger.run(run_id, org_id=stranger)
    with pytest.raises(NotFound):
        await story.ledger.cancel(run_id, story.now, org_id=stranger)
    with pytest.raises(NotFound):
        await story.ledger.retry(job.id, story.now, org_id=stranger)
    with pytest.raises(NotFound):
        await story.ledger.reprocess(submitted.document_id, a_plan(), story.now, org_id=stranger)
    assert await story.ledger.runs(submitted.document_id, org_id=stranger) == []
    assert await story.ledger.jobs(run_id, org_id=stranger) == []
    assert await story.ledger.events(run_id, org_id=stranger) == []
    assert await story.ledger.retry_many(story.now, org_id=stranger) == []
    assert story.contents() == before


@pytest.mark.parametrize("name", ["not-an-id", "", "7", "00000000-0000-7000-9000-00000000000x", "\x00"])
async def test_given_something_that_is_no_id_then_it_is_simply_not_found(story: Story, name: str) -> None:
    with pytest.raises(NotFound):
        await story.ledger.run(name, org_id=HOME_ORG)
    with pytest.raises(NotFound):
        await story.ledger.cancel(name, story.now, org_id=HOME_ORG)
    with pytest.raises(NotFound):
        await story.ledger.retry(name, story.now, org_id=HOME_ORG)
    with pytest.raises(NotFound):
        await story.ledger.reprocess(name, a_plan(), story.now, org_id=HOME_ORG)
    assert await story.ledger.runs(name, org_id=HOME_ORG) == []
    assert await story.ledger.jobs(name, org_id=HOME_ORG) == []
    assert await story.ledger.events(name, org_id=HOME_ORG) == []
