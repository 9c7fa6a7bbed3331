"""Extracts the audio of a recording in a child process with limits on memory and on time without progress."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from towpath.model.codec import decode_recording
from towpath.model.recording import Recording
from towpath.process_runner import InputFile, OutputFile, ProcessRunner, Progress
from towpath.providers.local.speech.transcode_audio import extract_audio


@dataclass(frozen=True, slots=True)
class LocalAudioExtractor:
    runner: ProcessRunner
    window_seconds: float
    #: The child is ended after this many seconds without a progress report. It reports twice a second.
    silence_limit_seconds: float = 120.0
    #: Raise it whenever the same file would give other audio, so that stored audio is not reused.
    version: str = "1"

    @property
    def cache_version(self) -> str:
        return f"{self.version}-{self.window_seconds:g}"

    async def extract(
        self, source: Path, target: Path, keep_stereo: bool, on_progress: Progress
    ) -> Recording:
        body = await self.runner.run(
            extract_audio,
            InputFile(source),
            OutputFile(target),
            keep_stereo,
            self.window_seconds,
            seconds=self.silence_limit_seconds,
            on_progress=on_progress,
        )
        return decode_recording(body)
