"""The five scenarios of asynchronous extraction, on Postgres, Document Intelligence and OpenAI."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

import psycopg

from tests.scenarios.town import letter, opened_town
from tests.support.emulators.material import invoice_pdf
from tests.support.emulators.process import EmulatorProcess, order_fault, reset
from towpath.ledger.statements import statements


async def test_scenario_1_uploading_a_new_pdf_document(
    dsn: str, emulators: EmulatorProcess, tmp_path: Path
) -> None:
    async with opened_town(dsn, emulators, tmp_path) as town:
        # When a user uploads a PDF while no worker is there
        answer = await town.desk.upload("letter.pdf", letter(1))
        # Then the answer comes at once, with the document's metadata
        assert (answer["status"], answer["name"], answer["media_type"]) == (
            "PROCESSING",
            "letter.pdf",
            "application/pdf",
        )
        # And the file is stored, the document is provisional, and its first job is pending
        (document,) = town.sql("select * from documents")
        assert (str(document.id), document.status) == (answer["id"], "PROCESSING")
        assert document.blob_key in town.desk.blobs()
        job = town.job(answer["id"])
        assert (job.status, job.stage, job.attempts, job.started_at) == ("PENDING", "extract", 0, None)
        # And nobody has been asked for anything that costs
        assert (town.analyses(), town.batches()) == (0, 0)


async def test_scenario_2_a_worker_picks_up_a_job(
    dsn: str, emulators: EmulatorProcess, tmp_path: Path
) -> None:
    async with opened_town(dsn, emulators, tmp_path) as town:
        first, second = await town.upload(letter(1), letter(2))
        ledger, clock = town.desk.towpath.services.ledger, town.desk.towpath.services.clock
        # Given another worker that holds the lock on the oldest job at this very moment
        with psycopg.connect(dsn) as other:
            other.execute(
                "select 1 from document_processing_jobs where document_id = %s for update", (first,)
            )
            # When a worker claims, then it takes the next job and does not wait for the locked one
            (claimed,) = await ledger.claim("anna", limit=2, lease_seconds=30, now=clock.now())
            assert claimed.document_id == second
        assert any("for update skip locked" in part for part in statements("postgres", "claim"))
        # And the job is processing, since now, by this worker
        job = town.job(second)
        assert (job.status, job.locked_by, job.lease_epoch) == ("PROCESSING", "anna", 1)
        assert clock.now() - job.started_at < timedelta(minutes=1)
        assert town.job(first).status == "PENDING"


async def test_scenario_3_a_document_is_extracted(
    dsn: str, emulators: EmulatorProcess, tmp_path: Path
) -> None:
    body = invoice_pdf()
    model: dict[str, Any] = {"document_intelligence_model": "prebuilt-invoice"}
    async with opened_town(dsn, emulators, tmp_path, polls=1, work=True, **model) as town:
        (document,) = await town.upload(body)
        status = await town.desk.finished(document)
        # Then the document and every job of its run are completed
        assert status["status"] == "COMPLETED", status
        jobs = town.sql(
            "select stage, status, attempts, started_at, completed_at from document_processing_jobs"
        )
        assert {job.status for job in jobs} == {"COMPLETED"}
        assert all(job.completed_at >= job.started_at and job.attempts == 0 for job in jobs)
        # And the fields that the model found are saved, each with the place that proves it
        fields = {one["name"]: one for one in await town.desk.get(f"/documents/{document}/fields")}
        assert fields["InvoiceId"]["value"] == "A-1047"
        assert fields["InvoiceId"]["anchor"]["page"] == 1
        # And each passage and the document itself have a vector of the embedding model
        chunks = town.sql("select model, dimension, vector_dims(vector) as length from chunks")
        assert {tuple(chunk) for chunk in chunks} == {("text-embedding-3-small", 1536, 1536)}
        ((length,),) = town.sql("select vector_dims(vector) from documents")
        assert length == 1536
        # And it was asked and paid for once: one start, then one poll for each claim
        assert (town.analyses(body), town.batches()) == (1, 1)
        service = town.emulators.document_intelligence
        assert (town.asked(service, "analyze"), town.asked(service, "poll")) == (1, 2)
        # And it is found by its meaning
        hits = await town.desk.get("/search", q="when is the payment due", mode="vector")
        assert hits["hits"][0]["document_id"] == document


async def test_scenario_4_the_provider_fails(dsn: str, emulators: EmulatorProcess, tmp_path: Path) -> None:
    patient: dict[str, Any] = {"max_attempts": 2, "backoff_scale": 1000.0}
    async with opened_town(dsn, emulators, tmp_path, work=True, **patient) as town:
        # Given a service that has a fault of its own
        order_fault(emulators.document_intelligence, on="analyze", kind="status", status=503, times=-1)
        (document,) = await town.upload(letter(1))
        # Then the attempt is counted, the error is kept, and the job is pending again for later
        await town.until(lambda: town.job(document).attempts == 1, "the first attempt to fail")
        job = town.job(document)
        assert (job.status, job.completed_at) == ("PENDING", None)
        assert "Document Intelligence has a fault of its own (HTTP 503)" in job.error_log
        status = await town.desk.get(f"/documents/{document}/status")
        assert status["waiting_for"] == "trying again after an error (attempt 2 of 2)"
        # And when the last attempt fails as well, the job, its run and the document have failed
        await town.desk.post(f"/jobs/{job.id}/retry")
        assert (await town.desk.finished(document))["status"] == "FAILED"
        job = town.job(document)
        assert (job.status, job.attempts, len(job.error_log.splitlines())) == ("FAILED", 2, 2)
        # And once the service is well, a retry completes it; nothing had been billed before
        assert town.analyses() == 0
        reset(emulators.document_intelligence, polls=0)
        await town.desk.post(f"/jobs/{job.id}/retry")
        assert (await town.desk.finished(document))["status"] == "COMPLETED"
        assert town.analyses(letter(1)) == 1


async def test_scenario_5_a_worker_dies_and_another_finishes(
    dsn: str, emulators: EmulatorProcess, tmp_path: Path
) -> None:
    async with opened_town(dsn, emulators, tmp_path) as town:
        (document,) = await town.upload(letter(1))
        # Given a worker that is killed after it has started the analysis
        dead = town.start_worker("after:call_operation:1")
        dead.join(60)
        assert dead.exitcode == -9, town.said()
        job = town.job(document)
        assert (job.status, job.lease_epoch) == ("PROCESSING", 1)
        # When another one finds that the lease has run out
        town.start_worker()
        await town.all_completed([document])
        # Then the job was reset with one attempt more, and finished under a new epoch
        (job,) = town.sql("select * from document_processing_jobs where stage = 'extract'")
        assert (job.status, job.attempts, job.crashes) == ("COMPLETED", 1, 1)
        assert job.lease_epoch > 1
        kinds = [row.kind for row in town.sql("select kind from run_events order by id")]
        assert "LEASE_EXPIRED" in kinds
        # And what the dead one had started was asked for, not started again
        assert (town.analyses(letter(1)), town.batches(), town.reopened()) == (1, 1, {})
