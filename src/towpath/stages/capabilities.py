"""What stages are given to work with. The composition root binds these to real things."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, TypeVar, cast

from towpath.model.work import Json
from towpath.model.writes import Version
from towpath.providers.contract import Analyzer, Answer, Vectors
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


@dataclass(frozen=True, slots=True)
class Passages:
    """A document as it is published: its passages in the order of their ids."""

    version: Version
    model: str
    ids: Sequence[str]
    texts: Sequence[str]
    vectors: Vectors

    @property
    def document_id(self) -> str:
        return self.version.document_id


@dataclass(frozen=True, slots=True)
class Mark:
    """What a person decided about a connection, and the passages they saw."""

    id: str
    a_document_id: str
    b_document_id: str
    a_chunk_id: str
    b_chunk_id: str
    a_text: str
    b_text: str


class Library(Protocol):
    """The organization's published documents, as the search for connections sees them."""

    async def passages(self, org_id: str, document_ids: Sequence[str], model: str | None) -> list[Passages]:
        """Each document in one look, so that its passages are those of its version."""
        ...

    async def nearest(self, org_id: str, mine: Passages, rows: range, depth: int) -> dict[str, float]:
        """Other documents with one of the ``depth`` nearest passages of any of these, and their best cosine."""
        ...

    async def changed(self, org_id: str, versions: Sequence[Version]) -> list[str]:
        """Those of these documents that were published anew since."""
        ...

    async def connected(self, org_id: str, document_id: str) -> set[str]:
        """The documents that connections or marks lead to from this one."""
        ...

    async def marks(self, org_id: str, document_id: str) -> list[Mark]: ...

    async def sample(self, org_id: str, model: str, most: int) -> Vectors:
        """Vectors of passages chosen by nothing but their numbers."""
        ...


def document_of(context: Context) -> Mapping[str, str]:
    """Name, media type, hash and blob key of the document, frozen with the run's options."""
    return cast("Mapping[str, str]", context.options["document"])


def result_of(context: Context, stage: str) -> Json:
    """What an earlier stage left. Its absence is a bug in the pipeline, not in the document."""
    return context.known[stage]
