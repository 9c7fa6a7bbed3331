"""Voices are told apart: clustering of vectors, and two people on one channel."""

from __future__ import annotations

from itertools import groupby
from pathlib import Path

import numpy as np
import pytest

from tests.support import recordings
from towpath.providers.local.speech.diarization import speaker_spans
from towpath.providers.local.speech.speaker_clustering import MAX_CLUSTERED, Vectors, cluster_voices
from towpath.providers.local.speech.speaker_embedding import embed_voices
from towpath.providers.local.speech.transcode_to_opus import MODEL_BIT_RATE, extract_audio


def voices(people: list[int], spread: float = 0.04) -> Vectors:
    """Unit vectors around one random direction per person."""
    random = np.random.default_rng(11)
    centres = random.standard_normal((max(people) + 1, 192))
    centres /= np.linalg.norm(centres, axis=1, keepdims=True)
    vectors = centres[people] + spread * random.standard_normal((len(people), 192))
    return (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)


def test_speakers_are_numbered_by_first_appearance() -> None:
    people = [2, 2, 0, 0, 0, 2, 1, 1, 1]

    labels = cluster_voices(voices(people), [2.0] * len(people), None)

    assert labels == [0, 0, 1, 1, 1, 0, 2, 2, 2]


def test_a_single_voice_is_one_speaker() -> None:
    assert set(cluster_voices(voices([0] * 8), [2.0] * 8, None)) == {0}
    assert cluster_voices(np.zeros((0, 192), np.float32), [], None) == []


def test_a_short_sound_is_no_speaker_unless_the_number_is_known() -> None:
    people = [0, 0, 0, 1, 0, 0]
    seconds = [2.0, 2.0, 2.0, 0.5, 2.0, 2.0]

    assert set(cluster_voices(voices(people), seconds, None)) == {0}
    assert cluster_voices(voices(people), seconds, 2) == [0, 0, 0, 1, 0, 0]


def test_a_long_recording_is_clustered_by_a_part_of_its_vectors() -> None:
    people = [index // 50 % 2 for index in range(2 * MAX_CLUSTERED + 7)]

    labels = cluster_voices(voices(people), [2.0] * len(people), None)

    assert labels == people


@pytest.mark.slow
def test_two_people_on_one_channel_are_two_speakers(tmp_path: Path) -> None:
    one = recordings.speech("two_cities.wav")
    other = recordings.other_voice(one)
    rate = recordings.RATE
    turns = [one[rate : 9 * rate], other[20 * rate : 29 * rate], one[30 * rate : 38 * rate]]
    source, target = tmp_path / "talk.wav", tmp_path / "talk.ogg"
    source.write_bytes(recordings.wav(np.concatenate(turns)))
    extract_audio(str(source), str(target), True, MODEL_BIT_RATE, 60.0, lambda _done, _total: None)
    seconds = sum(map(len, turns)) / recordings.RATE

    spans = speaker_spans([embed_voices(str(target), (0.0, seconds))], None)

    assert [speaker for speaker, _ in groupby(span.speaker for span in spans)] == [
        "Speaker 1",
        "Speaker 2",
        "Speaker 1",
    ]
    assert speaker_spans([embed_voices(str(target), (0.0, seconds))], 1) == []
