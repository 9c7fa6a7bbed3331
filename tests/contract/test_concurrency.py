"""Concurrency: no job is claimed twice, runs of one document never overlap, SQLite is never reported as locked."""

from __future__ import annotations

import asyncio
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from tests.contract.ledger_driver import LedgerDriver
from tests.contract.sqlite_stress import run_stress_worker
from tests.support.databases import sqlite_engine
from tests.support.factories import a_plan, a_submission
from tests.support.fork_server import fork_server
from towpath.errors import IllegalTransition, LeaseLost
from towpath.ledger.contract.ledger import ClaimRequest
from towpath.ledger.contract.settlements import Finish, Settled
from towpath.ledger.sql_ledger import SqlLedger
from towpath.model.ids import DEFAULT_ORG_ID
from towpath.model.run import RunState


async def test_eight_concurrent_workers_never_claim_the_same_job(driver: LedgerDriver) -> None:
    plan = a_plan(("extract",))
    await driver.ledger.submit_many([a_submission(plan=plan) for _ in range(400)], driver.now)
    claimed_ids: list[str] = []

    async def work(ledger: SqlLedger, name: str) -> None:
        idle = 0
        while idle < 3:
            jobs = await ledger.claim(ClaimRequest(name, limit=7, lease_seconds=60), driver.now)
            claimed_ids.extend(job.lease.job_id for job in jobs)
            idle = 0 if jobs else idle + 1

    await asyncio.gather(*(work(driver.engine.open(), f"worker {number}") for number in range(8)))
    assert len(claimed_ids) == len(set(claimed_ids)) == 400


async def test_runs_of_one_document_never_overlap(
    driver: LedgerDriver,
) -> None:
    # Given one document with six runs
    plan = a_plan(("extract",))
    submitted = await driver.submit(plan=plan)
    for _ in range(5):
        await driver.reprocess(submitted.document_id, plan)
    overlaps: list[int] = []
    finished: list[str] = []

    # When four workers claim concurrently
    async def work(ledger: SqlLedger, name: str) -> None:
        while len(finished) < 6:
            for job in await ledger.claim(ClaimRequest(name, limit=3, lease_seconds=60), driver.now):
                states = await ledger.runs(submitted.document_id, org_id=DEFAULT_ORG_ID)
                overlaps.append(sum(run.state is RunState.RUNNING for run in states))
                await ledger.settle([Finish(job.lease)], driver.now)
                finished.append(job.run_id)

    await asyncio.gather(*(work(driver.engine.open(), f"worker {number}") for number in range(4)))
    # Then each run is executed once, alone, oldest first
    assert overlaps == [1] * 6
    assert finished == [run.id for run in await driver.runs(submitted.document_id)]


async def test_of_a_concurrent_cancel_and_finish_exactly_one_succeeds(driver: LedgerDriver) -> None:
    for _ in range(30):
        await driver.submit(plan=a_plan(("extract",)))
    jobs = await driver.claim(limit=30)
    canceller, worker = driver.engine.open(), driver.engine.open()

    async def cancel(run_id: str) -> bool:
        try:
            await canceller.cancel(run_id, driver.now, org_id=DEFAULT_ORG_ID)
        except IllegalTransition:
            return False
        return True

    for job in jobs:
        cancelled, (answer,) = await asyncio.gather(
            cancel(job.run_id), worker.settle([Finish(job.lease)], driver.now)
        )
        state = (await driver.run(job.run_id)).state
        assert state is (RunState.CANCELLED if cancelled else RunState.COMPLETED)
        assert isinstance(answer, LeaseLost if cancelled else Settled)


async def test_runs_cancelled_while_the_first_one_ends_leave_no_run_waiting(
    driver: LedgerDriver,
) -> None:
    # Both transactions could rely on the other one to make the third run due.
    canceller, worker = driver.engine.open(), driver.engine.open()
    plan = a_plan(("extract",))
    for _ in range(15):
        submitted = await driver.submit(plan=plan)
        (first,) = await driver.claim()
        second = await driver.reprocess(submitted.document_id, plan)
        third = await driver.reprocess(submitted.document_id, plan)
        await asyncio.gather(
            worker.settle([Finish(first.lease)], driver.now),
            canceller.cancel(second, driver.now, org_id=DEFAULT_ORG_ID),
        )
        (last,) = await driver.claim()
        assert last.run_id == third
        await driver.finish(last.lease)


async def test_runs_queued_while_another_ends_do_not_wait_for_ever(driver: LedgerDriver) -> None:
    api, worker = driver.engine.open(), driver.engine.open()
    plan = a_plan(("extract",))
    for _ in range(15):
        submitted = await driver.submit(plan=plan)
        (first,) = await driver.claim()
        _, second = await asyncio.gather(
            worker.settle([Finish(first.lease)], driver.now),
            api.reprocess(submitted.document_id, plan, driver.now, org_id=DEFAULT_ORG_ID),
        )
        (last,) = await driver.claim()
        assert last.run_id == second
        await driver.finish(last.lease)


async def test_concurrent_sweeps_rescue_each_job_once(driver: LedgerDriver) -> None:
    await driver.ledger.submit_many([a_submission() for _ in range(60)], driver.now)
    assert len(await driver.claim(limit=60)) == 60
    driver.clock.advance(31)
    sweepers = [driver.engine.open() for _ in range(4)]
    swept = await asyncio.gather(*(sweeper.sweep(driver.now) for sweeper in sweepers))
    assert sum(result.rescued for result in swept) == 60
    assert Counter(job.suspect for job in await driver.claim(limit=100)) == {True: 60}


def test_eight_processes_on_one_sqlite_file_get_no_locked_error(
    tmp_path: Path, migrated_sqlite_file: Path
) -> None:
    # Given one file, and eight processes that submit and work as fast as they can
    file = tmp_path / "stress.db"
    with (
        sqlite_engine(file, migrated_sqlite_file) as engine,
        ProcessPoolExecutor(8, fork_server) as processes,
    ):
        done = [processes.submit(run_stress_worker, file, number, 12) for number in range(8)]
        reports = [process.result(120) for process in done]
        # Then no process had an error
        assert [error for report in reports for error in report.errors] == []
        # And each claim went to one process, and every document is COMPLETED
        claims = [claim for report in reports for claim in report.claimed]
        assert len(claims) == len(set(claims))
        states = engine.database.transact(
            lambda tx: tx.connection.exec_driver_sql("select state from processing_runs").scalars().all()
        )
        assert Counter(states) == {"COMPLETED": 96}
