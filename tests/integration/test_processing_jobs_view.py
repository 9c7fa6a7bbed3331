"""The view `processing_jobs`: the columns and words of the jobs queue, and an INSERT that queues a run."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError

from tests.contract.ledger_driver import LedgerDriver
from tests.support.databases import EngineUnderTest
from towpath.clock import ManualClock
from towpath.ledger.database import Transaction
from towpath.ledger.sql_ledger import SqlLedger
from towpath.ledger.verbs.apply_write import apply_write
from towpath.model.ids import DEFAULT_ORG_ID, new_id
from towpath.model.job import JobStatus, WaitingReason
from towpath.model.writes import KeepArtifact

#: SQLite has no functions of rows, and cannot add defaults to a table that exists.
only_postgres = pytest.mark.parametrize("engine", ["postgres"], indirect=True)

STAGES = ("extract_audio", "transcribe_start", "transcribe_poll", "analyze")


@pytest.fixture
def driver(engine: EngineUnderTest) -> LedgerDriver:
    # The view's trigger takes the time of the machine, so the clock of the test begins there.
    return LedgerDriver(engine, ManualClock(datetime.now(UTC)))


async def _enqueue(driver: LedgerDriver, call_id: str, stage: str, org_id: str = DEFAULT_ORG_ID) -> None:
    """The statement of the requirement, with its parameters."""
    payload = "cast(:payload as jsonb)" if driver.database.dialect == "postgres" else ":payload"
    statement = text(
        "insert into processing_jobs (org_id, call_id, stage, status, payload)"
        f" values (:org_id, :call_id, :stage, 'queued', {payload})"
    )
    values = {"org_id": org_id, "call_id": call_id, "stage": stage, "payload": json.dumps({"by": "sql"})}
    await driver.database.run(lambda tx: tx.connection.execute(statement, values))
    driver.clock.advance(3_600)


async def _rows(driver: LedgerDriver, columns: str) -> list[tuple[object, ...]]:
    def read(tx: Transaction) -> list[tuple[object, ...]]:
        query = f"select {columns} from processing_jobs order by created_at, id"
        return [tuple(row) for row in tx.connection.execute(text(query))]

    return await driver.database.run(read, read=True)


async def _completed_call(driver: LedgerDriver) -> str:
    """A call whose run has completed all its stages."""
    submitted = await driver.submit("call", stages=STAGES)
    job = await driver.claim_one()
    lease = job.lease
    for stage in STAGES[1:]:
        settled = await driver.advance(lease, stage, result={"before": stage})
        assert settled.next is not None
        lease = settled.next
    await driver.finish(lease)
    return submitted.document_id


async def test_an_insert_queues_a_run_from_the_first_stage(driver: LedgerDriver) -> None:
    call_id = await _completed_call(driver)
    await _enqueue(driver, call_id, "extract_audio")

    runs = await driver.runs(call_id)
    assert [str(run.state) for run in runs] == ["COMPLETED", "QUEUED"]
    job = await driver.claim_one()
    assert (job.run_id, job.stage, job.payload) == (runs[1].id, "extract_audio", {"by": "sql"})
    assert (job.attempts, job.max_attempts) == (0, 5)
    events = await driver.events(runs[1].id)
    assert [str(event.kind) for event in events] == ["RUN_QUEUED", "RUN_STARTED", "STEP_STARTED"]


async def test_an_insert_of_a_later_stage_reuses_the_stages_before(driver: LedgerDriver) -> None:
    call_id = await _completed_call(driver)
    await _enqueue(driver, call_id, "analyze")

    first, second = await driver.runs(call_id)
    assert second.resumes_run_id == first.id
    jobs = await driver.jobs(second.id)
    assert [(job.stage, job.status) for job in jobs] == [
        *((stage, JobStatus.COMPLETED) for stage in STAGES[:3]),
        ("analyze", JobStatus.PENDING),
    ]
    done = await driver.jobs(first.id)
    assert [job.reused_from for job in jobs] == [*(job.id for job in done[:3]), None]
    claimed = await driver.claim_one()
    assert claimed.results == {job.stage: job.result for job in done[:3]}
    [queued] = [event for event in await driver.events(second.id) if event.kind == "RUN_QUEUED"]
    assert queued.detail == {"resumes": first.id, "reused": list(STAGES[:3])}


async def test_a_job_queued_beside_another_run_waits_for_it(driver: LedgerDriver) -> None:
    submitted = await driver.submit("call", stages=STAGES)
    await _enqueue(driver, submitted.document_id, "extract_audio")

    first, second = await driver.runs(submitted.document_id)
    [job] = await driver.jobs(second.id)
    assert (job.waiting_reason, job.waiting_run_id) == (WaitingReason.EARLIER_RUN, first.id)
    claimed = await driver.claim()
    assert [item.run_id for item in claimed] == [first.id]
    await driver.finish(claimed[0].lease)
    assert (await driver.claim_one()).run_id == second.id


async def test_the_view_uses_the_words_of_the_requirement(driver: LedgerDriver) -> None:
    call_id = await _completed_call(driver)
    await _enqueue(driver, call_id, "extract_audio")
    columns = (
        "id, org_id, call_id, stage, status, payload, attempts, max_attempts, available_at, locked_at, locked_by,"
        " last_error, created_at, updated_at"
    )
    assert len((await _rows(driver, columns))[0]) == 14
    assert {row[0] for row in await _rows(driver, "status")} == {"done", "queued"}
    job = await driver.claim_one()
    assert ("processing",) in await _rows(driver, "status")
    await driver.fail(job.lease, final=True)
    assert ("failed",) in await _rows(driver, "status")


async def test_unknown_calls_stages_and_statuses_are_refused(driver: LedgerDriver) -> None:
    call_id = await _completed_call(driver)
    before = driver.contents()
    for refused, stage, org_id in (
        (new_id(), "extract_audio", DEFAULT_ORG_ID),
        (call_id, "extract_audio", new_id()),
        (call_id, "no_such_stage", DEFAULT_ORG_ID),
    ):
        with pytest.raises(DBAPIError):
            await _enqueue(driver, refused, stage, org_id)
    for statement in (
        "update processing_jobs set status = 'done'",
        "delete from processing_jobs",
        "update document_processing_jobs set status = 'odd'",
    ):
        with pytest.raises(DBAPIError):
            await driver.database.run(lambda tx, statement=statement: tx.connection.execute(text(statement)))
    assert driver.contents() == before


async def test_a_job_that_goes_back_is_not_locked_and_a_held_one_has_a_heartbeat(
    driver: LedgerDriver,
) -> None:
    await driver.submit("call", stages=STAGES)
    job = await driver.claim_one()
    claimed_at = driver.now
    assert (await driver.job(job)).last_heartbeat == claimed_at
    driver.clock.advance(10)
    driver.ledger.heartbeat([job.lease], 30, driver.now)
    assert (await driver.job(job)).last_heartbeat == driver.now

    await driver.fail(job.lease)
    failed = await driver.job(job)
    assert (failed.status, failed.locked_by) == (JobStatus.PENDING, None)
    assert await _rows(driver, "locked_by") == [(None,)]


@only_postgres
async def test_a_stale_job_is_one_whose_lease_has_expired(driver: LedgerDriver) -> None:
    await driver.submit("call", stages=STAGES)
    job = await driver.claim_one()

    def stale(tx: Transaction) -> list[bool]:
        query = "select is_job_stale(job) from document_processing_jobs as job"
        return list(tx.connection.execute(text(query)).scalars())

    # The database compares with the time of the machine; the lease begins there.
    assert await driver.database.run(stale, read=True) == [False]
    driver.sql("update document_processing_jobs set lease_until = now() - interval '1 second'")
    assert await driver.database.run(stale, read=True) == [True]
    await driver.rescue()
    assert (await driver.job(job)).status is JobStatus.PENDING
    assert await driver.database.run(stale, read=True) == [False]


@only_postgres
async def test_jobs_have_defaults_on_postgres(driver: LedgerDriver) -> None:
    submitted = await driver.submit("call", stages=STAGES)
    driver.sql(
        "insert into document_processing_jobs (org_id, document_id, run_id, stage, status)"
        f" values ('{DEFAULT_ORG_ID}', '{submitted.document_id}', '{submitted.run_id}', 'analyze', 'PENDING')"
    )
    assert ("analyze", 0, 5, {}) in await _rows(driver, "stage, attempts, max_attempts, payload")


async def test_an_artifact_stored_again_keeps_its_id_and_creation_time(driver: LedgerDriver) -> None:
    ledger = SqlLedger(driver.database, apply_write=apply_write)
    await driver.submit("call", stages=STAGES)
    job = await driver.claim_one()

    async def store(sha256: str) -> list[tuple[object, ...]]:
        await ledger.write(job.lease, [KeepArtifact("audio", "audio.ogg", "audio/ogg", 3, sha256)])
        return [tuple(row) for row in driver.sql("select id, created_at, sha256 from artifacts")]

    [first] = await store("a" * 64)
    driver.clock.advance(60)
    driver.ledger.heartbeat([job.lease], 30, driver.now)
    [second] = await store("b" * 64)
    assert second == (*first[:2], "b" * 64)
