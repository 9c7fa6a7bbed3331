"""Two channels are one speaker each if their levels rise and fall independently."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from towpath.providers.local.speech.audio_levels import AudioLevels

RATE = 8_000
Channel = npt.NDArray[np.float64]


def talk(seconds: float, seed: int) -> Channel:
    """Noise in syllables, with pauses, at a seed's own rhythm."""
    random = np.random.default_rng(seed)
    steps = np.repeat(random.choice([0.0, 0.3, 1.0], round(seconds * 4)), RATE // 4)
    return 4_000 * steps * random.standard_normal(len(steps))


def is_apart(left: Channel, right: Channel) -> bool:
    levels = AudioLevels(2, RATE)
    levels.add_samples(np.stack([left, right], axis=1).astype(np.int16).reshape(-1))
    return levels.speaker_per_channel


def test_speakers_who_take_turns_are_apart() -> None:
    quiet = np.zeros(10 * RATE)
    one, other = np.concatenate([talk(10, 1), quiet]), np.concatenate([quiet, talk(10, 2)])

    assert is_apart(one, other)


def test_speakers_who_talk_at_once_are_apart() -> None:
    assert is_apart(talk(20, 1), talk(20, 2))


def test_two_microphones_in_one_room_are_not_apart() -> None:
    room = talk(20, 1)
    delayed = np.roll(room, 40) * 0.6

    assert not is_apart(room, delayed)
    assert not is_apart(room, room)


def test_one_silent_channel_is_not_a_second_speaker() -> None:
    assert not is_apart(talk(20, 1), np.zeros(20 * RATE))
