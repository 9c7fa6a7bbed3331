"""Transcripts of a recording: by Towpath as in the pipeline, by faster-whisper alone and by moonshine."""

from __future__ import annotations

import importlib
import tempfile
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from towpath.errors import Rejected
from towpath.model.codec import decode_recording
from towpath.model.extracted_audio import Recording
from towpath.providers.local.speech.diarization import speaker_spans
from towpath.providers.local.speech.speaker_embedding import embed_voices
from towpath.providers.local.speech.transcode_to_opus import MODEL_BIT_RATE, extract_audio
from towpath.providers.local.speech.whisper import WhisperTranscriber
from towpath.providers.local.speech.whisper_inference import detect_language, loaded_model, transcribe_window
from towpath.worker.process_pool import ProcessPool

WINDOW_SECONDS = 60.0
Span = tuple[float, float, str]


@dataclass(frozen=True, slots=True)
class Heard:
    text: str
    language: str | None


def towpath_transcript(path: Path) -> Heard:
    """The stages of the call pipeline, in this process; a recording that is refused has no text."""
    with tempfile.TemporaryDirectory(prefix="bench-speech-") as folder:
        sound = str(Path(folder) / "sound.ogg")
        try:
            recording = _extract(path, sound)
            return _transcribe(sound, recording)
        except Rejected:
            return Heard("", None)


def _extract(path: Path, sound: str) -> Recording:
    return decode_recording(extract_audio(str(path), sound, True, MODEL_BIT_RATE, WINDOW_SECONDS, _ignore))


def _transcribe(sound: str, recording: Recording) -> Heard:
    transcriber = WhisperTranscriber(ProcessPool(1))
    channels: tuple[int | None, ...] = (0, 1) if recording.speaker_per_channel else (None,)
    detected = detect_language(sound, recording.windows, channels)
    language = transcriber.read_language(detected)
    if language is None:
        return Heard("", None)
    segments = [
        segment
        for window in recording.windows
        for channel in channels
        for segment in transcriber.read(transcribe_window(sound, window, channel, language))
    ]
    transcriber.check(detected, segments)
    return Heard(" ".join(segment.text for segment in segments), language)


def faster_whisper_transcript(path: Path) -> Heard:
    segments, info = loaded_model().transcribe(str(path))
    return Heard(" ".join(segment.text for segment in segments), info.language)


def moonshine_transcript(path: Path) -> Heard:
    """The English model; it always answers in English."""
    from faster_whisper.audio import decode_audio

    samples: Any = decode_audio(str(path))
    transcript = _moonshine().transcribe_without_streaming(samples.tolist(), 16_000)
    return Heard(" ".join(str(line.text) for line in transcript.lines), "en")


@cache
def _moonshine() -> Any:
    package: Any = importlib.import_module("moonshine_voice")
    transcriber: Any = importlib.import_module("moonshine_voice.transcriber")
    architecture: Any = importlib.import_module("moonshine_voice.moonshine_api").ModelArch
    return transcriber.Transcriber(
        Path(str(package.__file__)).parent / "assets" / "tiny-en", architecture.TINY
    )


def towpath_speakers(path: Path, count: int | None) -> list[Span]:
    """Who speaks when, with the channels mixed into one; ``count`` is the number of speakers, if it is given."""
    with tempfile.TemporaryDirectory(prefix="bench-speakers-") as folder:
        sound = str(Path(folder) / "sound.ogg")
        recording = decode_recording(
            extract_audio(str(path), sound, False, MODEL_BIT_RATE, WINDOW_SECONDS, _ignore)
        )
        voices = [embed_voices(sound, window) for window in recording.windows]
        spans = speaker_spans(voices, count)
    if spans:
        return [(span.start, span.end, span.speaker) for span in spans]
    return [(start, end, "Speaker 1") for start, end in _speech(voices)]


def _speech(voices: list[bytes]) -> list[tuple[float, float]]:
    from towpath.providers.local.speech.speaker_embedding import read_voices

    return [(start, end) for window in voices for start, end, _ in read_voices(window)]


def _ignore(done: int, total: int) -> None:
    """Progress callback that does nothing."""
