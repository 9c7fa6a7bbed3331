"""What stages are given to work with. The composition root binds these to real things."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Protocol, TypeVar, cast

from towpath.model.work import Json
from towpath.providers.contract import Analyzer, Answer
from towpath.stages.contract import Context

T = TypeVar("T")


class Compute(Protocol):
    """Runs a slow function in a child process under caps of time and memory."""

    async def run(
        self,
        function: Callable[..., T],
        *arguments: object,
        seconds: float,
        on_progress: Callable[[int, int], None] | None = None,
    ) -> T: ...


class Reader(Protocol):
    """Reads a file of a known type into the JSON of an Extraction."""

    @property
    def provider(self) -> str: ...
    @property
    def model(self) -> str: ...

    def parameters(self, media_type: str) -> Mapping[str, str]: ...

    async def read(self, path: Path, media_type: str, on_progress: Callable[[int, int], None]) -> Answer: ...


#: Who analyzes files of this type as a long-running operation; None leaves them to the Reader.
AnalyzerFor = Callable[[str], Analyzer | None]


class PageCounter(Protocol):
    """Counts the pages of a file by looking at the file itself; None where it has none or cannot be opened."""

    async def __call__(self, path: Path, media_type: str) -> int | None: ...


def document_of(context: Context) -> Mapping[str, str]:
    """Name, media type, hash and blob key of the document, frozen with the run's options."""
    return cast("Mapping[str, str]", context.options["document"])


def result_of(context: Context, stage: str) -> Json:
    """What an earlier stage left. Its absence is a bug in the pipeline, not in the document."""
    return context.known[stage]
