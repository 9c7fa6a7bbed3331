"""Decodes a part of the extracted audio to the samples that the speech models expect: mono, 16 kHz."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

Samples = npt.NDArray[np.float32]

#: The sample rate of all speech models.
MODEL_SAMPLE_RATE = 16_000
OPUS_RATE = 48_000
#: Decoding starts this many seconds early, because an Opus decoder needs earlier packets.
DECODER_PREROLL_SECONDS = 1.0


def decode_samples(sound: str, start: float, end: float, channel: int | None) -> Samples:
    """The samples between two times: one channel, or all channels mixed."""
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


def _resample(sound: npt.NDArray[np.float32]) -> Samples:
    import av

    if not len(sound):
        return np.zeros(0, np.float32)
    whole = av.AudioFrame.from_ndarray(sound[None], format="flt", layout="mono")
    whole.sample_rate = OPUS_RATE
    resampler = av.AudioResampler(format="flt", layout="mono", rate=MODEL_SAMPLE_RATE)
    frames = [*resampler.resample(whole), *resampler.resample(None)]
    return np.concatenate([frame.to_ndarray().reshape(-1) for frame in frames]).astype(np.float32)
