"""The five scenarios of asynchronous extraction, on Postgres, Document Intelligence and OpenAI."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

import psycopg

from tests.scenarios.production_cluster import letter, open_cluster
from tests.support.emulators.process import EmulatorProcess, order_fault, reset
from tests.support.emulators.sample_sources import invoice_pdf
from towpath.ledger.contract.ledger import ClaimRequest
from towpath.ledger.sql_files import statements


async def test_scenario_1_uploading_a_new_pdf_document(
    dsn: str, emulators: EmulatorProcess, tmp_path: Path
) -> None:
    async with open_cluster(dsn, emulators, tmp_path) as cluster:
        # When a user uploads a PDF while no worker runs
        answer = await cluster.client.upload("letter.pdf", letter(1))
        # Then the answer comes at once, with the document's metadata
        assert (answer["status"], answer["name"], answer["media_type"]) == (
            "PROCESSING",
            "letter.pdf",
            "application/pdf",
        )
        # And the file is stored, the document is PROCESSING, and its first job is PENDING
        (document,) = cluster.sql("select * from documents")
        assert (str(document.id), document.status) == (answer["id"], "PROCESSING")
        assert document.blob_key in cluster.client.blobs()
        job = cluster.job(answer["id"])
        assert (job.status, job.stage, job.attempts, job.started_at) == ("PENDING", "extract", 0, None)
        # And no paid call was made
        assert (cluster.analyses(), cluster.batches()) == (0, 0)


async def test_scenario_2_a_worker_picks_up_a_job(
    dsn: str, emulators: EmulatorProcess, tmp_path: Path
) -> None:
    async with open_cluster(dsn, emulators, tmp_path) as cluster:
        first, second = await cluster.upload(letter(1), letter(2))
        ledger, clock = cluster.client.runtime.services.ledger, cluster.client.runtime.services.clock
        # Given another worker that holds the row lock of the oldest job
        with psycopg.connect(dsn) as other:
            other.execute(
                "select 1 from document_processing_jobs where document_id = %s for update", (first,)
            )
            # When a worker claims, then it takes the next job and does not wait for the locked one
            (claimed,) = await ledger.claim(ClaimRequest("anna", limit=2, lease_seconds=30), clock.now())
            assert claimed.document_id == second
        assert any("for update skip locked" in part for part in statements("postgres", "claim"))
        # And the job is PROCESSING, started now, by this worker
        job = cluster.job(second)
        assert (job.status, job.locked_by, job.lease_epoch) == ("PROCESSING", "anna", 1)
        assert clock.now() - job.started_at < timedelta(minutes=1)
        assert cluster.job(first).status == "PENDING"


async def test_scenario_3_a_document_is_extracted(
    dsn: str, emulators: EmulatorProcess, tmp_path: Path
) -> None:
    body = invoice_pdf()
    model: dict[str, Any] = {"document_intelligence_model": "prebuilt-invoice"}
    async with open_cluster(dsn, emulators, tmp_path, polls=1, work=True, **model) as cluster:
        (document,) = await cluster.upload(body)
        status = await cluster.client.wait_until_finished(document)
        # Then the document and every job of its run are completed
        assert status["status"] == "COMPLETED", status
        jobs = cluster.sql(
            "select stage, status, attempts, started_at, completed_at from document_processing_jobs"
        )
        assert {job.status for job in jobs} == {"COMPLETED"}
        assert all(job.completed_at >= job.started_at and job.attempts == 0 for job in jobs)
        # And the extracted fields are stored, each with its position in the document
        fields = {field["name"]: field for field in await cluster.client.get(f"/documents/{document}/fields")}
        assert fields["InvoiceId"]["value"] == "A-1047"
        assert fields["InvoiceId"]["anchor"]["page"] == 1
        # And each chunk and the document itself have a vector of the embedding model
        chunks = cluster.sql("select model, dimension, vector_dims(vector) as length from chunks")
        assert {tuple(chunk) for chunk in chunks} == {("text-embedding-3-small", 1536, 1536)}
        ((length,),) = cluster.sql("select vector_dims(vector) from documents")
        assert length == 1536
        # And it was paid once: one start, then one poll for each claim
        assert (cluster.analyses(body), cluster.batches()) == (1, 1)
        service = cluster.emulators.document_intelligence
        assert (cluster.request_count(service, "analyze"), cluster.request_count(service, "poll")) == (1, 2)
        # And vector search finds it
        hits = await cluster.client.get("/search", q="when is the payment due", mode="vector")
        assert hits["hits"][0]["document_id"] == document


async def test_scenario_4_the_provider_fails(dsn: str, emulators: EmulatorProcess, tmp_path: Path) -> None:
    patient: dict[str, Any] = {"max_attempts": 2, "backoff_scale": 1000.0}
    async with open_cluster(dsn, emulators, tmp_path, work=True, **patient) as cluster:
        # Given a service that answers with server errors
        order_fault(emulators.document_intelligence, on="analyze", kind="status", status=503, times=-1)
        (document,) = await cluster.upload(letter(1))
        # Then the attempt is counted, the error is stored, and the job is PENDING with a later due time
        await cluster.wait_until(lambda: cluster.job(document).attempts == 1, "the first attempt to fail")
        job = cluster.job(document)
        assert (job.status, job.completed_at) == ("PENDING", None)
        assert "Document Intelligence failed (HTTP 503)" in job.error_log
        status = await cluster.client.get(f"/documents/{document}/status")
        assert status["waiting_reason"] == "retry"
        # And when the last attempt fails as well, the job, its run and the document are FAILED
        await cluster.client.post(f"/jobs/{job.id}/retry")
        assert (await cluster.client.wait_until_finished(document))["status"] == "FAILED"
        job = cluster.job(document)
        assert (job.status, job.attempts, len(job.error_log.splitlines())) == ("FAILED", 2, 2)
        # And after the service recovered, a retry completes it; nothing was billed before
        assert cluster.analyses() == 0
        reset(emulators.document_intelligence, polls=0)
        await cluster.client.post(f"/jobs/{job.id}/retry")
        assert (await cluster.client.wait_until_finished(document))["status"] == "COMPLETED"
        assert cluster.analyses(letter(1)) == 1


async def test_scenario_5_a_worker_dies_and_another_finishes(
    dsn: str, emulators: EmulatorProcess, tmp_path: Path
) -> None:
    async with open_cluster(dsn, emulators, tmp_path) as cluster:
        (document,) = await cluster.upload(letter(1))
        # Given a worker that is killed after it has started the analysis
        dead = cluster.start_worker("after:save_operation_id:1")
        await cluster.wait_until(lambda: not dead.is_alive(), "the worker to be killed")
        assert dead.exitcode == -9, cluster.worker_logs()
        job = cluster.job(document)
        assert (job.status, job.lease_epoch) == ("PROCESSING", 1)
        # When its lease has expired and another worker runs
        cluster.expire_leases()
        cluster.start_worker()
        await cluster.all_completed([document])
        # Then the job was reset without using an attempt, and finished under a new epoch
        (job,) = cluster.sql("select * from document_processing_jobs where stage = 'extract'")
        assert (job.status, job.attempts, job.crashes, job.suspect) == ("COMPLETED", 0, 0, True)
        assert job.lease_epoch > 1
        kinds = [row.kind for row in cluster.sql("select kind from run_events order by id")]
        assert "LEASE_EXPIRED" in kinds
        # And the operation of the dead worker was polled, not started again
        assert (cluster.analyses(letter(1)), cluster.batches(), cluster.repeated()) == (1, 1, {})
