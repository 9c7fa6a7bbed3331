"""The contract of search: a query in, hits out, best first. What an engine provides is in `index_contract.py`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, Protocol, get_args

from towpath.errors import Rejected
from towpath.model.document_filters import NO_FILTERS, Filters

Mode = Literal["hybrid", "text", "vector"]
#: How a hit was found: by the words of the query, by similar meaning, or by both.
MatchedBy = Literal["words", "meaning", "both"]

MAX_LIMIT = 100
MAX_OFFSET = 10_000
#: Larger totals are reported as this number.
MAX_TOTAL = 10_000


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
    #: With this, every hit has an explanation.
    explain: bool = False
    filters: Filters = NO_FILTERS
    #: Only the best hit of each document; `limit` and `offset` count documents.
    group: bool = False
    #: Count the documents of the hits by kind, language, media type, year, collection and tag.
    facets: bool = False
    #: The last word is still being typed: if no chunk has it, words that begin so count as it.
    prefix: bool = False

    def __post_init__(self) -> None:
        if self.mode not in get_args(Mode):
            raise Rejected("search_mode", f"Unknown search mode {self.mode!r}. Use hybrid, text or vector.")
        if not 1 <= self.limit <= MAX_LIMIT:
            raise Rejected("search_limit", f"limit must be between 1 and {MAX_LIMIT}.")
        if not 0 <= self.offset <= MAX_OFFSET:
            raise Rejected("search_offset", f"offset must be between 0 and {MAX_OFFSET}.")


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why a hit has its place: both scores, as they are and normalised over the candidates of this query."""

    #: BM25 of the chunk; 0 if it has no word of the query.
    word_score: float = 0.0
    word_score_normalised: float = 0.0
    #: Cosine of the query and the chunk; None if the chunk has no vector of the current model.
    similarity: float | None = None
    similarity_normalised: float = 0.0
    #: The share of the similarity in the score; the rest is the share of the words.
    similarity_weight: float = 0.0
    #: The share of the query's words, weighted by rarity, that the chunk contains.
    coverage: float = 0.0
    #: Factor of the word score: below 1 if no chunk covers at least half of the query.
    coverage_factor: float = 1.0
    #: The mean score of the nearest candidates of other documents, and its share in the score.
    neighbour_score: float = 0.0
    neighbour_share: float = 0.0
    #: How much of the query's sequences of letters the chunk has (0 to 1), and its share in the score of the words.
    ngram_score: float = 0.0
    ngram_share: float = 0.0
    matched_words: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Hit:
    """One search result. ``highlights`` are (start, end) character offsets in the snippet.

    ``score`` is the cosine in mode `vector` and BM25 in mode `text`; in mode `hybrid` it only orders the hits.
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
    matched_by: MatchedBy = "words"
    explanation: Explanation | None = None
    #: With `group`, the number of further hits in the same document.
    more_in_document: int = 0


@dataclass(frozen=True, slots=True)
class Facets:
    """How many of the documents found have each value; the values of most documents first."""

    kinds: Mapping[str, int]
    languages: Mapping[str, int]
    media_types: Mapping[str, int]
    #: Years in which the documents were submitted.
    years: Mapping[str, int]
    collections: Mapping[str, int]
    tags: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class RerankReport:
    """What reranking did for one search."""

    model: str
    #: False if the server did not answer in time: then the order is that of the fusion.
    applied: bool
    #: US dollars.
    cost: float = 0.0
    #: True if the same query over the same chunks was answered before.
    remembered: bool = False


@dataclass(frozen=True, slots=True)
class SearchResults:
    """One page of hits, and how many there are."""

    hits: tuple[Hit, ...] = ()
    #: The number of chunks that match, at most `MAX_TOTAL`, and the number of their documents.
    total: int = 0
    documents: int = 0
    #: False if there are more than `total`.
    exact_total: bool = True
    #: The query with words of the library instead of words that no document has; None if there are none such.
    did_you_mean: str | None = None
    facets: Facets | None = None
    #: None if no reranking model is set.
    rerank: RerankReport | None = None


NO_RESULTS = SearchResults()


@dataclass(frozen=True, slots=True)
class NamedDocument:
    document_id: str
    name: str


@dataclass(frozen=True, slots=True)
class Suggestions:
    """What a person who types a query may mean: the query with its last word completed, and documents by name."""

    queries: tuple[str, ...] = ()
    documents: tuple[NamedDocument, ...] = ()


class SearchService(Protocol):
    async def search(self, query: Query) -> SearchResults: ...

    async def suggest(self, org_id: str, text: str, limit: int = 8) -> Suggestions:
        """Completions of a query that is being typed."""
        ...


@dataclass(frozen=True, slots=True)
class Scope:
    """What to search: the documents of one organization that pass the filters."""

    org_id: str
    filters: Filters = field(default=NO_FILTERS)


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
