"""Many at once: a job is never given twice, runs of one document never overlap, nobody sees a locked file."""

from __future__ import annotations

import asyncio
import multiprocessing
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from tests.contract.hammer import hammer
from tests.contract.story import Story
from tests.support.databases import sqlite_engine
from tests.support.factories import a_plan, a_submission
from towpath.errors import IllegalMove, LeaseLost
from towpath.ledger.contract import Finish, Settled
from towpath.ledger.ledger import SqlLedger
from towpath.model.ids import HOME_ORG
from towpath.model.work import RunState


async def test_given_eight_workers_that_claim_at_once_then_no_job_is_given_twice(story: Story) -> None:
    plan = a_plan(("extract",))
    await story.ledger.submit_many([a_submission(plan=plan) for _ in range(400)], story.now)
    given: list[str] = []

    async def work(ledger: SqlLedger, name: str) -> None:
        idle = 0
        while idle < 3:
            jobs = await ledger.claim(name, limit=7, lease_seconds=60, now=story.now)
            given.extend(job.lease.job_id for job in jobs)
            idle = 0 if jobs else idle + 1

    await asyncio.gather(*(work(story.engine.open(), f"worker {number}") for number in range(8)))
    assert len(given) == len(set(given)) == 400


async def test_given_runs_of_one_document_wanted_by_all_then_they_run_one_after_the_other(
    story: Story,
) -> None:
    # Given one document with six runs
    plan = a_plan(("extract",))
    submitted = await story.submit(plan=plan)
    for _ in range(5):
        await story.reprocess(submitted.document_id, plan)
    overlaps: list[int] = []
    finished: list[str] = []

    # When four workers race for whatever comes free
    async def work(ledger: SqlLedger, name: str) -> None:
        while len(finished) < 6:
            for job in await ledger.claim(name, limit=3, lease_seconds=60, now=story.now):
                states = await ledger.runs(submitted.document_id, org_id=HOME_ORG)
                overlaps.append(sum(run.state is RunState.RUNNING for run in states))
                await ledger.settle([Finish(job.lease)], story.now)
                finished.append(job.run_id)

    await asyncio.gather(*(work(story.engine.open(), f"worker {number}") for number in range(4)))
    # Then never two at once, each once, oldest first
    assert overlaps == [1] * 6
    assert finished == [run.id for run in await story.runs(submitted.document_id)]


async def test_given_cancels_and_finishes_at_once_then_exactly_one_of_them_wins(story: Story) -> None:
    for _ in range(30):
        await story.submit(plan=a_plan(("extract",)))
    jobs = await story.claim(limit=30)
    canceller, worker = story.engine.open(), story.engine.open()

    async def cancel(run_id: str) -> bool:
        try:
            await canceller.cancel(run_id, story.now, org_id=HOME_ORG)
        except IllegalMove:
            return False
        return True

    for job in jobs:
        cancelled, (answer,) = await asyncio.gather(
            cancel(job.run_id), worker.settle([Finish(job.lease)], story.now)
        )
        state = (await story.run(job.run_id)).state
        assert state is (RunState.CANCELLED if cancelled else RunState.COMPLETED)
        assert isinstance(answer, LeaseLost if cancelled else Settled)


async def test_given_waiting_runs_cancelled_while_the_first_one_ends_then_nobody_waits_for_ever(
    story: Story,
) -> None:
    # The run that ends and the run that is cancelled could each leave waking the third to the other.
    canceller, worker = story.engine.open(), story.engine.open()
    plan = a_plan(("extract",))
    for _ in range(15):
        submitted = await story.submit(plan=plan)
        (first,) = await story.claim()
        second = await story.reprocess(submitted.document_id, plan)
        third = await story.reprocess(submitted.document_id, plan)
        await asyncio.gather(
            worker.settle([Finish(first.lease)], story.now),
            canceller.cancel(second, story.now, org_id=HOME_ORG),
        )
        (last,) = await story.claim()
        assert last.run_id == third
        await story.finish(last.lease)


async def test_given_runs_queued_while_another_ends_then_nobody_waits_for_ever(story: Story) -> None:
    api, worker = story.engine.open(), story.engine.open()
    plan = a_plan(("extract",))
    for _ in range(15):
        submitted = await story.submit(plan=plan)
        (first,) = await story.claim()
        _, second = await asyncio.gather(
            worker.settle([Finish(first.lease)], story.now),
            api.reprocess(submitted.document_id, plan, story.now, org_id=HOME_ORG),
        )
        (last,) = await story.claim()
        assert last.run_id == second
        await story.finish(last.lease)


async def test_given_sweeps_at_once_then_each_dead_job_is_rescued_once(story: Story) -> None:
    await story.ledger.submit_many([a_submission() for _ in range(60)], story.now)
    assert len(await story.claim(limit=60)) == 60
    story.clock.advance(31)
    sweepers = [story.engine.open() for _ in range(4)]
    swept = await asyncio.gather(*(sweeper.sweep(story.now) for sweeper in sweepers))
    assert sum(found.rescued for found in swept) == 60
    assert Counter(job.crashes for job in await story.claim(limit=100)) == {1: 60}


def test_given_eight_processes_on_one_sqlite_file_then_nobody_ever_sees_it_locked(
    tmp_path: Path, migrated_sqlite_file: Path
) -> None:
    # Given one file, and eight processes that submit and work as fast as they can
    file = tmp_path / "hammered.db"
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["tests.contract.hammer"])
    with sqlite_engine(file, migrated_sqlite_file) as engine, ProcessPoolExecutor(8, context) as processes:
        done = [processes.submit(hammer, file, number, 12) for number in range(8)]
        reports = [process.result(120) for process in done]
        # Then none of them saw an error of any kind
        assert [error for report in reports for error in report.errors] == []
        # And each claim was given to one of them, and every document came to its end
        claims = [claim for report in reports for claim in report.claimed]
        assert len(claims) == len(set(claims))
        states = engine.database.transact(
            lambda tx: tx.connection.exec_driver_sql("select state from processing_runs").scalars().all()
        )
        assert Counter(states) == {"COMPLETED": 96}
