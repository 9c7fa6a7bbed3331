"""A recording goes in; out come a transcript, subtitles, an analysis, and hits that know their second."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.integration.workshop import until
from tests.support import recordings
from tests.support.desk import Desk, opened_desk
from tests.support.emulators import OpenAIEmulator
from tests.support.emulators.faults import Fault
from towpath.model.transcript import Segment, Transcript
from towpath.server import subtitles


async def test_human_speech_is_written_down_and_found_at_its_second(desk: Desk) -> None:
    document = await desk.upload("two cities.wav", recordings.sample("two_cities.wav"))
    status = await desk.finished(document["id"])
    path = f"/documents/{document['id']}"
    written = await desk.get(f"{path}/transcript")
    heard = " ".join(segment["text"] for segment in written["segments"])
    errors = recordings.word_error_rate(recordings.words(recordings.TWO_CITIES), recordings.words(heard))

    assert status["status"] == "COMPLETED", status["error"]
    assert document["kind"] == "call"
    assert errors < 0.15, f"{errors:.0%} of the words are wrong: {heard}"

    [hit, *_] = (await desk.get("/search", q='"the period was so far"', kind="call"))["hits"]
    assert hit["document_id"] == document["id"]
    assert abs(hit["anchor"]["seconds_start"] - 29.7) < 2.0
    assert "moments" not in hit["anchor"]

    shown = await desk.get(path)
    assert 44.0 < shown["seconds"] < 45.0
    assert shown["words"] > 100
    told = await desk.get(f"{path}/analysis")
    assert told["summary"]
    assert told["topics"]
    assert told["warning"] is None
    assert "best of times" in (await desk.http.get(f"{path}/content")).text

    assert not [key for key in desk.blobs() if key.endswith(".ogg")], "the sound was only needed on the way"
    part = await desk.http.get(f"{path}/audio", headers={"Range": "bytes=0-3"})
    assert (part.status_code, part.content) == (206, b"RIFF")

    await desk.http.delete(path)
    assert not [key for key in desk.blobs() if "/answers/" not in key]


FORMS: tuple[tuple[dict[str, str], str, str], ...] = (
    ({"format": "srt"}, "*/*", "1\n00:00:0"),
    ({"format": "vtt"}, "*/*", "WEBVTT\n\n00:00:0"),
    ({"format": "text"}, "*/*", "[00:00:0"),
    ({"format": "json"}, "text/vtt", "{"),
    ({}, "text/vtt, */*;q=0.1", "WEBVTT"),
    ({}, "application/x-subrip", "1\n"),
)


async def test_a_transcript_comes_in_the_form_that_is_asked_for(desk: Desk) -> None:
    call = await desk.upload("beckett.wav", recordings.sample("beckett.wav"))
    await desk.finished(call["id"])

    for asked, accept, begins in FORMS:
        path = f"/documents/{call['id']}/transcript"
        answer = await desk.http.get(path, params=asked, headers={"Accept": accept})
        assert answer.status_code == 200
        assert answer.text.startswith(begins), (asked, accept)


def test_subtitles_are_safe_from_what_is_said() -> None:
    hostile = Transcript((Segment("<b>a --> b</b> & c", "Speaker 1", 3661.5, 3661.6),))

    assert "01:01:01,500 --> 01:01:02,000\nSpeaker 1: <b>a → b</b> & c" in subtitles.srt(hostile)
    assert "<v Speaker 1>&lt;b&gt;a → b&lt;/b&gt; &amp; c" in subtitles.vtt(hostile)


async def test_two_people_on_two_channels_are_two_speakers(desk: Desk) -> None:
    said = recordings.speech("beckett.wav")
    quiet = recordings.silence(len(said) / recordings.RATE)[: len(said)]
    left, right = [*said, *quiet], [*quiet, *said]
    body = recordings.wav(recordings.np.array(left, "i2"), recordings.np.array(right, "i2"))
    document = await desk.upload("telephone.wav", body)
    status = await desk.finished(document["id"])
    segments = (await desk.get(f"/documents/{document['id']}/transcript"))["segments"]
    told = await desk.get(f"/documents/{document['id']}/analysis")

    assert status["status"] == "COMPLETED", status["error"]
    assert {segment["speaker"] for segment in segments} == {"Speaker 1", "Speaker 2"}
    middle = len(said) / recordings.RATE - 0.1
    assert all((segment["start"] < middle) == (segment["speaker"] == "Speaker 1") for segment in segments)
    assert sum(speaker["share"] for speaker in told["speakers"]) == pytest.approx(1.0)


async def test_an_analysis_that_fails_leaves_the_transcript_and_can_be_tried_again(tmp_path: Path) -> None:
    async with OpenAIEmulator() as service:
        service.faults.add(Fault("chat", "status", status=401))
        settings: dict[str, Any] = {
            "analyst": "openai",
            "openai_api_key": service.key,
            "openai_base_url": f"{service.url}/v1",
        }
        async with opened_desk(tmp_path / "data", **settings) as desk:
            document = await desk.upload("beckett.wav", recordings.sample("beckett.wav"))
            status = await desk.finished(document["id"])
            path = f"/documents/{document['id']}"
            told = await desk.get(f"{path}/analysis")

            assert status["status"] == "COMPLETED"
            assert "its transcript is complete" in told["warning"]
            assert told["summary"] is None
            assert (await desk.get(path))["warnings"] == [told["warning"]]
            assert (await desk.get(f"{path}/transcript"))["segments"]

            heard = _seconds_heard(await desk.get(f"{path}/costs"))
            await desk.post(f"{path}/runs", json={"from_stage": "analyze"})
            assert (await desk.finished(document["id"]))["status"] == "COMPLETED"
            again = await desk.get(f"{path}/analysis")
            assert again["warning"] is None
            assert again["summary"]
            assert (await desk.get(path))["warnings"] == []
            assert _seconds_heard(await desk.get(f"{path}/costs")) == heard, "nothing was heard again"


def _seconds_heard(costs: dict[str, dict[str, float]]) -> float:
    return costs["units"]["seconds"]


async def test_only_the_sound_stays_when_originals_are_not_kept(tmp_path: Path) -> None:
    async with opened_desk(tmp_path / "data", keep_original=False) as desk:
        film = recordings.pictures(sound=recordings.speech("beckett.wav"))
        document = await desk.upload("interview.mp4", film)
        status = await desk.finished(document["id"])
        path = f"/documents/{document['id']}"
        sound = await desk.http.get(f"{path}/audio", headers={"Range": "bytes=0-3"})

        assert status["status"] == "COMPLETED", status["error"]
        assert (sound.status_code, sound.content) == (206, b"OggS")
        gone = await desk.http.get(f"{path}/original")
        assert gone.status_code == 404
        assert "keep_original" in gone.json()["detail"]
        assert not [key for key in desk.blobs() if "/originals/" in key]
        await desk.post(f"{path}/runs", json={})
        assert (await desk.finished(document["id"]))["status"] == "COMPLETED"


async def test_what_is_heard_so_far_belongs_to_the_call_and_goes_when_all_is_heard(tmp_path: Path) -> None:
    async with opened_desk(tmp_path / "data", call_turn_seconds=0.0, call_window_seconds=3.0) as desk:
        document = await desk.upload("beckett.wav", recordings.sample("beckett.wav"))
        catalogue = desk.towpath.services.catalogue

        async def a_draft_is_noted() -> bool:
            return any("draft" in key for key in await catalogue.blob_keys())

        await until(a_draft_is_noted, "a draft to be written down", 60.0)
        status = await desk.finished(document["id"])

        assert status["status"] == "COMPLETED", status["error"]
        assert desk.blobs() == await catalogue.blob_keys(), "no file without a row, no row without a file"
        assert not any("draft" in key for key in desk.blobs())
