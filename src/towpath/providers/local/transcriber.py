"""Puts English speech into writing on this machine: Moonshine, whose model comes inside its package.

A recording is heard window by window, and a window phrase by phrase, since the model hears ten seconds best. Its
sentences have times, its words have not.
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
from towpath.model.recording import Window
from towpath.model.transcript import Segment
from towpath.providers.contract import Answer
from towpath.providers.local.phrases import MARGIN, Phrase, Sound, Span, phrases
from towpath.providers.local.runner import Runner

#: What the model was trained on.
RATE = 16_000
OPUS_RATE = 48_000
#: Decoding begins this many seconds early, for Opus needs a run-up.
RUN_UP = 1.0
#: Words end at a pause this many seconds from where their number lets them end.
NEARBY = 0.7

_PART_END = re.compile(r"(?<=[.!?,;:])\s+")
_COMMAS = re.compile(",{2,}")


class LocalTranscriber:
    """Hears one window at a time in a child process, where the model stays loaded."""

    provider = "local"
    model = "moonshine-tiny-en-2"
    sides = True

    def __init__(self, runner: Runner, *, seconds: float = 300.0) -> None:
        self._runner = runner
        self._seconds = seconds

    def parameters(self) -> Mapping[str, str]:
        return {"language": "en"}

    async def hear(self, sound: Path, window: Window, channel: int | None) -> Answer:
        body = await self._runner.run(hear_window, str(sound), window, channel, seconds=self._seconds)
        return Answer(body, {"seconds": window[1] - window[0]})

    def read(self, answer: bytes) -> list[Segment]:
        return [Segment(text, None, start, end) for start, end, text in json.loads(answer)]


def hear_window(sound: str, window: Window, channel: int | None) -> bytes:
    """Runs in a child: what is said between two moments, as JSON of [start, end, text]."""
    start, end = window
    samples = samples_of(sound, start, end, channel)
    lines = [
        (round(min(start + first, end), 2), round(min(start + last, end), 2), text)
        for phrase in phrases(samples, RATE)
        for first, last, text in timed(phrase, _heard(samples, phrase))
    ]
    return json.dumps(lines, ensure_ascii=False).encode("utf-8", "replace")


def _heard(samples: Sound, phrase: Phrase) -> str:
    first, last = (round(at * RATE) for at in (max(0.0, phrase.start - MARGIN), phrase.end + MARGIN))
    heard = loaded_model().transcribe_without_streaming(samples[first:last].tolist(), RATE)
    # It stutters at commas now and then.
    return _COMMAS.sub(",", " ".join(" ".join(str(line.text) for line in heard.lines).split()))


def timed(phrase: Phrase, text: str) -> list[tuple[float, float, str]]:
    """The lines of a phrase: one for each sentence, and for each part of one that ends in a pause."""
    parts = [part for part in _PART_END.split(text) if part]
    letters = sum(map(len, parts))
    lines: list[tuple[float, float, str]] = []
    start, said, line = phrase.start, 0, ""
    for part in parts:
        said += len(part)
        line = f"{line} {part}".lstrip()
        guess = phrase.moment(said / letters)
        pause = (phrase.end, phrase.end) if said == letters else _pause_near(phrase, guess)
        if pause is None and part[-1] not in ".!?":
            continue
        end, next_start = pause or (guess, guess)
        lines.append((start, max(start, end), line))
        start, line = max(start, next_start), ""
    return lines


def _pause_near(phrase: Phrase, guess: float) -> Span | None:
    near = [pause for pause in phrase.pauses if pause[0] - NEARBY <= guess <= pause[1] + NEARBY]
    return min(near, key=lambda pause: abs(sum(pause) / 2 - guess), default=None)


def samples_of(sound: str, start: float, end: float, channel: int | None) -> Sound:
    """The sound between two moments at the model's rate: one channel, or all of them mixed."""
    import av

    pieces: list[npt.NDArray[Any]] = []
    with av.open(sound) as container:
        stream = container.streams.audio[0]
        container.seek(int(max(0.0, start - RUN_UP) * 1_000_000))
        begin = None
        for frame in container.decode(stream):
            begin = frame.time if begin is None else begin
            pieces.append(
                _mixed(frame.to_ndarray(), frame.format.is_planar, frame.layout.nb_channels, channel)
            )
            if frame.time is not None and frame.time + frame.samples / OPUS_RATE > end:
                break
    if not pieces:
        return np.zeros(0, np.float32)
    first = round((start - (begin or 0.0)) * OPUS_RATE)
    wanted = np.concatenate(pieces)[max(0, first) : first + round((end - start) * OPUS_RATE)]
    return _resampled(wanted)


def _mixed(
    raw: npt.NDArray[Any], planar: bool, channels: int, channel: int | None
) -> npt.NDArray[np.float32]:
    sound = raw.astype(np.float32) / (32768.0 if raw.dtype == np.int16 else 1.0)
    by_channel = sound if planar else sound.reshape(-1, channels).T
    return by_channel.mean(axis=0) if channel is None else by_channel[min(channel, channels - 1)]


def _resampled(sound: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    import av

    whole = av.AudioFrame.from_ndarray(sound[None], format="flt", layout="mono")
    whole.sample_rate = OPUS_RATE
    resampler = av.AudioResampler(format="flt", layout="mono", rate=RATE)
    frames = [*resampler.resample(whole), *resampler.resample(None)]
    return np.concatenate([frame.to_ndarray().reshape(-1) for frame in frames]).astype(np.float32)


@cache
def loaded_model() -> Any:
    """The model, loaded once for each process, without its own ear for pauses."""
    return new_model({"vad_threshold": "0"})


def new_model(options: Mapping[str, str]) -> Any:
    try:
        import moonshine_voice
        from moonshine_voice.moonshine_api import ModelArch
        from moonshine_voice.transcriber import Transcriber
    except ImportError as error:
        raise ConfigError(
            "Transcribing on this machine needs one more package: pip install 'towpath[calls]'"
        ) from error
    folder = Path(str(moonshine_voice.__file__)).parent / "assets" / "tiny-en"
    return Transcriber(folder, ModelArch.TINY, options={"return_audio_data": "false", **options})
