"""Documents when a provider is busy, refuses the account, loses results, disconnects or reads only some pages."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.scenarios.production_cluster import ProductionCluster, letter, open_cluster
from tests.support.emulators.process import EmulatorProcess, emulator_process, order_fault, reset
from tests.support.emulators.sample_sources import Text, pdf


def _waits(cluster: ProductionCluster, document: str) -> Any:
    job = cluster.job(document)
    return job if job.status == "PENDING" and job.waiting_reason else None


async def test_scenario_a_busy_provider_delays_its_own_documents_only(
    dsn: str, emulators: EmulatorProcess, tmp_path: Path
) -> None:
    async with open_cluster(dsn, emulators, tmp_path, max_attempts=1) as cluster:
        # Given a service that answers 429 until it is reset, and three workers
        busy = {"on": "analyze", "kind": "status", "status": 429, "retry_after": 1, "times": -1}
        order_fault(emulators.document_intelligence, **busy)
        for _ in range(3):
            cluster.start_worker(max_attempts=1)
        throttled = await cluster.upload(*(letter(number) for number in range(6)))
        # Then each of its documents is suspended, and the provider it waits for is stored
        suspended = (
            "select distinct run_id from run_events where kind = 'STEP_SUSPENDED'"
            " and detail ->> 'waiting_reason' = 'provider_throttled'"
            " and detail ->> 'waiting_provider' = 'azure-document-intelligence'"
        )
        await cluster.wait_until(lambda: len(cluster.sql(suspended)) == 6, "every document to be suspended")
        # And documents of other providers are processed
        note = (await cluster.client.upload("note.txt", b"A note about the boat."))["id"]
        assert (await cluster.client.wait_until_finished(note))["status"] == "COMPLETED"
        assert cluster.analyses() == 0
        # And afterwards all complete: nothing failed, no attempt was used, nothing was paid twice
        reset(emulators.document_intelligence, polls=0)
        await cluster.all_completed([*throttled, note])
        failed_attempts = "select 1 from document_processing_jobs where attempts > 0"
        assert cluster.sql(failed_attempts) == []
        assert (cluster.analyses(), cluster.repeated()) == (6, {})


async def test_scenario_an_account_without_credit_suspends_the_run(
    dsn: str, emulators: EmulatorProcess, tmp_path: Path
) -> None:
    async with open_cluster(dsn, emulators, tmp_path, work=True, refused_pause_seconds=2.0) as cluster:
        order_fault(
            emulators.openai, on="embeddings", kind="status", status=429, code="insufficient_quota", times=-1
        )
        (document,) = await cluster.upload(letter(1))
        job = await cluster.wait_until(lambda: _waits(cluster, document), "the document to be suspended")
        assert (job.stage, job.attempts) == ("embed", 0)
        assert (job.waiting_reason, job.waiting_provider) == ("provider_refused", "openai")
        await cluster.wait_until(
            lambda: cluster.request_count(emulators.openai, "embeddings") >= 2, "another try after the pause"
        )
        reset(emulators.openai)
        assert (await cluster.client.wait_until_finished(document))["status"] == "COMPLETED"
        assert (cluster.analyses(), cluster.batches(), cluster.repeated()) == (1, 1, {})


async def test_scenario_a_refused_key_suspends_the_run_and_names_the_provider(
    dsn: str, emulators: EmulatorProcess, tmp_path: Path
) -> None:
    wrong: dict[str, Any] = {"document_intelligence_key": "wrong"}
    async with open_cluster(dsn, emulators, tmp_path, work=True, **wrong) as cluster:
        first, second = await cluster.upload(letter(1), letter(2))
        for document in (first, second):
            job = await cluster.wait_until(
                lambda document=document: _waits(cluster, document), "the document to be suspended"
            )
            assert job.waiting_reason == "provider_refused"
        (throttle,) = (await cluster.client.get("/operations"))["throttles"]
        assert throttle["provider"] == "azure-document-intelligence"
        assert throttle["reason"] == "provider_refused"
        assert "Check endpoint and key" in throttle["detail"]


@pytest.mark.parametrize(
    ("fault", "code"),
    [
        ({"on": "poll", "kind": "failed", "code": "InvalidContent"}, "cannot open this file"),
        ({"on": "poll", "kind": "failed", "state": "skipped"}, "skipped this file"),
    ],
    ids=["damaged", "skipped"],
)
async def test_scenario_a_file_that_can_never_be_read_is_rejected_at_once(
    dsn: str, emulators: EmulatorProcess, tmp_path: Path, fault: dict[str, Any], code: str
) -> None:
    async with open_cluster(dsn, emulators, tmp_path, work=True) as cluster:
        order_fault(emulators.document_intelligence, **fault)
        (document,) = await cluster.upload(letter(1))
        status = await cluster.client.wait_until_finished(document)
        assert (status["status"], status["run"]["failure_type"]) == ("FAILED", "REJECTED")
        assert code in status["error"]


@pytest.mark.parametrize(
    ("fault", "billed", "repeated"),
    [
        # The provider keeps results for a day: an expired one is computed and paid again.
        ({"on": "poll", "kind": "expired"}, 2, {}),
        # Disconnected after the request was sent: it may have been paid, so it is counted as repeated.
        ({"on": "analyze", "kind": "drop"}, 2, {"azure-document-intelligence": 1}),
        ({"on": "poll", "kind": "drop"}, 1, {}),
    ],
    ids=["expired", "dropped after sending", "dropped while polling"],
)
async def test_scenario_a_lost_result_is_requested_again_and_counted(
    dsn: str,
    emulators: EmulatorProcess,
    tmp_path: Path,
    fault: dict[str, Any],
    billed: int,
    repeated: dict[str, int],
) -> None:
    async with open_cluster(dsn, emulators, tmp_path, work=True) as cluster:
        order_fault(emulators.document_intelligence, **fault)
        (document,) = await cluster.upload(letter(1))
        assert (await cluster.client.wait_until_finished(document))["status"] == "COMPLETED"
        assert (cluster.analyses(), cluster.repeated()) == (billed, repeated)
        costs = await cluster.client.get(f"/documents/{document}/costs")
        assert costs["repeated"] == sum(repeated.values())


async def test_scenario_a_document_of_which_a_free_tier_read_two_pages_is_rejected(
    dsn: str, tmp_path: Path
) -> None:
    with emulator_process("--free-tier") as emulators:
        async with open_cluster(dsn, emulators, tmp_path, work=True) as cluster:
            (document,) = await cluster.upload(pdf(*([Text(f"Page {n}")] for n in range(1, 6))))
            status = await cluster.client.wait_until_finished(document)
    assert (status["status"], status["run"]["failure_type"]) == ("FAILED", "REJECTED")
    assert "Only 2 of 5 pages were read" in status["error"]


async def test_scenario_text_and_web_pages_are_read_locally(
    dsn: str, emulators: EmulatorProcess, tmp_path: Path
) -> None:
    async with open_cluster(dsn, emulators, tmp_path, work=True) as cluster:
        for name, body in (
            ("a.txt", b"Plain words."),
            ("b.html", b"<html><body><h1>Web words</h1><p>So.</p>"),
        ):
            document = (await cluster.client.upload(name, body))["id"]
            assert (await cluster.client.wait_until_finished(document))["status"] == "COMPLETED"
        assert cluster.analyses() == 0
