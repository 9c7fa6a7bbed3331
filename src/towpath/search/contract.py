"""The contract of search: a query in, hits out, best first. What an engine provides is in `index_contract.py`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, Protocol, get_args

from towpath.errors import Rejected

Mode = Literal["hybrid", "text", "vector"]

MAX_LIMIT = 100
MAX_OFFSET = 1_000


@dataclass(frozen=True, slots=True)
class Query:
    """A search request. Any text is valid: operators and unbalanced quotes are treated as words."""

    org_id: str
    text: str
    mode: Mode = "hybrid"
    kind: str | None = None
    document_id: str | None = None
    limit: int = 10
    offset: int = 0

    def __post_init__(self) -> None:
        if self.mode not in get_args(Mode):
            raise Rejected("search_mode", f"Unknown search mode {self.mode!r}. Use hybrid, text or vector.")
        if not 1 <= self.limit <= MAX_LIMIT:
            raise Rejected("search_limit", f"limit must be between 1 and {MAX_LIMIT}.")
        if not 0 <= self.offset <= MAX_OFFSET:
            raise Rejected("search_offset", f"offset must be between 0 and {MAX_OFFSET}.")


@dataclass(frozen=True, slots=True)
class Hit:
    """One search result. ``highlights`` are (start, end) character offsets in the snippet.

    ``score`` is the cosine in mode `vector`; in other modes it only orders the hits.
    """

    chunk_id: str
    document_id: str
    document_name: str
    document_kind: str
    score: float
    snippet: str
    highlights: tuple[tuple[int, int], ...]
    anchor: Mapping[str, object]
    ordinal: int


class SearchService(Protocol):
    async def search(self, query: Query) -> list[Hit]: ...


@dataclass(frozen=True, slots=True)
class Scope:
    """What to search: one organization, optionally limited to a kind or a document, or excluding a document."""

    org_id: str
    kind: str | None = None
    document_id: str | None = None
    excluded_document_id: str | None = None


@dataclass(frozen=True, slots=True)
class EmbeddingSpace:
    """The model and dimension of vectors. Only vectors of the same space are comparable."""

    model: str
    dimension: int


@dataclass(frozen=True, slots=True)
class RankedChunk:
    """A chunk and its score in one result list."""

    chunk_rowid: int
    score: float


@dataclass(frozen=True, slots=True)
class ChunkRow:
    """A chunk with the name and kind of its document."""

    chunk_rowid: int
    chunk_id: str
    document_id: str
    document_name: str
    document_kind: str
    text: str
    anchor: Mapping[str, object]
    ordinal: int
