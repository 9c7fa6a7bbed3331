"""Extracts the audio of a recording in a child process with limits on memory and on time without progress."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from towpath.model.codec import decode_recording
from towpath.model.extracted_audio import Recording
from towpath.process_runner import InputFile, OutputFile, ProcessRunner, Progress
from towpath.providers.local.speech.transcode_to_opus import SERVICE_BIT_RATE, extract_audio


@dataclass(frozen=True, slots=True)
class LocalAudioExtractor:
    runner: ProcessRunner
    window_seconds: float
    #: Per channel: `MODEL_BIT_RATE` or `SERVICE_BIT_RATE`.
    bit_rate: int
    #: The child is ended after this many seconds without a progress report. It reports twice a second.
    silence_limit_seconds: float = 120.0
    #: Raise it whenever the same file would give other audio, so that stored audio is not reused.
    version: str = "1"

    @property
    def cache_version(self) -> str:
        version = f"{self.version}-{self.window_seconds:g}"
        # Stored keys: those of audio for services must not change, or answers that were paid for are not found.
        return version if self.bit_rate == SERVICE_BIT_RATE else f"{version}-{self.bit_rate}"

    async def extract(
        self, source: Path, target: Path, keep_stereo: bool, on_progress: Progress
    ) -> Recording:
        body = await self.runner.run(
            extract_audio,
            InputFile(source),
            OutputFile(target),
            keep_stereo,
            self.bit_rate,
            self.window_seconds,
            seconds=self.silence_limit_seconds,
            on_progress=on_progress,
        )
        return decode_recording(body)
