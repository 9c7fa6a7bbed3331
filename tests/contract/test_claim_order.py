"""claim: oldest first, only what is due, only the named stages."""

from __future__ import annotations

from tests.contract.story import Story
from tests.support.factories import a_plan, add_organizations, organization_id


async def test_given_jobs_of_one_organization_then_the_oldest_come_first(story: Story) -> None:
    submitted: list[str] = []
    for _ in range(9):
        submitted.append((await story.submit()).document_id)
        story.clock.advance(1)
    claimed = [job.document_id for job in await story.claim(limit=4)]
    claimed += [job.document_id for job in await story.claim(limit=1)]
    claimed += [job.document_id for job in await story.claim(limit=100)]
    assert claimed == submitted


async def test_given_jobs_of_several_stages_then_age_counts_and_not_the_stage(story: Story) -> None:
    ages: list[str] = []
    for stage in ("zip", "extract", "mail", "chunk", "extract"):
        ages.append((await story.submit(plan=a_plan((stage,)))).document_id)
        story.clock.advance(1)
    assert [job.document_id for job in await story.claim(limit=2)] == ages[:2]
    assert [job.document_id for job in await story.claim(limit=9)] == ages[2:]


async def test_given_many_jobs_submitted_at_one_moment_then_they_come_in_the_order_of_their_ids(
    story: Story,
) -> None:
    submitted = [(await story.submit()).document_id for _ in range(20)]
    assert [job.document_id for job in await story.claim(limit=20)] == submitted


async def test_given_a_job_that_became_due_later_then_it_stands_behind_those_due_before(story: Story) -> None:
    early = await story.submit("early")
    await story.suspend((await story.claim_one()).lease, wait=10)
    story.clock.advance(5)
    late = await story.submit("late")
    story.clock.advance(5)
    assert [job.document_id for job in await story.claim()] == [late.document_id, early.document_id]


async def test_given_named_stages_when_claiming_then_no_other_stage_is_taken(story: Story) -> None:
    await story.submit(plan=a_plan(("transcribe",)))
    await story.submit(plan=a_plan(("extract",)))
    await story.submit(plan=a_plan(("embed",)))

    assert await story.claim(stages=("connect",)) == []
    assert await story.claim(stages=()) == []
    assert [job.stage for job in await story.claim(stages=("transcribe", "embed"))] == ["transcribe", "embed"]
    assert [job.stage for job in await story.claim(stages=None)] == ["extract"]


async def test_given_a_special_worker_and_work_of_other_stages_everywhere_then_it_still_finds_its_own(
    story: Story,
) -> None:
    # Given 40 organizations with work in three common stages each, and one job for the special worker
    common = [organization_id(number) for number in range(1, 41)]
    add_organizations(story.database, *common, organization_id(99))
    for org_id in common:
        for stage in ("chunk", "embed", "extract"):
            await story.submit(org_id=org_id, plan=a_plan((stage,)))
    special = await story.submit(org_id=organization_id(99), plan=a_plan(("transcribe",)))
    # When the special worker asks for its stage, then the others' lanes do not hide it
    claimed = await story.claim("ears", limit=1, stages=("transcribe",))
    assert [job.document_id for job in claimed] == [special.document_id]


async def test_given_a_claimed_job_then_the_worker_is_told_all_it_needs(story: Story) -> None:
    plan = a_plan(options={"language": "de"}, payload={"size": 7}, max_attempts=4)
    submitted = await story.submit(plan=plan)
    (job,) = await story.claim("anna")

    assert (job.lease.epoch, job.lease.worker, job.lease.until) == (1, "anna", story.later(30))
    assert (job.document_id, job.run_id) == (submitted.document_id, submitted.run_id)
    assert (job.pipeline, job.stage) == ("document", "extract")
    assert (job.payload, job.options, job.known) == ({"size": 7}, {"language": "de"}, {})
    assert (job.attempts, job.max_attempts, job.crashes, job.follow_up) == (0, 4, 0, False)
    row = await story.job(job)
    assert (row.locked_by, row.locked_at, row.started_at) == ("anna", story.now, story.now)


async def test_given_a_second_claim_of_a_job_then_its_first_start_is_kept(story: Story) -> None:
    await story.submit()
    start = story.now
    await story.release((await story.claim_one()).lease)
    story.clock.advance(60)
    row = await story.job(await story.claim_one())
    assert (row.started_at, row.locked_at) == (start, story.now)
