"""Recordings for tests: samples of speech, generated sounds, and damaged files."""

from __future__ import annotations

import importlib.util
import io
import math
import re
import struct
import wave
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any, cast

import av as pyav
import numpy as np
import numpy.typing as npt

#: Its types leave open what a stream is; here it is known.
av = cast(Any, pyav)

RATE = 16_000
Samples = npt.NDArray[np.int16]

#: What is read out in `two_cities.wav`.
TWO_CITIES = (
    "it was the best of times it was the worst of times it was the age of wisdom it was the age of foolishness "
    "it was the epoch of belief it was the epoch of incredulity it was the season of light it was the season of "
    "darkness it was the spring of hope it was the winter of despair we had everything before us we had nothing "
    "before us we were all going direct to heaven we were all going direct the other way in short the period was "
    "so far like the present period that some of its noisiest authorities insisted on its being received for good "
    "or for evil in the superlative degree of comparison only"
)


def sample(name: str) -> bytes:
    """A recording from the package moonshine-voice: `two_cities.wav` (44 s) or `beckett.wav` (10 s)."""
    found = importlib.util.find_spec("moonshine_voice")
    assert found is not None
    assert found.origin is not None
    return (Path(found.origin).parent / "assets" / name).read_bytes()


def speech(name: str) -> Samples:
    """A sample's mono sound at 16 kHz."""
    with av.open(io.BytesIO(sample(name))) as container:
        resampler = av.AudioResampler(format="s16", layout="mono", rate=RATE)
        frames = [ready for frame in container.decode(audio=0) for ready in resampler.resample(frame)]
        frames += resampler.resample(None)
    return np.concatenate([frame.to_ndarray().reshape(-1) for frame in frames]).astype(np.int16)


def other_voice(sound: Samples) -> Samples:
    """The same speech a quarter slower and lower, which is another voice: both samples are read by one person."""
    places = np.arange(0, len(sound) - 1, 0.8)
    return np.interp(places, np.arange(len(sound)), sound).astype(np.int16)


def wav(*channels: Samples, rate: int = RATE) -> bytes:
    """Channels of equal length as a WAV file."""
    content = io.BytesIO()
    with wave.open(content, "wb") as sound:
        sound.setnchannels(len(channels))
        sound.setsampwidth(2)
        sound.setframerate(rate)
        sound.writeframes(np.stack(channels, axis=1).astype("<i2").tobytes())
    return content.getvalue()


def tone(seconds: float, height: int = 3_000) -> Samples:
    at = np.arange(int(seconds * RATE))
    return (height * np.sin(at * 2 * math.pi * 440 / RATE)).astype(np.int16)


def silence(seconds: float) -> Samples:
    return np.zeros(int(seconds * RATE), np.int16)


def encoded(sound: Samples, form: str, codec: str) -> bytes:
    """Mono sound in a container of the named form."""
    content = io.BytesIO()
    with av.open(content, "w", format=form) as out:
        stream = out.add_stream(codec, rate=48_000 if codec == "libopus" else RATE)
        stream.layout = "mono"
        frame = av.AudioFrame.from_ndarray(sound[None], format="s16", layout="mono")
        frame.sample_rate = RATE
        for packet in [*stream.encode(frame), *stream.encode(None)]:
            out.mux(packet)
    return content.getvalue()


def pictures(form: str = "mp4", sound: Samples | None = None) -> bytes:
    """A short video of a grey wall, silent unless it is given sound."""
    content = io.BytesIO()
    with av.open(content, "w", format=form) as out:
        film = out.add_stream("mpeg4", rate=Fraction(5))
        film.width, film.height, film.pix_fmt = 32, 32, "yuv420p"
        track = None if sound is None else out.add_stream("aac", rate=RATE)
        for number in range(5):
            picture = av.VideoFrame.from_ndarray(np.full((32, 32, 3), 40 * number, np.uint8), format="rgb24")
            for packet in film.encode(picture):
                out.mux(packet)
        for packet in film.encode(None):
            out.mux(packet)
        if track is not None and sound is not None:
            frame = av.AudioFrame.from_ndarray(sound[None], format="s16", layout="mono")
            frame.sample_rate = RATE
            for packet in [*track.encode(frame), *track.encode(None)]:
                out.mux(packet)
    return content.getvalue()


def words(text: str) -> list[str]:
    return re.findall(r"[\w']+", text.lower())


def word_error_rate(said: Sequence[str], heard: Sequence[str]) -> float:
    """Words put in, left out or taken for others, as a share of those that were said."""
    row = list(range(len(heard) + 1))
    for number, word in enumerate(said, 1):
        before, row[0] = row[0], number
        for place, other in enumerate(heard, 1):
            change = before + (word != other)
            before = row[place]
            row[place] = min(change, row[place] + 1, row[place - 1] + 1)
    return row[-1] / len(said)


def wav_header(claimed_seconds: float, data: bytes) -> bytes:
    """A WAV file that promises more sound than it holds."""
    claimed = int(claimed_seconds * RATE * 2)
    form = struct.pack("<4sIHHIIHH", b"fmt ", 16, 1, 1, RATE, RATE * 2, 2, 16)
    return (
        struct.pack("<4sI4s", b"RIFF", claimed + 36, b"WAVE")
        + form
        + struct.pack("<4sI", b"data", claimed)
        + data
    )
