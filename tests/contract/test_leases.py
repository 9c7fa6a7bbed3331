"""I3 and I4: a dead worker's job is worked again, a living worker is never robbed."""

from __future__ import annotations

from tests.contract.story import LEASE_SECONDS, Story
from tests.support.factories import a_submission
from towpath.model.work import JobStatus, Lease


async def test_given_a_killed_worker_when_its_lease_runs_out_then_one_sweep_frees_the_job(
    story: Story,
) -> None:
    submitted = await story.submit()
    dead = await story.claim_one("anna")
    story.clock.advance(LEASE_SECONDS)
    assert (await story.ledger.sweep(story.now)).rescued == 0, "a lease holds to its very end"
    story.clock.advance(0.001)
    assert (await story.ledger.sweep(story.now)).rescued == 1
    again = await story.claim_one("boris")
    assert (again.run_id, again.lease.job_id) == (submitted.run_id, dead.lease.job_id)
    assert await story.states(submitted.document_id) == ["RUNNING"], "other workers may be alive"


async def test_given_a_living_worker_then_a_stage_of_any_length_keeps_its_lease(story: Story) -> None:
    await story.submit()
    job = await story.claim_one()
    for _ in range(50):
        story.clock.advance(LEASE_SECONDS - 1)
        assert story.ledger.heartbeat([job.lease], LEASE_SECONDS, story.now) == {job.lease.job_id}
        assert (await story.ledger.sweep(story.now)).rescued == 0
    await story.finish(job.lease)


async def test_given_a_lease_that_ran_out_unnoticed_when_the_worker_renews_then_it_still_holds(
    story: Story,
) -> None:
    await story.submit()
    job = await story.claim_one()
    story.clock.advance(LEASE_SECONDS * 3)
    assert story.ledger.heartbeat([job.lease], LEASE_SECONDS, story.now) == {job.lease.job_id}
    assert (await story.ledger.sweep(story.now)).rescued == 0


async def test_given_many_leases_when_renewed_at_once_then_only_those_still_held_are_named(
    story: Story,
) -> None:
    for _ in range(3):
        await story.submit()
    kept, lost, other = [job.lease for job in await story.claim()]
    await story.release(lost)
    forged = Lease(other.job_id, other.epoch + 1, "anna", other.until)
    assert story.ledger.heartbeat([kept, lost, forged], LEASE_SECONDS, story.now) == {kept.job_id}
    assert story.ledger.heartbeat([], LEASE_SECONDS, story.now) == set()


async def test_given_more_dead_jobs_than_one_sweep_takes_then_the_oldest_are_first(story: Story) -> None:
    for _ in range(5):
        await story.submit()
        await story.claim_one()
        story.clock.advance(1)
    story.clock.advance(LEASE_SECONDS)
    assert (await story.ledger.sweep(story.now, limit=2)).rescued == 2
    assert (await story.ledger.sweep(story.now, limit=2)).rescued == 2
    assert (await story.ledger.sweep(story.now, limit=2)).rescued == 1
    assert (await story.ledger.sweep(story.now, limit=2)).rescued == 0


async def test_given_leases_and_deadlines_then_a_sweep_says_when_to_come_back(story: Story) -> None:
    assert (await story.ledger.sweep(story.now)).next_at is None
    await story.submit(deadline_seconds=20)
    await story.submit()
    await story.claim()
    assert (await story.ledger.sweep(story.now)).next_at == story.later(20)
    story.clock.advance(21)
    assert (await story.ledger.sweep(story.now)).next_at == story.later(LEASE_SECONDS - 21)


async def test_given_a_kept_lease_when_its_worker_dies_then_the_next_stage_is_rescued(story: Story) -> None:
    await story.submit()
    job = await story.claim_one("anna")
    kept = (await story.advance(job.lease, "chunk")).next
    assert kept is not None
    await story.rescue()
    extract, chunk = await story.jobs(job.run_id)
    assert (extract.status, chunk.status) == (JobStatus.COMPLETED, JobStatus.PENDING)
    again = await story.claim_one("boris")
    assert (again.stage, again.lease.job_id) == ("chunk", kept.job_id)


async def test_given_hundreds_of_jobs_then_one_claim_takes_them_and_one_heartbeat_holds_them(
    story: Story,
) -> None:
    await story.ledger.submit_many([a_submission() for _ in range(300)], story.now)
    claimed = await story.claim(limit=1000)
    assert len(claimed) == 300
    held = story.ledger.heartbeat([job.lease for job in claimed], LEASE_SECONDS, story.now)
    assert held == {job.lease.job_id for job in claimed}
