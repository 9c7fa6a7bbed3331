"""Operations: failures are about documents as they are now; runs are filtered; pauses are durable."""

from __future__ import annotations

from functools import partial
from typing import cast

import pytest

from tests.contract.ledger_driver import LedgerDriver
from tests.support.factories import a_plan
from towpath.clock import ManualClock
from towpath.errors import NotFound
from towpath.ledger.contract.ledger import ClaimRequest
from towpath.ledger.contract.pauses import PauseKind
from towpath.ledger.contract.settlements import Suspended
from towpath.ledger.sql_pauses import SqlPauses
from towpath.model.audit import COMMAND_LINE
from towpath.model.ids import DEFAULT_ORG_ID
from towpath.model.job import JobStatus, WaitingReason
from towpath.queries.contract import Overview, RunFilter
from towpath.queries.documents import SqlDocumentQueries
from towpath.stages.contract import SuspendStage
from towpath.worker.pause_check import SUSPENDED_FOR, PauseCheck

ONE_STAGE = a_plan(("only",))


@pytest.fixture
def queries(driver: LedgerDriver) -> SqlDocumentQueries:
    return SqlDocumentQueries(driver.database, {})


async def _overview(queries: SqlDocumentQueries, driver: LedgerDriver) -> Overview:
    return await queries.overview(DEFAULT_ORG_ID, driver.now)


async def test_a_failure_is_gone_when_a_later_run_succeeded(
    driver: LedgerDriver, queries: SqlDocumentQueries
) -> None:
    submitted = await driver.submit("a book", plan=ONE_STAGE)
    job = await driver.claim_one()
    await driver.fail(job.lease, final=True)
    [failure] = (await _overview(queries, driver)).failures
    [listed] = cast("list[dict[str, str]]", failure["documents"])
    assert listed["document_id"] == submitted.document_id
    assert (failure["error"], failure["jobs"], failure["can_retry"]) == ("it broke", 1, True)
    assert failure["job_ids"] == [job.lease.job_id]

    driver.clock.advance(1)
    await driver.ledger.retry(job.lease.job_id, driver.now, org_id=DEFAULT_ORG_ID)
    assert (await _overview(queries, driver)).failures == [], "it is being processed again"
    await driver.finish((await driver.claim_one()).lease)
    overview = await _overview(queries, driver)
    assert overview.failures == []
    assert overview.documents == {"COMPLETED": 1}


async def test_a_crash_that_was_recovered_is_no_failure(
    driver: LedgerDriver, queries: SqlDocumentQueries
) -> None:
    await driver.submit("a book", plan=ONE_STAGE)
    await driver.claim_one()
    driver.clock.advance(1)
    await driver.ledger.recover(driver.now)
    assert (await _overview(queries, driver)).failures == []
    await driver.finish((await driver.claim_one()).lease)
    assert (await _overview(queries, driver)).failures == []


async def test_a_timed_out_document_is_listed_and_has_no_retry(
    driver: LedgerDriver, queries: SqlDocumentQueries
) -> None:
    await driver.submit("a book", stages=("only",), deadline_seconds=10.0)
    await driver.claim_one()
    driver.clock.advance(11)
    await driver.ledger.sweep(driver.now)
    [failure] = (await _overview(queries, driver)).failures
    assert (failure["stage"], failure["can_retry"], failure["job_ids"]) == ("only", False, [])


async def test_runs_are_filtered_by_name_error_stage_and_time(
    driver: LedgerDriver, queries: SqlDocumentQueries
) -> None:
    first = await driver.submitted_run("alpha", plan=ONE_STAGE)
    await driver.fail((await driver.claim_one()).lease, final=True)
    noon = driver.clock.advance(3600)
    second = await driver.submitted_run("beta", plan=ONE_STAGE)
    await driver.finish((await driver.claim_one()).lease)

    async def found(**wanted: object) -> list[object]:
        runs = await queries.list_runs(DEFAULT_ORG_ID, RunFilter(**wanted), 10)  # pyright: ignore[reportArgumentType]
        return [str(run["id"]) for run in runs]

    name = (await queries.list_runs(DEFAULT_ORG_ID, RunFilter(after=second), 1))[0]["document_name"]
    assert await found() == [second, first]
    assert first in await found(name=str(name).upper())
    assert await found(error="BROKE") == [first]
    assert await found(state="COMPLETED") == [second]
    assert await found(stage="only") == [second, first]
    assert await found(stage="other") == []
    assert await found(created_from=noon) == [second]
    assert await found(created_before=noon) == [first]
    assert await found(error="100%_") == []


