"""Finding connections runs apart: the document is ready before, and nobody waits for it."""

from __future__ import annotations

import asyncio

from tests.integration.workshop import Workshop, until
from tests.support.databases import EngineUnderTest
from tests.support.factories import a_plan
from towpath.model.ids import HOME_ORG
from towpath.model.work import Done, Job, JobStatus, Outcome, RunState
from towpath.stages.contract import Context


async def _publish(_context: Context) -> Outcome:
    return Done()


async def test_a_document_is_ready_while_its_connections_are_still_sought(engine: EngineUnderTest) -> None:
    found = asyncio.Event()

    async def connect(_context: Context) -> Outcome:
        await found.wait()
        return Done()

    workshop = Workshop(engine)
    async with workshop.working({"publish": _publish}, follow_ups={"connect": connect}):
        submitted = await workshop.submit("publish")

        assert (await workshop.ended(submitted)).state is RunState.COMPLETED
        seeking = await until(lambda: _at_work(workshop, submitted.run_id), "the search to begin")
        assert seeking.follow_up

        # Neither a reprocessing of the same document nor another document waits for it.
        again = await engine.ledger.reprocess(
            submitted.document_id, a_plan(("publish",)), workshop.clock.now(), org_id=HOME_ORG
        )
        other = await workshop.submit("publish")
        assert (await workshop.ended(other)).state is RunState.COMPLETED
        await until(lambda: _completed(engine, again), "the reprocessing to end")
        assert (await _at_work(workshop, submitted.run_id)) is not None

        found.set()
        await until(lambda: _all_done(workshop, submitted.run_id), "the search to end")


async def _at_work(workshop: Workshop, run_id: str | None) -> Job | None:
    jobs = await workshop.engine.ledger.jobs(str(run_id), org_id=HOME_ORG)
    return next((job for job in jobs if job.stage == "connect" and job.status is JobStatus.PROCESSING), None)


async def _completed(engine: EngineUnderTest, run_id: str) -> bool:
    return (await engine.ledger.run(run_id, org_id=HOME_ORG)).state is RunState.COMPLETED


async def _all_done(workshop: Workshop, run_id: str | None) -> bool:
    jobs = await workshop.engine.ledger.jobs(str(run_id), org_id=HOME_ORG)
    return all(job.status is JobStatus.COMPLETED for job in jobs)
