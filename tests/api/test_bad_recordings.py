"""Recordings that cannot be heard: each is refused with a sentence that says what is wrong, and none is stuck."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Iterator

from tests.support import recordings
from tests.support.desk import Desk
from tests.support.recordings import encoded, pictures, silence, tone, wav, wav_header

_NOISE = random.Random(4).randbytes(20_000)


def bad_recordings() -> Iterator[tuple[str, bytes, str]]:
    """Name, content and a word of the sentence that is expected."""
    film, talkie, music = pictures(), encoded(tone(3), "mov", "aac"), encoded(tone(3), "mp4", "aac")
    yield "empty.wav", b"", "empty"
    yield "noise.mp3", _NOISE, "cannot be read"
    yield "archive.wav", b"\x1f\x8b\x08" + _NOISE, "archive"
    yield "program.ogg", b"\x7fELF" + _NOISE, "program"
    yield "video only.mp4", film, "no sound"
    yield "video only.mov", pictures("mov"), "no sound"
    yield "video only.mkv", pictures("matroska"), "no sound"
    yield "silent.wav", wav(silence(3)), "silent"
    yield "silent.flac", encoded(silence(3), "flac", "flac"), "silent"
    yield "silent.ogg", encoded(silence(3), "ogg", "libopus"), "silent"
    yield "almost silent.wav", wav(tone(3, height=2)), "silent"
    yield "header only.wav", wav_header(0, b""), "empty"
    yield "cut off.wav", wav_header(60, tone(3).tobytes()), "cut off"
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


async def test_each_bad_recording_is_refused_with_a_sentence(desk: Desk) -> None:
    files = list(bad_recordings())
    documents = [await desk.upload(name, body) for name, body, _ in files]
    statuses = await asyncio.gather(*(desk.finished(document["id"]) for document in documents))

    assert len(files) > 20
    told = {
        name: (status["run"]["failure_type"], status["error"])
        for (name, _, _), status in zip(files, statuses, strict=True)
    }
    wrong = {name: told[name] for name, _, word in files if _unlike(told[name], word)}
    assert not wrong


def _unlike(told: tuple[str | None, str | None], word: str) -> bool:
    failure, sentence = told
    return failure != "REJECTED" or word.lower() not in (sentence or "").lower()


async def test_every_kind_of_recording_is_heard(desk: Desk) -> None:
    said = recordings.speech("beckett.wav")[: 4 * recordings.RATE]
    kinds = {
        "a.mp3": encoded(said, "mp3", "libmp3lame"),
        "a.m4a": encoded(said, "ipod", "aac"),
        "a.webm": encoded(said, "webm", "libopus"),
        "a.ogg": encoded(said, "ogg", "libopus"),
        "a.flac": encoded(said, "flac", "flac"),
        "a.mov": pictures("mov", said),
    }
    documents = [await desk.upload(name, body) for name, body in kinds.items()]
    statuses = await asyncio.gather(*(desk.finished(document["id"]) for document in documents))

    assert {status["status"] for status in statuses} == {"COMPLETED"}, [s["error"] for s in statuses]
    assert {document["kind"] for document in documents} == {"call"}
