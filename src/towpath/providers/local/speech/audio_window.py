"""Cuts one window out of the extracted audio as a small file for a remote transcriber; runs in a child process."""

from __future__ import annotations

import io
from typing import Any, cast

import numpy as np

from towpath.model.extracted_audio import Window
from towpath.providers.local.speech.audio_samples import MODEL_SAMPLE_RATE, decode_samples
from towpath.providers.local.speech.voice_activity import detect_speech


def encode_window(sound: str, window: Window, channel: int | None) -> bytes | None:
    """The window as FLAC; None if nobody speaks in it, so that no request is paid for silence or music."""
    samples = decode_samples(sound, *window, channel)
    if not detect_speech(samples):
        return None
    import av as pyav

    av = cast(Any, pyav)
    content = io.BytesIO()
    with av.open(content, "w", format="flac", options={"fflags": "+bitexact"}) as out:
        stream = out.add_stream("flac", rate=MODEL_SAMPLE_RATE)
        stream.layout = "mono"
        whole = (np.clip(samples, -1.0, 1.0) * 32767).astype(np.int16)
        frame = av.AudioFrame.from_ndarray(whole[None], format="s16", layout="mono")
        frame.sample_rate = MODEL_SAMPLE_RATE
        for packet in [*stream.encode(frame), *stream.encode(None)]:
            out.mux(packet)
    return content.getvalue()
