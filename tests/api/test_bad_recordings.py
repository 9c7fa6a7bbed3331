"""Recordings that cannot be transcribed are rejected with a sentence that says what is wrong."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from tests.support import recordings
from tests.support.api_client import ApiClient, open_api_client
from tests.support.recordings import encoded, pictures, silence, tone, wav, wav_header

_NOISE = random.Random(4).randbytes(20_000)


@pytest.fixture
async def client(tmp_path: Path) -> AsyncIterator[ApiClient]:
    """Recordings are read and transcribed in child processes."""
    async with open_api_client(tmp_path / "data") as client:
        yield client


def bad_recordings() -> Iterator[tuple[str, bytes, str]]:
    """Name, content and a word of the sentence that is expected."""
    film, talkie, music = pictures(), encoded(tone(3), "mov", "aac"), encoded(tone(3), "mp4", "aac")
    yield "empty.wav", b"", "empty"
    yield "noise.mp3", _NOISE, "cannot be read"
    yield "archive.wav", b"\x1f\x8b\x08" + _NOISE, "archive"
    yield "program.ogg", b"\x7fELF" + _NOISE, "program"
    yield "video only.mp4", film, "no audio track"
    yield "video only.mov", pictures("mov"), "no audio track"
    yield "video only.mkv", pictures("matroska"), "no audio track"
    yield "silent.wav", wav(silence(3)), "silent"
    yield "silent.flac", encoded(silence(3), "flac", "flac"), "silent"
    yield "silent.ogg", encoded(silence(3), "ogg", "libopus"), "silent"
    yield "almost silent.wav", wav(tone(3, height=2)), "silent"
    yield "header only.wav", wav_header(0, b""), "empty"
    yield "cut off.wav", wav_header(60, tone(3).tobytes()), "truncated"
    yield "cut off.mp4", music[: len(music) // 2], "damaged"
    yield "cut off.mov", talkie[: len(talkie) // 2], "damaged"
    yield "garbage inside.wav", b"RIFF\x00\x10\x00\x00WAVE" + _NOISE, "damaged"
    yield "garbage inside.mp4", b"\x00\x00\x00\x20ftypisom" + _NOISE, "damaged"
    yield "garbage inside.ogg", b"OggS\x00\x02" + _NOISE, "damaged"
    yield "garbage inside.flac", b"fLaC\x00\x00\x00\x22" + _NOISE, "damaged"
    yield "garbage inside.webm", b"\x1a\x45\xdf\xa3\x01\x00webm" + _NOISE, "damaged"
    yield "a tone.wav", wav(tone(3)), "No speech"
    yield "a crowd.wav", wav(*[tone(1)] * 64), "64 channels"
    yield (
        "nothing inside.mp4",
        b"\x00\x00\x00\x18ftypisom\x00\x00\x02\x00isommp41\x00\x00\x00\x08moov",
        "damaged",
    )


async def test_each_bad_recording_is_rejected_with_its_reason(client: ApiClient) -> None:
    files = list(bad_recordings())
    documents = [await client.upload(name, body) for name, body, _ in files]
    statuses = await asyncio.gather(*(client.wait_until_finished(document["id"]) for document in documents))

    assert len(files) > 20
    results = {
        name: (status["run"]["failure_type"], status["error"])
        for (name, _, _), status in zip(files, statuses, strict=True)
    }
    wrong = {name: results[name] for name, _, word in files if _unlike(results[name], word)}
    assert not wrong


def _unlike(results: tuple[str | None, str | None], word: str) -> bool:
    failure, sentence = results
    return failure != "REJECTED" or word.lower() not in (sentence or "").lower()


async def test_every_supported_format_is_transcribed(client: ApiClient) -> None:
    speech = recordings.speech("beckett.wav")[: 4 * recordings.RATE]
    kinds = {
        "a.mp3": encoded(speech, "mp3", "libmp3lame"),
        "a.m4a": encoded(speech, "ipod", "aac"),
        "a.webm": encoded(speech, "webm", "libopus"),
        "a.ogg": encoded(speech, "ogg", "libopus"),
        "a.flac": encoded(speech, "flac", "flac"),
        "a.mov": pictures("mov", speech),
    }
    documents = [await client.upload(name, body) for name, body in kinds.items()]
    statuses = await asyncio.gather(*(client.wait_until_finished(document["id"]) for document in documents))

    assert {status["status"] for status in statuses} == {"COMPLETED"}, [s["error"] for s in statuses]
    assert {document["kind"] for document in documents} == {"call"}
