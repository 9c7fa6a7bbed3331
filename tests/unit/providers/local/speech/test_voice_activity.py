"""Voice activity detection finds speech, and takes neither silence nor noise nor tones for it."""

from __future__ import annotations

import numpy as np
import pytest

from tests.support import recordings
from towpath.providers.local.speech.audio_samples import MODEL_SAMPLE_RATE, Samples
from towpath.providers.local.speech.voice_activity import detect_speech


def silence(seconds: float) -> Samples:
    return np.zeros(round(seconds * MODEL_SAMPLE_RATE), np.float32)


def noise(seconds: float, level: float) -> Samples:
    count = round(seconds * MODEL_SAMPLE_RATE)
    return (np.random.default_rng(7).standard_normal(count) * level).astype(np.float32)


def chords(seconds: float) -> Samples:
    """Music of sustained chords with a beat."""
    time = np.arange(round(seconds * MODEL_SAMPLE_RATE)) / MODEL_SAMPLE_RATE
    roots = 220 * 2 ** (np.floor(time * 2) % 4 * 3 / 12)
    sound = sum(np.sin(2 * np.pi * roots * ratio * time) / ratio for ratio in (1, 1.25, 1.5, 2, 3))
    return (0.1 * sound * (1 - 0.7 * (time * 2 % 1))).astype(np.float32)


def speech() -> Samples:
    return (recordings.speech("beckett.wav") / 32768.0).astype(np.float32)


def test_speech_is_found_between_silences() -> None:
    spans = detect_speech(np.concatenate([silence(3), speech(), silence(4)]))

    length = len(speech()) / MODEL_SAMPLE_RATE
    assert spans[0][0] == pytest.approx(3.0, abs=1.5)
    assert spans[-1][1] == pytest.approx(3.0 + length, abs=1.5)
    assert sum(end - start for start, end in spans) > length / 2


@pytest.mark.parametrize(
    "sound",
    [silence(5), silence(0), noise(5, 0.0005), noise(5, 0.1), chords(8)],
    ids=["silence", "nothing", "quiet noise", "loud noise", "music"],
)
def test_silence_noise_and_music_are_not_speech(sound: Samples) -> None:
    assert detect_speech(sound) == []


def test_the_same_sound_gives_the_same_spans_whatever_was_heard_before() -> None:
    first = detect_speech(speech())
    detect_speech(noise(4, 0.2))
    detect_speech(speech()[::-1].copy())

    assert detect_speech(speech()) == first
