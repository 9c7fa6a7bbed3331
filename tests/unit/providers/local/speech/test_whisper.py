"""Whisper transcribes windows deterministically, detects the language and refuses what it does not know."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from tests.support import recordings
from towpath.errors import Rejected
from towpath.model.transcript import Segment
from towpath.providers.local.speech.repetition import is_repetition
from towpath.providers.local.speech.transcode_to_opus import MODEL_BIT_RATE, extract_audio
from towpath.providers.local.speech.whisper import WhisperTranscriber
from towpath.providers.local.speech.whisper_inference import (
    CLIP_MARGIN_SECONDS,
    INPUT_SECONDS,
    detect_language,
    group_into_clips,
    transcribe_window,
)
from towpath.worker.process_pool import ProcessPool


def sound_of(folder: Path, name: str, samples: recordings.Samples) -> str:
    source, target = folder / f"{name}.wav", folder / f"{name}.ogg"
    source.write_bytes(recordings.wav(samples))
    extract_audio(str(source), str(target), False, MODEL_BIT_RATE, 60.0, lambda _done, _total: None)
    return str(target)


def transcriber() -> WhisperTranscriber:
    return WhisperTranscriber(ProcessPool(1))


@pytest.mark.slow
def test_words_have_times_and_do_not_depend_on_earlier_recordings(tmp_path: Path) -> None:
    speech = recordings.speech("beckett.wav")
    sound = sound_of(tmp_path, "wanted", speech)
    window = (0.0, len(speech) / recordings.RATE)
    first = transcribe_window(sound, window, None, "en")

    transcribe_window(sound_of(tmp_path, "backwards", speech[::-1]), (0.0, 4.0), None, "en")

    assert transcribe_window(sound, window, None, "en") == first
    segments = transcriber().read(first)
    words = [word for segment in segments for word in segment.words]
    assert "".join(segment.text for segment in segments)
    assert all(window[0] <= word.start <= word.end <= window[1] for word in words)
    assert [word.start for word in words] == sorted(word.start for word in words)


@pytest.mark.slow
def test_the_language_is_detected_and_silence_has_none(tmp_path: Path) -> None:
    speech = recordings.speech("beckett.wav")
    length = len(speech) / recordings.RATE
    quiet = sound_of(tmp_path, "quiet", np.concatenate([recordings.tone(1.0), recordings.silence(9.0)]))

    spoken = detect_language(sound_of(tmp_path, "speech", speech), [(0.0, length)], [None])
    silent = detect_language(quiet, [(0.0, 10.0)], [None])

    assert transcriber().read_language(spoken) == "en"
    assert transcriber().read_language(silent) is None


@pytest.mark.parametrize("languages", [[["cy", 0.2], ["br", 0.15]], [["la", 0.92], ["eu", 0.04]]])
def test_an_unlikely_language_is_refused(languages: list[tuple[str, float]]) -> None:
    answer = json.dumps({"speech_seconds": 9.0, "languages": languages}).encode()

    with pytest.raises(Rejected, match="not one that the local model knows") as refusal:
        transcriber().read_language(answer)

    assert refusal.value.code == "unknown_language"


def test_words_that_the_model_is_unsure_of_are_refused() -> None:
    answer = json.dumps({"speech_seconds": 9.0, "languages": [["ka", 0.5]]}).encode()
    invented = [Segment("Dette er ikke sagt.", None, 0.0, 4.0, (), 0.4)]
    spoken = [Segment("Det er sagt.", None, 0.0, 4.0, (), 0.8)]

    with pytest.raises(Rejected):
        transcriber().check(answer, invented)
    transcriber().check(answer, spoken)


@pytest.mark.parametrize(
    "text", ["Thank you. " * 12, "la la la la la la la la la la la", "ご視聴ありがとう" * 7]
)
def test_a_text_that_repeats_itself_is_found(text: str) -> None:
    assert is_repetition(text)


@pytest.mark.parametrize(
    "text",
    [
        recordings.TWO_CITIES,
        "No, no, no, no, that is not what I said.",
        "one zero zero zero one nine oh two one oh zero one eight zero three",
        "Wir haben, wie gesagt, die Rechnung am Montag bezahlt.",
    ],
)
def test_speech_with_repeated_words_is_not_a_repetition(text: str) -> None:
    assert not is_repetition(text)


def test_clips_have_a_margin_that_near_clips_share() -> None:
    clips = list(group_into_clips([(0.4, 2.0), (3.0, 5.0), (7.5, 9.0), (9.5, 31.0), (31.2, 40.0)]))

    assert clips[0] == (0.0, 5.0 + CLIP_MARGIN_SECONDS)
    assert clips[1] == (7.5 - CLIP_MARGIN_SECONDS, 31.1)
    assert clips[2] == pytest.approx((31.1, 41.0))
    assert all(end - start <= INPUT_SECONDS for start, end in clips)
