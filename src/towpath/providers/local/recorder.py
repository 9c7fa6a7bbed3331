"""The sound of a recording, taken out in a child process with caps of memory and of silence."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from towpath.model.encode_call import load_recording
from towpath.model.recording import Recording
from towpath.providers.local.runner import Progress, Runner
from towpath.providers.local.sound import extract_sound


@dataclass(frozen=True, slots=True)
class LocalRecorder:
    runner: Runner
    window_seconds: float
    #: Longest silence of the child; it reports twice a second.
    seconds: float = 120.0
    #: Raised whenever the same file would give other sound: what was made before is then not used.
    version: str = "1"

    @property
    def recipe(self) -> str:
        return f"{self.version}-{self.window_seconds:g}"

    async def take(self, source: Path, target: Path, sides: bool, on_progress: Progress) -> Recording:
        body = await self.runner.run(
            extract_sound,
            str(source),
            str(target),
            sides,
            self.window_seconds,
            seconds=self.seconds,
            on_progress=on_progress,
        )
        return load_recording(body)
