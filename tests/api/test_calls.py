"""Calls over the API: transcript, subtitles, analysis, and search hits with timestamps."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any

import pytest

from tests.support import recordings
from tests.support.api_client import ApiClient, open_api_client
from tests.support.emulators import OpenAIEmulator
from tests.support.emulators.faults import Fault
from tests.support.timeouts import async_wait_until
from towpath.model.transcript import Segment, Transcript
from towpath.server import subtitles
from towpath.storage.local import LocalStore


@pytest.fixture
async def client(tmp_path: Path) -> AsyncIterator[ApiClient]:
    """Recordings are read and transcribed in child processes."""
    async with open_api_client(tmp_path / "data") as client:
        yield client


async def test_human_speech_is_transcribed_and_found_with_its_timestamp(client: ApiClient) -> None:
    document = await client.upload("two cities.wav", recordings.sample("two_cities.wav"))
    status = await client.wait_until_finished(document["id"])
    path = f"/documents/{document['id']}"
    written = await client.get(f"{path}/transcript")
    heard = " ".join(segment["text"] for segment in written["segments"])
    errors = recordings.word_error_rate(recordings.words(recordings.TWO_CITIES), recordings.words(heard))

    assert status["status"] == "COMPLETED", status["error"]
    assert document["kind"] == "call"
    assert errors < 0.15, f"{errors:.0%} of the words are wrong: {heard}"

    [hit, *_] = (await client.get("/search", q='"the period was so far"', kind="call"))["hits"]
    assert hit["document_id"] == document["id"]
    assert abs(hit["anchor"]["seconds_start"] - 29.7) < 2.0
    assert "moments" not in hit["anchor"]

    shown = await client.get(path)
    assert 44.0 < shown["seconds"] < 45.0
    assert shown["words"] > 100
    analysis = await client.get(f"{path}/analysis")
    assert (analysis["summary"], analysis["topics"]) == (None, []), "nothing is guessed without a model"
    assert analysis["warning"] is None
    assert written["language"] == "en"
    assert all(segment["words"] for segment in written["segments"])
    assert "best of times" in (await client.http.get(f"{path}/content")).text

    assert not [key for key in client.blobs() if key.endswith(".ogg")], "the sound was only needed on the way"
    part = await client.http.get(f"{path}/audio", headers={"Range": "bytes=0-3"})
    assert (part.status_code, part.content) == (206, b"RIFF")

    await client.http.delete(path)
    assert not [key for key in client.blobs() if "/answers/" not in key]


FORMS: tuple[tuple[dict[str, str], str, str], ...] = (
    ({"format": "srt"}, "*/*", "1\n00:00:0"),
    ({"format": "vtt"}, "*/*", "WEBVTT\n\n00:00:0"),
    ({"format": "text"}, "*/*", "[00:00:0"),
    ({"format": "json"}, "text/vtt", "{"),
    ({}, "text/vtt, */*;q=0.1", "WEBVTT"),
    ({}, "application/x-subrip", "1\n"),
)


async def test_a_transcript_is_returned_in_the_requested_format(client: ApiClient) -> None:
    call = await client.upload("beckett.wav", recordings.sample("beckett.wav"))
    await client.wait_until_finished(call["id"])

    for query, accept, prefix in FORMS:
        path = f"/documents/{call['id']}/transcript"
        answer = await client.http.get(path, params=query, headers={"Accept": accept})
        assert answer.status_code == 200
        assert answer.text.startswith(prefix), (query, accept)


def test_subtitles_escape_the_spoken_text() -> None:
    hostile = Transcript((Segment("<b>a --> b</b> & c", "Speaker 1", 3661.5, 3661.6),))

    assert "01:01:01,500 --> 01:01:02,000\nSpeaker 1: <b>a → b</b> & c" in subtitles.to_srt(hostile)
    assert "<v Speaker 1>&lt;b&gt;a → b&lt;/b&gt; &amp; c" in subtitles.to_vtt(hostile)


async def test_two_people_on_two_channels_are_two_speakers(client: ApiClient) -> None:
    speech = recordings.speech("beckett.wav")
    quiet = recordings.silence(len(speech) / recordings.RATE)[: len(speech)]
    left, right = [*speech, *quiet], [*quiet, *speech]
    body = recordings.wav(recordings.np.array(left, "i2"), recordings.np.array(right, "i2"))
    document = await client.upload("telephone.wav", body)
    status = await client.wait_until_finished(document["id"])
    segments = (await client.get(f"/documents/{document['id']}/transcript"))["segments"]
    analysis = await client.get(f"/documents/{document['id']}/analysis")

    assert status["status"] == "COMPLETED", status["error"]
    assert {segment["speaker"] for segment in segments} == {"Speaker 1", "Speaker 2"}
    middle = len(speech) / recordings.RATE - 0.1
    assert all((segment["start"] < middle) == (segment["speaker"] == "Speaker 1") for segment in segments)
    assert sum(speaker["share"] for speaker in analysis["speakers"]) == pytest.approx(1.0)


async def test_a_failed_analysis_keeps_the_transcript_and_can_be_retried(tmp_path: Path) -> None:
    async with OpenAIEmulator() as service:
        service.faults.add(Fault("chat", "status", status=401))
        settings: dict[str, Any] = {
            "call_analyzer": "openai",
            "openai_api_key": service.key,
            "openai_base_url": f"{service.url}/v1",
        }
        async with open_api_client(tmp_path / "data", **settings) as client:
            document = await client.upload("beckett.wav", recordings.sample("beckett.wav"))
            status = await client.wait_until_finished(document["id"])
            path = f"/documents/{document['id']}"
            analysis = await client.get(f"{path}/analysis")

            assert status["status"] == "COMPLETED"
            assert "its transcript is complete" in analysis["warning"]
            assert analysis["summary"] is None
            assert (await client.get(path))["warnings"] == [analysis["warning"]]
            assert (await client.get(f"{path}/transcript"))["segments"]

            seconds = _seconds_transcribed(await client.get(f"{path}/costs"))
            await client.post(f"{path}/runs", json={"from_stage": "analyze"})
            assert (await client.wait_until_finished(document["id"]))["status"] == "COMPLETED"
            again = await client.get(f"{path}/analysis")
            assert again["warning"] is None
            assert again["summary"]
            assert (await client.get(path))["warnings"] == []
            assert _seconds_transcribed(await client.get(f"{path}/costs")) == seconds, (
                "nothing was transcribed again"
            )


def _seconds_transcribed(costs: dict[str, dict[str, float]]) -> float:
    return costs["units"]["seconds"]


async def test_only_the_audio_is_kept_if_originals_are_not(tmp_path: Path) -> None:
    async with open_api_client(tmp_path / "data", keep_original=False) as client:
        film = recordings.pictures(sound=recordings.speech("beckett.wav"))
        document = await client.upload("interview.mp4", film)
        status = await client.wait_until_finished(document["id"])
        path = f"/documents/{document['id']}"
        sound = await client.http.get(f"{path}/audio", headers={"Range": "bytes=0-3"})

        assert status["status"] == "COMPLETED", status["error"]
        assert (sound.status_code, sound.content) == (206, b"OggS")
        gone = await client.http.get(f"{path}/original")
        assert gone.status_code == 404
        assert "keep_original" in gone.json()["detail"]
        assert not [key for key in client.blobs() if "/originals/" in key]
        await client.post(f"{path}/runs", json={})
        assert (await client.wait_until_finished(document["id"]))["status"] == "COMPLETED"


async def test_the_audio_is_downloaded_once_per_claim(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    downloads: list[str] = []
    as_file = LocalStore.as_file

    def counted(store: LocalStore, key: str) -> AbstractAsyncContextManager[Path]:
        downloads.append(key)
        return as_file(store, key)

    monkeypatch.setattr(LocalStore, "as_file", counted)
    settings: dict[str, Any] = {"call_slice_seconds": 3600.0, "call_window_seconds": 3.0}
    async with open_api_client(tmp_path / "data", **settings) as client:
        document = await client.upload("beckett.wav", recordings.sample("beckett.wav"))
        status = await client.wait_until_finished(document["id"])
        made = (await client.get(f"/documents/{document['id']}/costs"))["calls"]

    assert status["status"] == "COMPLETED", status["error"]
    assert made > 2, "the recording has several windows"
    assert len([key for key in downloads if key.endswith(".ogg")]) == 1


async def test_the_draft_of_a_transcript_is_deleted_when_the_transcript_is_complete(tmp_path: Path) -> None:
    async with open_api_client(tmp_path / "data", call_slice_seconds=0.0, call_window_seconds=3.0) as client:
        document = await client.upload("beckett.wav", recordings.sample("beckett.wav"))
        queries = client.runtime.services.queries

        async def a_draft_is_noted() -> bool:
            return any("draft" in key for key in await queries.blob_keys())

        await async_wait_until(a_draft_is_noted, "a draft to be written down")
        status = await client.wait_until_finished(document["id"])

        assert status["status"] == "COMPLETED", status["error"]
        assert client.blobs() == await queries.blob_keys(), "no file without a row, no row without a file"
        assert not any("draft" in key for key in client.blobs())
