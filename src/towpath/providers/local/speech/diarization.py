"""Finds out who speaks when on a recording with one channel: voice vectors by window, then clustering."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from towpath.model.extracted_audio import Window
from towpath.model.provider_answer import Answer
from towpath.model.transcript import SpeakerSpan
from towpath.process_runner import InputFile, ProcessRunner
from towpath.providers.local.speech.speaker_clustering import cluster_voices
from towpath.providers.local.speech.speaker_embedding import embed_voices, read_voices


class LocalDiarizer:
    """Embeds the voices of one window at a time in a child process that keeps the model loaded."""

    provider = "local"
    model = "ecapa-tdnn-voxceleb"

    def __init__(self, runner: ProcessRunner, *, count: int | None = None, seconds: float = 300.0) -> None:
        """``count`` is the number of speakers; None estimates it."""
        self._runner = runner
        self._count = count
        self._seconds = seconds

    def parameters(self) -> Mapping[str, str]:
        # The number of speakers is no parameter: the voices of a window do not depend on it.
        return {"version": "1"}

    async def describe(self, audio: Path, window: Window) -> Answer:
        return Answer(await self._runner.run(embed_voices, InputFile(audio), window, seconds=self._seconds))

    async def separate(self, windows: Sequence[bytes]) -> Sequence[SpeakerSpan]:
        return await self._runner.run(speaker_spans, list(windows), self._count, seconds=self._seconds)


def speaker_spans(windows: Sequence[bytes], count: int | None) -> list[SpeakerSpan]:
    """The speakers by time; runs in a child process. Empty if there is only one."""
    pieces = [piece for window in windows for piece in read_voices(window)]
    if not pieces or count == 1:
        return []
    vectors = np.stack([vector for _, _, vector in pieces])
    labels = cluster_voices(vectors, [end - start for start, end, _ in pieces], count)
    if len(set(labels)) < 2:
        return []
    return [
        SpeakerSpan(f"Speaker {label + 1}", start, end)
        for (start, end, _), label in zip(pieces, labels, strict=True)
    ]
