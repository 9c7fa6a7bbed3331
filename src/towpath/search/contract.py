"""What search promises: a query in, hits out, best first. What an engine offers for it is in `index.py`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, Protocol, get_args

from towpath.errors import Rejected

Mode = Literal["hybrid", "text", "vector"]

MOST_HITS = 100
DEEPEST = 1_000


@dataclass(frozen=True, slots=True)
class Query:
    """What somebody looks for. Any text will do: operators, stray quotes and nonsense are only words."""

    org_id: str
    text: str
    mode: Mode = "hybrid"
    kind: str | None = None
    document_id: str | None = None
    limit: int = 10
    offset: int = 0

    def __post_init__(self) -> None:
        if self.mode not in get_args(Mode):
            raise Rejected(
                "search_mode", f"There is no search mode {self.mode!r}; use hybrid, text or vector."
            )
        if not 1 <= self.limit <= MOST_HITS:
            raise Rejected("search_limit", f"A search gives 1 to {MOST_HITS} hits at a time; adjust limit.")
        if not 0 <= self.offset <= DEEPEST:
            raise Rejected("search_offset", f"A search reaches {DEEPEST} hits deep at most; adjust offset.")


@dataclass(frozen=True, slots=True)
class Hit:
    """A passage that answers. ``highlights`` are (start, end) in the snippet, counted in characters.

    ``score`` is the cosine for a vector search; otherwise it only tells which hit is the better one.
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


class Searcher(Protocol):
    async def search(self, query: Query) -> list[Hit]: ...


@dataclass(frozen=True, slots=True)
class Scope:
    """Where to look: one organization, and within it one kind or one document, or all but one, where asked."""

    org_id: str
    kind: str | None = None
    document_id: str | None = None
    without_document_id: str | None = None


@dataclass(frozen=True, slots=True)
class Space:
    """Vectors that may be compared with each other: those of one model with one length."""

    model: str
    dimension: int


@dataclass(frozen=True, slots=True)
class Ranked:
    """A chunk by its number, as one way of looking found it."""

    number: int
    score: float


@dataclass(frozen=True, slots=True)
class Passage:
    """A chunk as a reader is shown it."""

    number: int
    chunk_id: str
    document_id: str
    document_name: str
    document_kind: str
    text: str
    anchor: Mapping[str, object]
    ordinal: int
