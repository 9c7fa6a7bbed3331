"""How loud a recording is from moment to moment, and what follows from that."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from towpath.model.recording import Window

#: Seconds that one measurement covers.
STEP = 0.05
#: No stretch is louder than this (-60 dB) in a recording without sound.
FAINT = 0.001
#: Speech stands out of the background by this factor (10 dB), also on the other person's channel.
CLEAR = 3.16
#: A cut is looked for within this many seconds around the wanted place, in a pause of this length.
REACH, PAUSE = 10.0, 0.3

Levels = npt.NDArray[np.float32]


class Loudness:
    """Measures sound as it passes by; keeps a number for each twentieth of a second and channel."""

    def __init__(self, channels: int, rate: int) -> None:
        self._channels = channels
        self._rate = rate
        self._width = int(STEP * rate)
        self._rest: npt.NDArray[Any] = np.zeros((0, channels), np.int16)
        self._pieces: list[Levels] = []
        self._samples = 0

    @property
    def seconds(self) -> float:
        return self._samples / self._rate

    def hear(self, interleaved: npt.NDArray[Any]) -> None:
        """Take the next 16-bit samples in."""
        fresh = interleaved.reshape(-1, self._channels)
        self._samples += len(fresh)
        sound = np.concatenate([self._rest, fresh])
        whole = len(sound) // self._width
        body, self._rest = sound[: whole * self._width], sound[whole * self._width :]
        if whole:
            self._pieces.append(_levels(body.reshape(whole, self._width, self._channels)))

    @property
    def levels(self) -> Levels:
        """One row for each step, one column for each channel; 1.0 is the loudest there can be."""
        last = [_levels(self._rest[None])] if len(self._rest) else []
        return np.concatenate([np.zeros((0, self._channels), np.float32), *self._pieces, *last])

    @property
    def silent(self) -> bool:
        return float(self.levels.max(initial=0.0)) < FAINT

    @property
    def apart(self) -> bool:
        """Whether each channel has a person of its own: mostly only one of them is heard at a time."""
        if self._channels != 2:
            return False
        levels = self.levels
        left, right = levels[:, 0], levels[:, 1]
        loud = np.maximum(left, right)
        spoken = loud > max(FAINT, float(np.median(loud)) * 0.5)
        if not spoken.any():
            return False
        only_left = float(np.mean((left > CLEAR * right)[spoken]))
        only_right = float(np.mean((right > CLEAR * left)[spoken]))
        return min(only_left, only_right) > 0.03 and only_left + only_right > 0.7

    def windows(self, length: float) -> tuple[Window, ...]:
        """The whole recording in stretches of about this length, each cut in the quietest pause nearby."""
        loud = self.levels.max(axis=1, initial=0.0)
        pause = max(1, round(PAUSE / STEP))
        calm = np.convolve(loud, np.ones(pause) / pause, mode="same")
        reach = min(REACH, length / 4)
        cuts = [0.0]
        while self.seconds - cuts[-1] > length + reach:
            first = int((cuts[-1] + length - reach) / STEP)
            nearby = calm[first : first + int(2 * reach / STEP) + 1]
            cuts.append(round((first + int(np.argmin(nearby)) + 0.5) * STEP, 3))
        ends = [*cuts[1:], round(self.seconds, 3)]
        return tuple(zip(cuts, ends, strict=True))


def _levels(steps: npt.NDArray[Any]) -> Levels:
    return np.sqrt(np.mean(np.square(steps.astype(np.float32) / 32768.0), axis=1))
