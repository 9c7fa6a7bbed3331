"""Two connect jobs at the same time: neither deletes what only the other one found."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest
from sqlalchemy import update

from tests.integration.connection_harness import BEES, CANAL, ConnectionHarness, make_connection_harness
from tests.support.databases import EngineUnderTest
from towpath.ledger.database import Transaction
from towpath.ledger.tables import connections, document_processing_jobs
from towpath.ledger.verbs.apply_write import apply_write
from towpath.model.writes import Connect, ConnectionDiff, DocumentPublication


@pytest.fixture
def harness(engine: EngineUnderTest) -> ConnectionHarness:
    return make_connection_harness(engine)


async def _write_nothing_found(
    harness: ConnectionHarness, document_id: str, other_id: str, claimed_at: datetime, created_at: datetime
) -> None:
    """Write as a connect job that was claimed at ``claimed_at`` and found no pair with the other document."""
    run, jobs = await harness.last_run(document_id)
    other, _ = await harness.last_run(other_id)
    job = next(job for job in jobs if job.stage == "connect")
    diff = ConnectionDiff(DocumentPublication(other_id, other.id), [])
    found = Connect(DocumentPublication(document_id, run.id), [diff], harness.clock.now(), {})

    def write(tx: Transaction) -> None:
        job_row = document_processing_jobs.c.id == job.id
        tx.connection.execute(update(document_processing_jobs).where(job_row).values(locked_at=claimed_at))
        tx.connection.execute(update(connections).values(created_at=created_at))
        apply_write(tx, job.id, found)

    await harness.ledger.database.run(write)


async def test_a_connection_that_another_job_created_meanwhile_is_kept(harness: ConnectionHarness) -> None:
    async with harness.run_worker():
        book = await harness.submit("book", BEES.first, CANAL.first)
        retelling = await harness.submit("retelling", CANAL.retold, BEES.retold)
        await harness.wait_until_idle()
    stored, now, second = await harness.stored(), harness.clock.now(), timedelta(seconds=1)
    assert stored
    # Given connections that were created after the job of the book was claimed
    await _write_nothing_found(harness, book, retelling, claimed_at=now - second, created_at=now)
    assert await harness.stored() == stored
    # Given connections that the job has read and scored
    await _write_nothing_found(harness, book, retelling, claimed_at=now, created_at=now - second)
    assert await harness.stored() == set()
