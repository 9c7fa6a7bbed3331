"""Calls transcribed by SpeechKit: started once, polled by suspended jobs, with limits on polls and time."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.support.api_client import ApiClient, open_api_client
from tests.support.databases import PostgresServer
from tests.support.emulators import Fault, SpeechKitEmulator
from tests.support.recordings import tone, wav
from tests.support.timeouts import async_wait_until
from towpath.bootstrap import check_providers
from towpath.config import Settings
from towpath.errors import ConfigError
from towpath.model.extracted_audio import Recording
from towpath.model.job_payload import ARGUMENTS
from towpath.providers.local.speech.audio_extractor import LocalAudioExtractor

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
async def speechkit_client(tmp_path: Path, service: SpeechKitEmulator) -> AsyncIterator[ApiClient]:
    async with open_api_client(tmp_path / "data", **settings_for(service)) as client:
        yield client


async def test_the_answer_is_stored_and_the_copy_at_the_provider_deleted(
    speechkit_client: ApiClient, service: SpeechKitEmulator
) -> None:
    document = await speechkit_client.upload("call.wav", LONG_CALL)
    status = await speechkit_client.wait_until_finished(document["id"])
    written = await speechkit_client.get(f"/documents/{document['id']}/transcript")

    assert status["status"] == "COMPLETED", status["error"]
    assert {segment["speaker"] for segment in written["segments"]} == {"Speaker 1", "Speaker 2"}
    assert written["segments"][0]["words"][0]["text"] == "good"
    assert service.bill.operations == 1
    assert service.operations == {}, "the provider has no copy any more"
    [hit, *_] = (await speechkit_client.get("/search", q="oak barrels"))["hits"]
    segment = next(s for s in written["segments"] if "oak barrels" in s["text"])
    word = next(w for w in segment["words"] if w["text"] == "oak")
    assert abs(hit["anchor"]["seconds_start"] - word["start"]) < 2.0

    for job in await speechkit_client.get("/jobs"):
        payload = job["payload"]
        assert {name: payload[name] for name in ("version", "document", "run", "stage")} == {
            "version": 1,
            "document": document["id"],
            "run": job["run_id"],
            "stage": job["stage"],
        }
        known = {**ARGUMENTS["*"], **ARGUMENTS.get(job["stage"], {})}
        assert all(isinstance(value, known[name][0]) for name, value in payload["arguments"].items())

    await speechkit_client.post(f"/documents/{document['id']}/runs", json={})
    assert (await speechkit_client.wait_until_finished(document["id"]))["status"] == "COMPLETED"
    assert service.bill.operations == 1, "a reprocess uses the cached answer"


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
async def test_provider_faults_do_not_repeat_paid_calls(
    speechkit_client: ApiClient, service: SpeechKitEmulator, fault: Fault, quick_polls: None
) -> None:
    service.faults.add(fault)
    document = await speechkit_client.upload("call.wav", CALL)
    status = await speechkit_client.wait_until_finished(document["id"])

    assert status["status"] == "COMPLETED", status["error"]
    assert service.bill.operations == 1


@pytest.fixture
def quick_polls(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("towpath.worker.provider_calls.poll_delay", lambda polls: 0.05)  # pyright: ignore[reportUnknownLambdaType, reportUnknownArgumentType]


async def test_a_fixed_interval_holds_for_every_poll(tmp_path: Path, service: SpeechKitEmulator) -> None:
    service.faults.add(Fault("poll", "running", times=-1))
    hour = {"speechkit_poll_interval_ms": 3_600_000}
    async with open_api_client(tmp_path / "data", **settings_for(service, **hour)) as client:
        await client.upload("call.wav", CALL)

        async def waits(polls: int) -> Any:
            jobs = [job for job in await client.get("/jobs") if job["stage"] == "transcribe_poll"]
            return next(
                (
                    job
                    for job in jobs
                    if job["waiting_until"] and job["payload"]["arguments"].get("polls") == polls
                ),
                None,
            )

        for polls in range(3):
            job = await async_wait_until(lambda polls=polls: waits(polls), f"the wait after {polls} polls")
            until = datetime.fromisoformat(job["waiting_until"]) - datetime.now(UTC)
            assert timedelta(seconds=3000) < until <= timedelta(seconds=3600)
            await client.post(f"/jobs/{job['id']}/retry")


def test_api_v2_without_an_object_store_is_refused_at_start() -> None:
    settings = Settings(transcriber="speechkit-v2", speechkit_api_key="key")
    with pytest.raises(ConfigError, match="needs an object store that can sign addresses"):
        check_providers(settings)
    signing = "DefaultEndpointsProtocol=https;AccountName=towpath;AccountKey=bm90IGEga2V5"
    check_providers(replace(settings, blob_storage=signing))


async def test_an_operation_that_never_ends_fails_with_a_sentence_and_is_not_paid_again(
    tmp_path: Path, service: SpeechKitEmulator, quick_polls: None
) -> None:
    service.faults.add(Fault("poll", "running", times=-1))
    async with open_api_client(tmp_path / "data", **settings_for(service, transcript_max_polls=3)) as client:
        document = await client.upload("call.wav", CALL)
        status = await client.wait_until_finished(document["id"])

        assert (status["status"], status["run"]["failure_type"]) == ("FAILED", "STAGE_FAILED")
        assert "has not finished the transcript" in status["error"]
        assert "(transcript_max_polls = 3)" in status["error"]

        service.faults.clear()
        failed = next(stage for stage in status["stages"] if stage["name"] == "transcribe_poll")
        await client.post(f"/jobs/{failed['job_id']}/retry")
        assert (await client.wait_until_finished(document["id"]))["status"] == "COMPLETED"
        assert service.bill.operations == 1


async def test_an_expired_operation_is_started_again(
    speechkit_client: ApiClient, service: SpeechKitEmulator, quick_polls: None
) -> None:
    service.faults.add(Fault("poll", "expired"))
    document = await speechkit_client.upload("call.wav", CALL)
    status = await speechkit_client.wait_until_finished(document["id"])

    assert status["status"] == "COMPLETED", status["error"]
    assert service.bill.operations == 2, "what the provider has forgotten can only be bought again"


async def test_fifty_waiting_calls_use_no_worker_slots(tmp_path: Path, service: SpeechKitEmulator) -> None:
    service.faults.add(Fault("poll", "running", times=-1))
    async with open_api_client(tmp_path / "data", **settings_for(service)) as client:
        calls = [await client.upload(f"call {n}.wav", wav(tone(0.5 + n / 100))) for n in range(50)]
        while service.bill.operations < len(calls):
            await client.get("/operations")

        letters = [await client.upload(f"{n}.txt", f"Letter {n} about the lock.".encode()) for n in range(10)]
        done = await asyncio.gather(*(client.wait_until_finished(letter["id"]) for letter in letters))
        waiting = await client.get("/documents/status", ids=",".join(call["id"] for call in calls))

        assert {status["status"] for status in done} == {"COMPLETED"}
        assert {status["status"] for status in waiting} == {"PROCESSING"}
        assert all(status["stage"] == "transcribe_poll" for status in waiting)
        assert service.bill.operations == 50


async def test_a_reprocessed_call_is_neither_extracted_nor_transcribed_again(
    speechkit_client: ApiClient, service: SpeechKitEmulator, monkeypatch: pytest.MonkeyPatch
) -> None:
    extractions: list[Path] = []
    extract = LocalAudioExtractor.extract

    async def counted(extractor: LocalAudioExtractor, source: Path, *arguments: Any) -> Recording:
        extractions.append(source)
        return await extract(extractor, source, *arguments)

    monkeypatch.setattr(LocalAudioExtractor, "extract", counted)
    document = await speechkit_client.upload("call.wav", CALL)
    await speechkit_client.wait_until_finished(document["id"])
    await speechkit_client.post(f"/documents/{document['id']}/runs", json={})
    status = await speechkit_client.wait_until_finished(document["id"])

    assert status["status"] == "COMPLETED", status["error"]
    assert len(await speechkit_client.get(f"/documents/{document['id']}/runs")) == 2
    assert (len(extractions), service.bill.operations) == (1, 1)


async def test_a_call_is_transcribed_on_postgres(
    tmp_path: Path, service: SpeechKitEmulator, postgres_server: PostgresServer
) -> None:
    database = postgres_server.create_migrated("calls")
    settings = settings_for(service, database=database, keep_original=False)
    async with open_api_client(tmp_path / "data", **settings) as client:
        document = await client.upload("call.wav", CALL)
        status = await client.wait_until_finished(document["id"])
        path = f"/documents/{document['id']}"

        assert status["status"] == "COMPLETED", status["error"]
        assert (await client.get(f"{path}/transcript"))["segments"]
        assert (await client.http.get(f"{path}/audio")).content.startswith(b"OggS")
        assert (await client.http.get(f"{path}/original")).status_code == 404
        assert service.bill.operations == 1
