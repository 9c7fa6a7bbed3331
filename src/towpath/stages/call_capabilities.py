"""What the stages of a call are given to work with. The composition root binds these to real things."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from typing_extensions import TypeIs

from towpath.model.recording import Recording, Window
from towpath.model.transcript import CallAnalysis, Segment, Transcript
from towpath.providers.contract import Answer, LongRunning

OPUS = "audio/ogg"


class Recorder(Protocol):
    """Takes the sound out of a file."""

    @property
    def recipe(self) -> str:
        """All that shapes the sound it makes: another recipe, another artifact."""
        ...

    async def take(
        self, source: Path, target: Path, sides: bool, on_progress: Callable[[int, int], None]
    ) -> Recording: ...


class Listener(Protocol):
    """Hears a recording window by window, here and now."""

    provider: str
    model: str
    #: Whether it wants the two channels of a stereo recording kept.
    sides: bool

    def parameters(self) -> Mapping[str, str]: ...

    async def hear(self, sound: Path, window: Window, channel: int | None) -> Answer: ...

    def read(self, answer: bytes) -> Sequence[Segment]: ...


class Transcriber(LongRunning, Protocol):
    """A service that hears a whole recording and is asked for the transcript later."""

    def read(self, answer: bytes) -> Transcript:
        """Turn the stored answer into a transcript; pure, so that it can be done again for free."""
        ...


def is_service(ears: Listener | Transcriber) -> TypeIs[Transcriber]:
    """Whether it is asked for the transcript later, and does not hear window by window."""
    return isinstance(ears, LongRunning)


class Analyst(Protocol):
    """Tells what a call was about."""

    @property
    def provider(self) -> str: ...
    @property
    def model(self) -> str: ...

    def parameters(self) -> Mapping[str, str]: ...

    async def analyze(self, transcript: str) -> Answer: ...

    def read(self, answer: bytes) -> CallAnalysis: ...


@dataclass(frozen=True, slots=True)
class Patience:
    """How long a provider's answer is waited for: its own limits, apart from the attempts of a stage."""

    seconds: float
    polls: int
    #: The first question is not asked before this.
    first: float = 5.0
