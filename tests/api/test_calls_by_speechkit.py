"""Calls put into writing by SpeechKit: started once, waited for without holding anything, asked with patience."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.databases import PostgresServer
from tests.support.desk import Desk, opened_desk
from tests.support.emulators import Fault, SpeechKitEmulator
from tests.support.recordings import tone, wav
from towpath.model.payload import ARGUMENTS

CALL = wav(tone(2))
LONG_CALL = wav(tone(12))


@pytest.fixture
async def service() -> AsyncIterator[SpeechKitEmulator]:
    async with SpeechKitEmulator(polls=0) as emulator:
        yield emulator


def settings_for(service: SpeechKitEmulator, **more: Any) -> dict[str, Any]:
    return {
        "transcriber": "speechkit",
        "speechkit_api_key": service.key,
        "speechkit_stt_url": service.url,
        "speechkit_operations_url": service.url,
        "transcript_first_poll_seconds": 0.1,
        "poll_seconds": 0.1,
        **more,
    }


@pytest.fixture
async def speaking_desk(tmp_path: Path, service: SpeechKitEmulator) -> AsyncIterator[Desk]:
    async with opened_desk(tmp_path / "data", **settings_for(service)) as desk:
        yield desk


async def test_the_answer_is_kept_and_the_copy_at_the_provider_removed(
    speaking_desk: Desk, service: SpeechKitEmulator
) -> None:
    document = await speaking_desk.upload("call.wav", LONG_CALL)
    status = await speaking_desk.finished(document["id"])
    written = await speaking_desk.get(f"/documents/{document['id']}/transcript")

    assert status["status"] == "COMPLETED", status["error"]
    assert {segment["speaker"] for segment in written["segments"]} == {"Speaker 1", "Speaker 2"}
    assert written["segments"][0]["words"][0]["text"] == "good"
    assert service.bill.operations == 1
    assert service.operations == {}, "nothing is left there"
    [hit, *_] = (await speaking_desk.get("/search", q="oak barrels"))["hits"]
    said = next(s for s in written["segments"] if "oak barrels" in s["text"])
    word = next(w for w in said["words"] if w["text"] == "oak")
    assert abs(hit["anchor"]["seconds_start"] - word["start"]) < 2.0

    for job in await speaking_desk.get("/jobs"):
        payload = job["payload"]
        assert {name: payload[name] for name in ("version", "document", "run", "stage")} == {
            "version": 1,
            "document": document["id"],
            "run": job["run_id"],
            "stage": job["stage"],
        }
        known = {**ARGUMENTS["*"], **ARGUMENTS.get(job["stage"], {})}
        assert all(isinstance(value, known[name][0]) for name, value in payload["arguments"].items())

    await speaking_desk.post(f"/documents/{document['id']}/runs", json={})
    assert (await speaking_desk.finished(document["id"]))["status"] == "COMPLETED"
    assert service.bill.operations == 1, "a reprocess is given the remembered answer"


@pytest.mark.parametrize(
    "fault",
    [
        Fault("recognize", "status", status=429, retry_after=0.1),
        Fault("recognize", "status", status=503),
        Fault("poll", "status", status=429, retry_after=0.1),
        Fault("poll", "status", times=3, status=503),
        Fault("result", "status", times=2, status=404, message="operation data is not ready"),
        Fault("delete", "status", status=500),
    ],
    ids=lambda fault: f"{fault.on}-{fault.status}",
)
async def test_faults_on_the_way_cost_time_and_no_money(
    speaking_desk: Desk, service: SpeechKitEmulator, fault: Fault, quick_polls: None
) -> None:
    service.faults.add(fault)
    document = await speaking_desk.upload("call.wav", CALL)
    status = await speaking_desk.finished(document["id"])

    assert status["status"] == "COMPLETED", status["error"]
    assert service.bill.operations == 1


@pytest.fixture
def quick_polls(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("towpath.worker.memory.poll_delay", lambda polls: 0.05)  # pyright: ignore[reportUnknownLambdaType, reportUnknownArgumentType]


async def test_an_operation_that_never_ends_is_given_up_with_a_sentence_and_not_paid_again(
    tmp_path: Path, service: SpeechKitEmulator, quick_polls: None
) -> None:
    service.faults.add(Fault("poll", "running", times=-1))
    async with opened_desk(tmp_path / "data", **settings_for(service, transcript_polls=3)) as desk:
        document = await desk.upload("call.wav", CALL)
        status = await desk.finished(document["id"])

        assert (status["status"], status["run"]["failure_type"]) == ("FAILED", "STAGE_FAILED")
        assert "has not finished the transcript" in status["error"]
        assert "transcript_patience_seconds" in status["error"]

        service.faults.clear()
        failed = next(stage for stage in status["stages"] if stage["name"] == "transcribe_poll")
        await desk.post(f"/jobs/{failed['job_id']}/retry")
        assert (await desk.finished(document["id"]))["status"] == "COMPLETED"
        assert service.bill.operations == 1


async def test_an_expired_operation_is_started_again(
    speaking_desk: Desk, service: SpeechKitEmulator, quick_polls: None
) -> None:
    service.faults.add(Fault("poll", "expired"))
    document = await speaking_desk.upload("call.wav", CALL)
    status = await speaking_desk.finished(document["id"])

    assert status["status"] == "COMPLETED", status["error"]
    assert service.bill.operations == 2, "what the provider has forgotten can only be bought again"


async def test_fifty_calls_that_wait_hold_nobody_up(tmp_path: Path, service: SpeechKitEmulator) -> None:
    service.faults.add(Fault("poll", "running", times=-1))
    async with opened_desk(tmp_path / "data", **settings_for(service)) as desk:
        calls = [await desk.upload(f"call {n}.wav", wav(tone(0.5 + n / 100))) for n in range(50)]
        while service.bill.operations < len(calls):
            await desk.get("/operations")

        letters = [await desk.upload(f"{n}.txt", f"Letter {n} about the lock.".encode()) for n in range(10)]
        done = await asyncio.gather(*(desk.finished(letter["id"]) for letter in letters))
        waiting = await desk.get("/documents/status", ids=",".join(call["id"] for call in calls))

        assert {status["status"] for status in done} == {"COMPLETED"}
        assert {status["status"] for status in waiting} == {"PROCESSING"}
        assert all(status["stage"] == "transcribe_poll" for status in waiting)
        assert service.bill.operations == 50


async def test_on_postgres_a_call_goes_the_same_way(
    tmp_path: Path, service: SpeechKitEmulator, postgres_server: PostgresServer
) -> None:
    database = postgres_server.create_migrated("calls")
    settings = settings_for(service, database=database, keep_original=False)
    async with opened_desk(tmp_path / "data", **settings) as desk:
        document = await desk.upload("call.wav", CALL)
        status = await desk.finished(document["id"])
        path = f"/documents/{document['id']}"

        assert status["status"] == "COMPLETED", status["error"]
        assert (await desk.get(f"{path}/transcript"))["segments"]
        assert (await desk.http.get(f"{path}/audio")).content.startswith(b"OggS")
        assert (await desk.http.get(f"{path}/original")).status_code == 404
        assert service.bill.operations == 1