async def test_history_has_a_figure_for_each_day_and_stage(
    driver: LedgerDriver, queries: SqlDocumentQueries
) -> None:
    for content in ("alpha", "beta", "gamma"):
        await driver.submit(content, plan=ONE_STAGE)
        driver.clock.advance(2)
        job = await driver.claim_one()
        driver.clock.advance(5)
        await driver.finish(job.lease)
    history = await queries.operations_history(DEFAULT_ORG_ID, driver.now)
    assert len(history.days) == 14
    assert (history.days[-1].completed, history.days[-1].failed, history.days[-1].cost) == (3, 0, 0)
    [stage] = history.stages
    assert (stage.stage, stage.jobs, stage.p50, stage.p95, stage.longest) == ("only", 3, 5.0, 5.0, 5.0)
    assert stage.waited_p50 == 2.0


async def test_changes_name_the_documents_that_are_worked(
    driver: LedgerDriver, queries: SqlDocumentQueries
) -> None:
    before = await queries.library_activity(DEFAULT_ORG_ID)
    await driver.submit("a book", plan=ONE_STAGE)
    queued = await queries.library_activity(DEFAULT_ORG_ID)
    assert before.version != queued.version
    assert (queued.waiting, queued.running, queued.worked) == (1, 0, ())
    job = await driver.claim_one()
    running = await queries.library_activity(DEFAULT_ORG_ID)
    assert (running.waiting, running.running) == (0, 1)
    assert [item.document_id for item in running.worked] == [job.document_id]
    assert running.version == queued.version, "the list of documents did not change"


async def test_a_pause_suspends_jobs_and_a_resume_makes_them_due(
    driver: LedgerDriver, clock: ManualClock
) -> None:
    pauses = SqlPauses(driver.database)
    check = PauseCheck(pauses, clock)
    await driver.submit("a book", plan=ONE_STAGE)
    job = await driver.claim_one()
    pause = partial(pauses.pause, org_id=DEFAULT_ORG_ID, actor=COMMAND_LINE)
    resume = partial(pauses.resume, org_id=DEFAULT_ORG_ID, actor=COMMAND_LINE)
    await pause(PauseKind.STAGE, "only", clock.now())
    again = await pause(PauseKind.STAGE, "only", clock.now())
    assert (await pauses.all()) == [again], "a pause is stored once"

    with pytest.raises(SuspendStage) as caught:
        await check.stage("only")
    await check.stage("another")
    suspend = caught.value.suspend
    assert suspend.reason is WaitingReason.PAUSED
    await driver.settle(Suspended(job.lease, suspend.until, suspend.reason, suspend.provider))
    assert await driver.claim() == []

    await resume(PauseKind.STAGE, "only", clock.advance(2))
    resumed = await driver.ledger.claim(ClaimRequest("anna", 10, 30.0), clock.now())
    assert [item.lease.job_id for item in resumed] == [job.lease.job_id]
    await check.stage("only")
    with pytest.raises(NotFound):
        await resume(PauseKind.STAGE, "only", clock.now())


async def test_a_pause_moves_the_deadline(driver: LedgerDriver, clock: ManualClock) -> None:
    run_id = await driver.submitted_run("a book", stages=("only",), deadline_seconds=10.0)
    job = await driver.claim_one()
    until = clock.now() + SUSPENDED_FOR
    await driver.settle(Suspended(job.lease, until, WaitingReason.PAUSED))
    clock.advance(60)
    await driver.ledger.sweep(clock.now())
    [kept] = await driver.jobs(run_id)
    assert kept.status is JobStatus.PENDING
