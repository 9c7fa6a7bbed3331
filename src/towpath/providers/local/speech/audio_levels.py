"""Measures the loudness of a recording over time; finds silence, speaker channels and places to cut."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from towpath.model.extracted_audio import Window

#: Seconds per measurement.
STEP_SECONDS = 0.05
#: A recording whose levels all stay below this (-60 dB) is silent.
SILENCE_LEVEL = 0.001
#: Speech is louder than background, and than the other speaker's channel, by this factor (10 dB).
SPEECH_RATIO = 3.16
#: Each speaker is heard alone for at least this share of the speech; above the other share nothing else is asked.
MIN_ALONE_SHARE, MAX_ALONE_SHARE = 0.03, 0.7
#: The levels of two microphones in one room correlate more than this, those of two telephones less.
MAX_LEVEL_CORRELATION = 0.5
#: A cut is searched within this many seconds of the target time, in a pause of this length.
CUT_SEARCH_SECONDS, PAUSE_SECONDS = 10.0, 0.3

Levels = npt.NDArray[np.float32]


class AudioLevels:
    """Measures streamed samples; keeps one level per 50 ms and channel."""

    def __init__(self, channels: int, rate: int) -> None:
        self._channels = channels
        self._rate = rate
        self._width = int(STEP_SECONDS * rate)
        self._rest: npt.NDArray[Any] = np.zeros((0, channels), np.int16)
        self._blocks: list[Levels] = []
        self._samples = 0

    @property
    def seconds(self) -> float:
        return self._samples / self._rate

    def add_samples(self, interleaved: npt.NDArray[Any]) -> None:
        """Add the next 16-bit samples."""
        samples = interleaved.reshape(-1, self._channels)
        self._samples += len(samples)
        pending = np.concatenate([self._rest, samples])
        whole = len(pending) // self._width
        body, self._rest = pending[: whole * self._width], pending[whole * self._width :]
        if whole:
            self._blocks.append(_rms(body.reshape(whole, self._width, self._channels)))

    @property
    def levels(self) -> Levels:
        """One row per step, one column per channel. The maximum possible level is 1.0."""
        last = [_rms(self._rest[None])] if len(self._rest) else []
        return np.concatenate([np.zeros((0, self._channels), np.float32), *self._blocks, *last])

    @property
    def is_silent(self) -> bool:
        return float(self.levels.max(initial=0.0)) < SILENCE_LEVEL

    @property
    def speaker_per_channel(self) -> bool:
        """Whether each channel has its own speaker.

        Usually only one channel is loud at a time. Where both are, because both speak, their levels rise and fall
        independently; two microphones in one room rise and fall together.
        """
        if self._channels != 2:
            return False
        levels = self.levels
        left, right = levels[:, 0], levels[:, 1]
        loud = np.maximum(left, right)
        spoken = loud > max(SILENCE_LEVEL, float(np.median(loud)) * 0.5)
        if not spoken.any():
            return False
        only_left = float(np.mean((left > SPEECH_RATIO * right)[spoken]))
        only_right = float(np.mean((right > SPEECH_RATIO * left)[spoken]))
        if min(only_left, only_right) <= MIN_ALONE_SHARE:
            return False
        return only_left + only_right > MAX_ALONE_SHARE or _correlation(left, right) < MAX_LEVEL_CORRELATION

    def windows(self, length: float) -> tuple[Window, ...]:
        """Divide the recording into windows of about this length, cut at the quietest pause nearby."""
        loud = self.levels.max(axis=1, initial=0.0)
        pause = max(1, round(PAUSE_SECONDS / STEP_SECONDS))
        mean_level = np.convolve(loud, np.ones(pause) / pause, mode="same")
        reach = min(CUT_SEARCH_SECONDS, length / 4)
        cuts = [0.0]
        while self.seconds - cuts[-1] > length + reach:
            first = int((cuts[-1] + length - reach) / STEP_SECONDS)
            nearby = mean_level[first : first + int(2 * reach / STEP_SECONDS) + 1]
            cuts.append(round((first + int(np.argmin(nearby)) + 0.5) * STEP_SECONDS, 3))
        ends = [*cuts[1:], round(self.seconds, 3)]
        return tuple(zip(cuts, ends, strict=True))


def _correlation(left: Levels, right: Levels) -> float:
    """Correlation of the levels in decibels, over all times at which at least one channel is audible."""
    audible = np.maximum(left, right) > SILENCE_LEVEL
    levels = 20 * np.log10(np.maximum(np.stack([left[audible], right[audible]]), SILENCE_LEVEL / 10))
    if levels.shape[1] < 2 or not levels.std(axis=1).all():
        return 1.0
    return float(np.corrcoef(levels)[0, 1])


def _rms(steps: npt.NDArray[Any]) -> Levels:
    return np.sqrt(np.mean(np.square(steps.astype(np.float32) / 32768.0), axis=1))
