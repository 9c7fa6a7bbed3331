"""What becomes of a document when a provider is busy, refuses, forgets, breaks off or reads only half."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.scenarios.town import Town, letter, opened_town
from tests.support.emulators.material import Text, pdf
from tests.support.emulators.process import EmulatorProcess, emulator_process, order_fault, reset


def _waits(town: Town, document: str) -> Any:
    job = town.job(document)
    return job if job.status == "PENDING" and job.waiting_for else None


async def test_scenario_a_busy_provider_delays_its_own_documents_only(
    dsn: str, emulators: EmulatorProcess, tmp_path: Path
) -> None:
    async with opened_town(dsn, emulators, tmp_path, max_attempts=1) as town:
        # Given a service that answers 429 until it is told to stop, and three workers
        busy = {"on": "analyze", "kind": "status", "status": 429, "retry_after": 1, "times": -1}
        order_fault(emulators.document_intelligence, **busy)
        for _ in range(3):
            town.start_worker(max_attempts=1)
        slowed = await town.upload(*(letter(number) for number in range(6)))
        # Then each of its documents is sent away, and it is said for whom it waits
        sent_away = (
            "select distinct run_id from run_events where kind = 'STEP_SUSPENDED'"
            " and detail ->> 'waiting_for' like '%Document Intelligence asks to slow down%'"
        )
        await town.until(lambda: len(town.sql(sent_away)) == 6, "every document to be sent away")
        # And documents that need another provider flow meanwhile
        note = (await town.desk.upload("note.txt", b"A note about the boat."))["id"]
        assert (await town.desk.finished(note))["status"] == "COMPLETED"
        assert town.analyses() == 0
        # And afterwards all complete: nothing failed, no attempt was used up, nothing was paid for twice
        reset(emulators.document_intelligence, polls=0)
        await town.all_completed([*slowed, note])
        troubles = "select 1 from document_processing_jobs where attempts > 0 or error_log is not null"
        assert town.sql(troubles) == []
        assert (town.analyses(), town.reopened()) == (6, {})


async def test_scenario_an_account_without_credit_parks_the_run_and_says_so(
    dsn: str, emulators: EmulatorProcess, tmp_path: Path
) -> None:
    async with opened_town(dsn, emulators, tmp_path, work=True, refused_pause_seconds=2.0) as town:
        order_fault(
            emulators.openai, on="embeddings", kind="status", status=429, code="insufficient_quota", times=-1
        )
        (document,) = await town.upload(letter(1))
        job = await town.until(lambda: _waits(town, document), "the document to be parked")
        assert (job.stage, job.attempts) == ("embed", 0)
        assert "no credit left" in job.waiting_for
        await town.until(
            lambda: town.asked(emulators.openai, "embeddings") >= 2, "another try after the pause"
        )
        reset(emulators.openai)
        assert (await town.desk.finished(document))["status"] == "COMPLETED"
        assert (town.analyses(), town.batches(), town.reopened()) == (1, 1, {})


async def test_scenario_a_refused_key_parks_the_run_and_names_the_provider_as_closed(
    dsn: str, emulators: EmulatorProcess, tmp_path: Path
) -> None:
    wrong: dict[str, Any] = {"document_intelligence_key": "wrong"}
    async with opened_town(dsn, emulators, tmp_path, work=True, **wrong) as town:
        first, second = await town.upload(letter(1), letter(2))
        for document in (first, second):
            job = await town.until(
                lambda document=document: _waits(town, document), "the document to be parked"
            )
            assert "refused the key" in job.waiting_for
        (gate,) = (await town.desk.get("/operations"))["gates"]
        assert gate["provider"] == "azure-document-intelligence"
        assert "Check endpoint and key" in gate["reason"]


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
    async with opened_town(dsn, emulators, tmp_path, work=True) as town:
        order_fault(emulators.document_intelligence, **fault)
        (document,) = await town.upload(letter(1))
        status = await town.desk.finished(document)
        assert (status["status"], status["run"]["failure_type"]) == ("FAILED", "REJECTED")
        assert code in status["error"]


@pytest.mark.parametrize(
    ("fault", "billed", "reopened"),
    [
        # Results are kept for a day: one that is gone has to be made, and paid for, again.
        ({"on": "poll", "kind": "expired"}, 2, {}),
        # Cut off after it was sent: it may have been paid for, and is counted as such.
        ({"on": "analyze", "kind": "drop"}, 2, {"azure-document-intelligence": 1}),
        ({"on": "poll", "kind": "drop"}, 1, {}),
    ],
    ids=["expired", "dropped after sending", "dropped while polling"],
)
async def test_scenario_what_was_lost_on_the_way_is_tried_again_and_counted(
    dsn: str,
    emulators: EmulatorProcess,
    tmp_path: Path,
    fault: dict[str, Any],
    billed: int,
    reopened: dict[str, int],
) -> None:
    async with opened_town(dsn, emulators, tmp_path, work=True) as town:
        order_fault(emulators.document_intelligence, **fault)
        (document,) = await town.upload(letter(1))
        assert (await town.desk.finished(document))["status"] == "COMPLETED"
        assert (town.analyses(), town.reopened()) == (billed, reopened)
        costs = await town.desk.get(f"/documents/{document}/costs")
        assert costs["reopened"] == sum(reopened.values())


async def test_scenario_a_free_tier_that_reads_two_pages_is_found_out(dsn: str, tmp_path: Path) -> None:
    with emulator_process("--free-tier") as emulators:
        async with opened_town(dsn, emulators, tmp_path, work=True) as town:
            (document,) = await town.upload(pdf(*([Text(f"Page {n}")] for n in range(1, 6))))
            status = await town.desk.finished(document)
    assert (status["status"], status["run"]["failure_type"]) == ("FAILED", "REJECTED")
    assert "Only 2 of 5 pages were read" in status["error"]


async def test_scenario_text_and_web_pages_are_read_here_and_cost_nothing(
    dsn: str, emulators: EmulatorProcess, tmp_path: Path
) -> None:
    async with opened_town(dsn, emulators, tmp_path, work=True) as town:
        for name, body in (
            ("a.txt", b"Plain words."),
            ("b.html", b"<html><body><h1>Web words</h1><p>So.</p>"),
        ):
            document = (await town.desk.upload(name, body))["id"]
            assert (await town.desk.finished(document))["status"] == "COMPLETED"
        assert town.analyses() == 0
