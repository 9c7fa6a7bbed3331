"""I9: a flood from one organization delays another by a bounded number of claims."""

from __future__ import annotations

import pytest

from tests.contract.story import Story
from tests.support.factories import a_plan, a_submission, add_organizations, organization_id

FLOODED, QUIET = organization_id(1), organization_id(2)


async def _flood(story: Story, org_id: str, size: int) -> None:
    plan = a_plan(("extract",))
    await story.ledger.submit_many([a_submission(org_id=org_id, plan=plan) for _ in range(size)], story.now)


@pytest.mark.parametrize("quiet", [organization_id(0), organization_id(2)], ids=["before", "after"])
@pytest.mark.parametrize("batch", [1, 50])
async def test_given_a_flood_when_another_submits_then_it_is_served_within_two_claims(
    story: Story, batch: int, quiet: str
) -> None:
    # Given an organization with two thousand documents in the queue, being worked
    add_organizations(story.database, FLOODED, quiet)
    await _flood(story, FLOODED, 2000)
    for _ in range(3):
        assert {job.org_id for job in await story.claim(limit=batch)} == {FLOODED}
    # When another one submits a single document, younger than all of them
    story.clock.advance(1)
    await story.submit(org_id=quiet)
    # Then it waits for one claim at most
    served = [job.org_id for _ in range(2) for job in await story.claim(limit=batch)]
    assert quiet in served


@pytest.mark.parametrize("batch", [1, 50])
async def test_given_a_flood_among_200_organizations_then_nobody_waits_for_more_than_a_round(
    story: Story, batch: int
) -> None:
    organizations = [organization_id(number) for number in range(1, 201)]
    add_organizations(story.database, *organizations)
    await _flood(story, organizations[100], 1000)
    plan = a_plan(("extract",))
    await story.ledger.submit_many(
        [a_submission(org_id=org_id, plan=plan) for org_id in organizations if org_id != organizations[100]],
        story.now,
    )
    # One round serves each organization once; the flood may have one more place in each batch that
    # reaches the end of the round.
    served: list[str] = []
    claims = 0
    while len(set(served)) < 200:
        claims += 1
        served += [job.org_id for job in await story.claim(limit=batch)]
        assert claims <= 200 / batch + 2, "an organization was passed over for more than a round"


async def test_given_two_floods_then_they_share_evenly(story: Story) -> None:
    add_organizations(story.database, FLOODED, QUIET)
    await _flood(story, FLOODED, 300)
    story.clock.advance(1)
    await _flood(story, QUIET, 300)
    served = [job.org_id for _ in range(20) for job in await story.claim(limit=10)]
    assert served.count(FLOODED) == served.count(QUIET) == 100


async def test_given_several_workers_then_the_quiet_organization_is_served_by_one_of_them(
    story: Story,
) -> None:
    # Each worker process has a ledger, and a place in the round, of its own
    workers = [story.engine.open() for _ in range(4)]
    add_organizations(story.database, FLOODED, QUIET)
    await _flood(story, FLOODED, 500)
    for worker in workers:
        await worker.claim("w", limit=10, lease_seconds=30, now=story.now)
    await story.submit(org_id=QUIET)
    served: set[str] = set()
    for worker in workers:
        served |= {job.org_id for job in await worker.claim("w", limit=1, lease_seconds=30, now=story.now)}
    assert QUIET in served


@pytest.mark.parametrize("batch", [1, 50])
async def test_given_200_organizations_that_only_wait_then_the_one_with_work_is_served_at_once(
    story: Story, batch: int
) -> None:
    # Given 200 organizations whose jobs all wait for a throttled provider
    waiting = [organization_id(number) for number in range(1, 201)]
    add_organizations(story.database, *waiting, organization_id(500))
    plan = a_plan(("extract",))
    await story.ledger.submit_many([a_submission(org_id=org_id, plan=plan) for org_id in waiting], story.now)
    story.sql(
        "update document_processing_jobs set available_at = :later",
        later=story.later(3600) if story.engine.name == "postgres" else story.later(3600).isoformat(),
    )
    # When one more has work that is due, then no number of waiting ones hides it
    await story.submit(org_id=organization_id(500), plan=plan)
    assert [job.org_id for job in await story.claim(limit=batch)] == [organization_id(500)]


async def test_given_a_worker_that_takes_few_then_the_round_goes_on_where_it_stopped(story: Story) -> None:
    organizations = [organization_id(number) for number in range(1, 7)]
    add_organizations(story.database, *organizations)
    for org_id in organizations:
        await _flood(story, org_id, 5)
    served = [job.org_id for _ in range(6) for job in await story.claim(limit=2)]
    assert served == organizations * 2
