"""Protocols of the capabilities that stages use: reader, audio extractor, transcribers, call analyzer.

bootstrap/ binds them to implementations.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Protocol, cast

from typing_extensions import TypeIs

from towpath.model.answer import Answer
from towpath.model.codec import EncodedExtraction
from towpath.model.json_types import Json
from towpath.model.page_plan import PageBatch, PagePlan
from towpath.model.recording import Recording, Window
from towpath.model.transcript import CallAnalysis, Segment, Transcript
from towpath.providers.contract import Analyzer, LongRunning
from towpath.stages.contract import Context


class Reader(Protocol):
    """Reads a file of a known type on this machine."""

    @property
    def provider(self) -> str: ...
    @property
    def model(self) -> str: ...

    def parameters(self, media_type: str) -> Mapping[str, str]: ...

    async def read(
        self, path: Path, media_type: str, on_progress: Callable[[int, int], None]
    ) -> EncodedExtraction | PagePlan:
        """The extraction; for a long scan the plan of its batches, which `recognize` and `assemble` then read."""
        ...

    async def recognize(
        self,
        path: Path,
        media_type: str,
        batch: PageBatch,
        previous: bytes | None,
        on_progress: Callable[[int, int], None],
    ) -> bytes:
        """The recognized pages of one batch; ``previous`` is the answer for the batch before it."""
        ...

    async def assemble(
        self,
        path: Path,
        media_type: str,
        batches: Sequence[bytes],
        on_progress: Callable[[int, int], None],
    ) -> EncodedExtraction:
        """The extraction of a file whose batches are recognized."""
        ...


#: Returns the analyzer that processes a media type as a long-running operation; None for types of the Reader.
AnalyzerFor = Callable[[str], Analyzer | None]


class PageCounter(Protocol):
    """Counts the pages of a file; None if its type has no pages or it cannot be opened."""

    async def __call__(self, path: Path, media_type: str) -> int | None: ...


def document_of(context: Context) -> Mapping[str, str]:
    """Name, media type, hash and blob key of the document, frozen with the run's options."""
    return cast("Mapping[str, str]", context.options["document"])


def result_of(context: Context, stage: str) -> Json:
    """The result of an earlier stage. A missing result is a bug of the pipeline, not of the document."""
    return context.results[stage]


OPUS = "audio/ogg"


class AudioExtractor(Protocol):
    """Extracts the audio of a file."""

    @property
    def cache_version(self) -> str:
        """Names everything that changes the extracted audio; part of the key of the stored audio."""
        ...

    async def extract(
        self, source: Path, target: Path, keep_stereo: bool, on_progress: Callable[[int, int], None]
    ) -> Recording: ...


class WindowTranscriber(Protocol):
    """Transcribes a recording on this machine, window by window."""

    provider: str
    model: str

    def parameters(self) -> Mapping[str, str]: ...

    async def transcribe(self, audio: Path, window: Window, channel: int | None) -> Answer: ...

    def read(self, answer: bytes) -> Sequence[Segment]: ...


class Transcriber(LongRunning, Protocol):
    """A remote service that transcribes a whole recording as a long-running operation."""

    def read(self, answer: bytes) -> Transcript:
        """Convert the stored answer into a transcript; a pure function."""
        ...


def is_remote(transcriber: WindowTranscriber | Transcriber) -> TypeIs[Transcriber]:
    """Whether the transcriber is a remote long-running operation, not a local one."""
    return isinstance(transcriber, LongRunning)


class CallAnalyzer(Protocol):
    """Summarizes the transcript of a call."""

    @property
    def provider(self) -> str: ...
    @property
    def model(self) -> str: ...

    def parameters(self) -> Mapping[str, str]: ...

    async def analyze(self, transcript: str) -> Answer: ...

    def read(self, answer: bytes) -> CallAnalysis: ...
