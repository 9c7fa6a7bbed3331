"""Computes the input of the speaker model: 80 mel bands in decibels, each with its mean over time removed.

They repeat the features that the model was trained with (SpeechBrain's `Fbank`).
"""

from __future__ import annotations

from functools import cache

import numpy as np
import numpy.typing as npt

from towpath.providers.local.speech.audio_samples import MODEL_SAMPLE_RATE, Samples

FFT_SIZE, HOP, BANDS = 400, 160, 80
MIN_POWER, DYNAMIC_RANGE_DB = 1e-10, 80.0

Features = npt.NDArray[np.float32]


def voice_features(samples: Samples) -> Features:
    """One row per band, one column per 10 ms."""
    padded = np.pad(samples.astype(np.float32), FFT_SIZE // 2)
    frames = np.lib.stride_tricks.sliding_window_view(padded, FFT_SIZE)[::HOP]
    power = np.abs(np.fft.rfft(frames * _window(), axis=1)) ** 2
    decibels = 10 * np.log10(np.maximum(power @ _mel_matrix(), MIN_POWER))
    decibels = np.maximum(decibels, decibels.max() - DYNAMIC_RANGE_DB)
    return (decibels - decibels.mean(axis=0)).T.astype(np.float32)


@cache
def _window() -> npt.NDArray[np.float64]:
    return 0.54 - 0.46 * np.cos(2 * np.pi * np.arange(FFT_SIZE) / FFT_SIZE)


@cache
def _mel_matrix() -> npt.NDArray[np.float64]:
    top = 2595 * np.log10(1 + MODEL_SAMPLE_RATE / 2 / 700)
    mel: npt.NDArray[np.float64] = np.linspace(0, top, BANDS + 2, dtype=np.float64)
    edges: npt.NDArray[np.float64] = 700 * (np.power(10.0, mel / 2595) - 1)
    frequencies = np.linspace(0, MODEL_SAMPLE_RATE / 2, FFT_SIZE // 2 + 1, dtype=np.float64)
    slope: npt.NDArray[np.float64] = (frequencies[:, None] - edges[1:-1]) / np.diff(edges)[:-1]
    return np.maximum(0.0, np.minimum(slope + 1, 1 - slope))
