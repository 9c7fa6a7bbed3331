"""Protocols of the capabilities that stages use: reader, audio extractor, transcribers, call analyzer, field extractor.

bootstrap/ binds them to implementations.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Protocol, cast, runtime_checkable

from typing_extensions import TypeIs

from towpath.model.codec import EncodedExtraction
from towpath.model.extracted_audio import Recording, Window
from towpath.model.field_schema import ExtractedValue, FieldSchema
from towpath.model.json_types import Json
from towpath.model.page_plan import PageBatch, PagePlan
from towpath.model.provider_answer import Answer
from towpath.model.run_stages import read_run_stages
from towpath.model.transcript import CallAnalysis, Segment, SpeakerSpan, Transcript
from towpath.model.writes import Write
from towpath.process_runner import Continuation
from towpath.providers.contract import Analyzer, LongRunning
from towpath.stages.contract import Context


class Reader(Protocol):
    """Reads a file of a known type on this machine."""

    @property
    def provider(self) -> str: ...
    @property
    def model(self) -> str: ...

    def parameters(self, media_type: str) -> Mapping[str, str]: ...

    async def read_and_continue(
        self,
        path: Path,
        media_type: str,
        then: Continuation | None,
        on_progress: Callable[[int, int], None],
    ) -> tuple[EncodedExtraction | PagePlan, object]:
        """The extraction, and what ``then`` makes of it in the same call: None if that failed.

        For a long scan the plan of its batches, which `recognize` and `assemble` then read, and None.
        """
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


class ChildFinder(Protocol):
    """Finds the files inside a document: attachments of mails, members of archives."""

    async def find(self, context: Context, document: Mapping[str, str]) -> Sequence[Write]:
        """The writes that create them as child documents; none if the document contains no files."""
        ...


class PageCounter(Protocol):
    """Counts the pages of a file; None if its type has no pages or it cannot be opened."""

    async def __call__(self, path: Path, media_type: str) -> int | None: ...


class PdfUnlocker(Protocol):
    """Opens PDFs that need a password."""

    async def is_locked(self, path: Path) -> bool: ...

    def unlocked_copy(self, path: Path, password: str) -> AbstractAsyncContextManager[Path | None]:
        """A copy without a password, deleted on exit; None if the file opens without one.

        Raises Rejected `wrong_password` if the password does not open it.
        """
        ...


def document_of(context: Context) -> Mapping[str, str]:
    """Name, media type, hash and blob key of the document, frozen with the run's options."""
    return cast("Mapping[str, str]", context.options["document"])


def size_of(document: Mapping[str, str]) -> int | None:
    """The bytes of the document; None in a run of an earlier version."""
    size = document.get("size")
    return None if size is None else int(size)


def result_of(context: Context, stage: str) -> Json:
    """The result of an earlier stage. A missing result is a bug of the pipeline, not of the document."""
    return context.results[stage]


#: The name in the result of an own stage under which its text and its fields are.
OWN = "towpath"


def text_result(context: Context) -> Json:
    """The keys of the newest text: of `extract`, or of an own stage behind it that made another text."""
    for name in reversed(_stages_before(context)):
        result = context.results[name]
        own = cast("Json", result.get(OWN) or {})
        if "markdown" in own:
            return own
        if "extraction" in result or name == "transcribe_poll":
            return result
    return result_of(context, "extract")


def own_field_keys(context: Context) -> list[str]:
    """The keys of the fields that own stages before this one made."""
    results = (cast("Json", context.results[name].get(OWN) or {}) for name in _stages_before(context))
    return [str(result["fields"]) for result in results if "fields" in result]


def _stages_before(context: Context) -> list[str]:
    """The stages with results in the order of the run."""
    stored = read_run_stages(context.options)
    if stored is None:
        return list(context.results)
    order = (
        stored.stages[: stored.stages.index(context.stage)]
        if context.stage in stored.stages
        else stored.stages
    )
    return [name for name in order if name in context.results]


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
    """Transcribes a recording window by window, on this machine or by one request per window."""

    provider: str
    model: str

    @property
    def language(self) -> str | None:
        """The language that the settings name; None if it is detected."""
        ...

    def parameters(self, language: str | None) -> Mapping[str, str]:
        """Everything but the window that changes the answer; part of its cache key."""
        ...

    async def transcribe(
        self, audio: Path, window: Window, channel: int | None, language: str | None
    ) -> Answer: ...

    def read(self, answer: bytes) -> Sequence[Segment]: ...

    def language_of(self, answer: bytes) -> str | None:
        """The language that the answer for a window names, if the transcriber detects it by window."""
        ...


@runtime_checkable
class LanguageDetector(Protocol):
    """A transcriber that detects the language of the whole recording before it transcribes."""

    async def detect_language(
        self, audio: Path, windows: Sequence[Window], channels: Sequence[int | None]
    ) -> Answer: ...

    def read_language(self, answer: bytes) -> str | None:
        """The language; None if nobody speaks. Raises Rejected if the transcriber does not know the language."""
        ...

    def check(self, language: bytes, segments: Sequence[Segment]) -> None:
        """Raise Rejected if the words are invented, because the language is another one than was detected."""
        ...


class Diarizer(Protocol):
    """Finds out who speaks when on a recording with one channel."""

    provider: str
    model: str

    def parameters(self) -> Mapping[str, str]: ...

    async def describe(self, audio: Path, window: Window) -> Answer:
        """The voices in one window."""
        ...

    async def separate(self, windows: Sequence[bytes]) -> Sequence[SpeakerSpan]:
        """The speakers of the recording, from the answers for all its windows; empty if there is only one."""
        ...


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

    def input_hash(self, transcript: Transcript) -> str:
        """The hash of what the analysis depends on; part of its cache key."""
        ...

    async def analyze(self, transcript: Transcript) -> Answer: ...

    def read(self, answer: bytes) -> CallAnalysis: ...


class FieldExtractor(Protocol):
    """Fills a field schema from a text by a chat model."""

    @property
    def provider(self) -> str: ...
    @property
    def model(self) -> str: ...

    def parameters(self, schema: FieldSchema) -> Mapping[str, str]:
        """Everything but the text that changes the answer; part of its cache key."""
        ...

    def input_hash(self, text: str) -> str: ...

    def count_tokens(self, schema: FieldSchema, text: str) -> int:
        """Estimated number of tokens of the request, for rate limits."""
        ...

    async def extract(self, schema: FieldSchema, text: str) -> Answer: ...

    def read(self, schema: FieldSchema, answer: bytes) -> Sequence[ExtractedValue] | None:
        """The values of a stored answer; None if the answer was longer than allowed."""
        ...


class FieldSchemaFinder(Protocol):
    """Finds a field schema of an organization by its name."""

    async def find(self, org_id: str, name: str) -> FieldSchema | None: ...
