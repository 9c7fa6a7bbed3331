"""Speech detection finds segments and pauses, and sentences get times."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from tests.support import recordings
from towpath.providers.local.speech.audio_decoding import extract_audio
from towpath.providers.local.speech.transcriber import MODEL_SAMPLE_RATE, split_into_lines, transcribe_window
from towpath.providers.local.speech.voice_activity import (
    MAX_SEGMENT_SECONDS,
    Samples,
    SpeechSegment,
    detect_speech,
)


def talk(seconds: float, level: float = 0.1) -> Samples:
    """Noise that swells and fades as syllables do."""
    count = round(seconds * MODEL_SAMPLE_RATE)
    swell = 0.55 + 0.45 * np.sin(np.arange(count) * 2 * np.pi * 4 / MODEL_SAMPLE_RATE)
    return (np.random.default_rng(7).standard_normal(count) * level * swell).astype(np.float32)


def silence(seconds: float) -> Samples:
    return np.zeros(round(seconds * MODEL_SAMPLE_RATE), np.float32)


def test_speech_is_found_between_silences() -> None:
    [phrase] = detect_speech(np.concatenate([silence(2), talk(3), silence(2)]), MODEL_SAMPLE_RATE)

    assert phrase.start == pytest.approx(2.0, abs=0.1)
    assert phrase.end == pytest.approx(5.0, abs=0.1)


def test_neighbouring_spans_are_joined_with_their_pause() -> None:
    sound = np.concatenate([talk(3), silence(1), talk(3), silence(1), talk(4)])

    together, alone = detect_speech(sound, MODEL_SAMPLE_RATE)

    assert len(together.pauses) == 1
    assert together.pauses[0] == pytest.approx((3.0, 4.0), abs=0.1)
    assert alone.start == pytest.approx(8.0, abs=0.1)


def test_a_long_span_is_divided_without_loss() -> None:
    found = detect_speech(talk(47), MODEL_SAMPLE_RATE)

    assert all(phrase.end - phrase.start <= MAX_SEGMENT_SECONDS for phrase in found)
    assert found[0].start == pytest.approx(0.0, abs=0.1)
    assert found[-1].end == pytest.approx(47.0, abs=0.1)
    assert all(one.end == other.start for one, other in pairwise(found))


@pytest.mark.parametrize(
    "sound",
    [
        silence(5),
        silence(0),
        talk(5, level=0.0005),
        (0.2 * np.sin(np.arange(5 * MODEL_SAMPLE_RATE) * 2 * np.pi * 440 / MODEL_SAMPLE_RATE)).astype(
            np.float32
        ),
    ],
    ids=["silence", "nothing", "a whisper of noise", "a tone"],
)
def test_noise_and_silence_are_not_speech(sound: Samples) -> None:
    assert detect_speech(sound, MODEL_SAMPLE_RATE) == []


def test_sentences_end_at_pauses() -> None:
    phrase = SpeechSegment(10.0, 19.0, ((12.0, 12.5), (15.0, 16.0)))

    lines = split_into_lines(phrase, "It was raining. Nobody came today. The lock stayed closed.")

    assert lines == [
        (10.0, 12.0, "It was raining."),
        (12.5, 15.0, "Nobody came today."),
        (16.0, 19.0, "The lock stayed closed."),
    ]


def test_a_part_of_a_sentence_is_a_line_where_a_pause_follows_it() -> None:
    phrase = SpeechSegment(0.0, 9.0, ((5.0, 6.0),))

    lines = split_into_lines(phrase, "When the water rose, as it did each spring, we waited for days.")

    assert lines == [
        (0.0, 5.0, "When the water rose, as it did each spring,"),
        (6.0, 9.0, "we waited for days."),
    ]


def test_pauses_do_not_count_as_speech() -> None:
    phrase = SpeechSegment(0.0, 10.0, ((2.0, 8.0),))

    assert [phrase.time_at(share) for share in (0.0, 0.25, 0.75, 1.0)] == [0.0, 1.0, 9.0, 10.0]


def test_without_a_pause_sentences_share_the_time_by_their_length() -> None:
    assert split_into_lines(SpeechSegment(0.0, 8.0), "One two. Six ten.") == [
        (0.0, 4.0, "One two."),
        (4.0, 8.0, "Six ten."),
    ]
    assert split_into_lines(SpeechSegment(0.0, 8.0), "") == []


@pytest.mark.slow
def test_a_transcript_does_not_depend_on_earlier_recordings(tmp_path: Path) -> None:
    def sound_of(name: str, samples: recordings.Samples) -> str:
        source, target = tmp_path / f"{name}.wav", tmp_path / f"{name}.ogg"
        source.write_bytes(recordings.wav(samples))
        extract_audio(str(source), str(target), False, 60.0, lambda _done, _total: None)
        return str(target)

    speech = recordings.speech("beckett.wav")
    recording = sound_of("wanted", speech)
    length = len(speech) / recordings.RATE
    first = transcribe_window(recording, (0.0, length), None)
    others = {"noise": (talk(4) * 20_000).astype(np.int16), "backwards": speech[::-1], "half": speech[::2]}
    for name, other in others.items():
        transcribe_window(sound_of(name, other), (0.0, 4.0), None)
        assert transcribe_window(recording, (0.0, length), None) == first
