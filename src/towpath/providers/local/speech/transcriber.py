"""Transcribes English speech with the local model Moonshine, which is part of its package.

A recording is transcribed window by window, and a window segment by segment: the model works best on
segments of about ten seconds. Sentences get times, words do not.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from towpath.errors import ConfigError
from towpath.model.answer import Answer
from towpath.model.recording import Window
from towpath.model.transcript import Segment
from towpath.process_runner import ProcessRunner
from towpath.providers.local.speech.voice_activity import (
    MARGIN_SECONDS,
    Samples,
    Span,
    SpeechSegment,
    detect_speech,
)

#: The sample rate of the training data.
MODEL_SAMPLE_RATE = 16_000
OPUS_RATE = 48_000
#: Decoding starts this many seconds early, because an Opus decoder needs earlier packets.
DECODER_PREROLL_SECONDS = 1.0
#: A sentence end moves to a pause at most this many seconds from its estimated time.
MAX_PAUSE_DISTANCE = 0.7

_PART_END = re.compile(r"(?<=[.!?,;:])\s+")
_COMMAS = re.compile(",{2,}")


class LocalTranscriber:
    """Transcribes one window at a time in a child process that keeps the model loaded."""

    provider = "local"
    model = "moonshine-tiny-en-2"

    def __init__(self, runner: ProcessRunner, *, seconds: float = 300.0) -> None:
        self._runner = runner
        self._seconds = seconds

    def parameters(self) -> Mapping[str, str]:
        return {"language": "en"}

    async def transcribe(self, audio: Path, window: Window, channel: int | None) -> Answer:
        body = await self._runner.run(transcribe_window, str(audio), window, channel, seconds=self._seconds)
        return Answer(body, {"seconds": window[1] - window[0]})

    def read(self, answer: bytes) -> list[Segment]:
        return [Segment(text, None, start, end) for start, end, text in json.loads(answer)]


def transcribe_window(sound: str, window: Window, channel: int | None) -> bytes:
    """Transcribe one window; runs in a child process. Returns JSON: a list of [start, end, text]."""
    start, end = window
    samples = decode_samples(sound, start, end, channel)
    lines = [
        (round(min(start + first, end), 2), round(min(start + last, end), 2), text)
        for segment in detect_speech(samples, MODEL_SAMPLE_RATE)
        for first, last, text in split_into_lines(segment, _transcribe_segment(samples, segment))
    ]
    return json.dumps(lines, ensure_ascii=False).encode("utf-8", "replace")


def _transcribe_segment(samples: Samples, segment: SpeechSegment) -> str:
    first = round(max(0.0, segment.start - MARGIN_SECONDS) * MODEL_SAMPLE_RATE)
    last = round((segment.end + MARGIN_SECONDS) * MODEL_SAMPLE_RATE)
    transcript = loaded_model().transcribe_without_streaming(samples[first:last].tolist(), MODEL_SAMPLE_RATE)
    # The model sometimes repeats commas.
    return _COMMAS.sub(",", " ".join(" ".join(str(line.text) for line in transcript.lines).split()))


def split_into_lines(segment: SpeechSegment, text: str) -> list[tuple[float, float, str]]:
    """Divide a segment into lines: one per sentence, or per part of a sentence that ends at a pause."""
    parts = [part for part in _PART_END.split(text) if part]
    letters = sum(map(len, parts))
    lines: list[tuple[float, float, str]] = []
    start, letters_done, line = segment.start, 0, ""
    for part in parts:
        letters_done += len(part)
        line = f"{line} {part}".lstrip()
        guess = segment.time_at(letters_done / letters)
        pause = (segment.end, segment.end) if letters_done == letters else _pause_near(segment, guess)
        if pause is None and part[-1] not in ".!?":
            continue
        end, next_start = pause or (guess, guess)
        lines.append((start, max(start, end), line))
        start, line = max(start, next_start), ""
    return lines


def _pause_near(segment: SpeechSegment, time: float) -> Span | None:
    near = [
        pause
        for pause in segment.pauses
        if pause[0] - MAX_PAUSE_DISTANCE <= time <= pause[1] + MAX_PAUSE_DISTANCE
    ]
    return min(near, key=lambda pause: abs(sum(pause) / 2 - time), default=None)


def decode_samples(sound: str, start: float, end: float, channel: int | None) -> Samples:
    """Decode the samples between two times at the sample rate of the model: one channel, or all mixed."""
    import av

    blocks: list[npt.NDArray[Any]] = []
    with av.open(sound) as container:
        stream = container.streams.audio[0]
        container.seek(int(max(0.0, start - DECODER_PREROLL_SECONDS) * 1_000_000))
        begin = None
        for frame in container.decode(stream):
            begin = frame.time if begin is None else begin
            blocks.append(
                _select_channel(frame.to_ndarray(), frame.format.is_planar, frame.layout.nb_channels, channel)
            )
            if frame.time is not None and frame.time + frame.samples / OPUS_RATE > end:
                break
    if not blocks:
        return np.zeros(0, np.float32)
    first = round((start - (begin or 0.0)) * OPUS_RATE)
    samples = np.concatenate(blocks)[max(0, first) : first + round((end - start) * OPUS_RATE)]
    return _resample(samples)


def _select_channel(
    raw: npt.NDArray[Any], planar: bool, channels: int, channel: int | None
) -> npt.NDArray[np.float32]:
    sound = raw.astype(np.float32) / (32768.0 if raw.dtype == np.int16 else 1.0)
    by_channel = sound if planar else sound.reshape(-1, channels).T
    return by_channel.mean(axis=0) if channel is None else by_channel[min(channel, channels - 1)]


def _resample(sound: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    import av

    whole = av.AudioFrame.from_ndarray(sound[None], format="flt", layout="mono")
    whole.sample_rate = OPUS_RATE
    resampler = av.AudioResampler(format="flt", layout="mono", rate=MODEL_SAMPLE_RATE)
    frames = [*resampler.resample(whole), *resampler.resample(None)]
    return np.concatenate([frame.to_ndarray().reshape(-1) for frame in frames]).astype(np.float32)


@cache
def loaded_model() -> Any:
    """The model, loaded once per process, with its own voice activity detection switched off."""
    return new_model({"vad_threshold": "0"})


def new_model(options: Mapping[str, str]) -> Any:
    try:
        import moonshine_voice
        from moonshine_voice.moonshine_api import ModelArch
        from moonshine_voice.transcriber import Transcriber
    except ImportError as error:
        raise ConfigError(
            "The package for local transcription is not installed. Run: pip install 'towpath[calls]'"
        ) from error
    folder = Path(str(moonshine_voice.__file__)).parent / "assets" / "tiny-en"
    return Transcriber(folder, ModelArch.TINY, options={"return_audio_data": "false", **options})
