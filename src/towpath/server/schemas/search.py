"""Response models for search results."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from towpath.server.schemas.base import View


class ExplanationView(View):
    """Why a hit has its place."""

    word_score: float = Field(description="BM25 of the passage; 0 if it has no word of the query")
    word_score_normalised: float = Field(description="The same from 0 to 1 over the candidates of this query")
    similarity: float | None = Field(description="Cosine of query and passage; null without a vector")
    similarity_normalised: float = Field(description="The same from 0 to 1 over the candidates of this query")
    similarity_weight: float = Field(description="The share of the similarity in the score")
    coverage: float = Field(
        description="The share of the query's words, weighted by rarity, that the passage contains"
    )
    coverage_factor: float = Field(
        description="Factor of the word score; below 1 if no passage covers at least half of the query"
    )
    neighbour_score: float = Field(
        description="The mean score of the nearest candidates of other documents; 0 if there are none"
    )
    neighbour_share: float = Field(description="The share of the neighbours in the score")
    ngram_score: float = Field(
        description="BM25 of the query's sequences of three letters, from 0 to 1 over the candidates"
    )
    ngram_share: float = Field(description="The share of these sequences in the score of the words")
    matched_words: list[str]


class HitView(View):
    document_id: str
    document_name: str
    document_kind: str
    chunk_id: str
    ordinal: int
    score: float
    snippet: str
    highlights: list[tuple[int, int]] = Field(
        description="Start and end character offsets of the matches in the snippet"
    )
    anchor: dict[str, object]
    matched_by: Literal["words", "meaning", "both"] = Field(
        description="Whether the passage has words of the query, a similar meaning, or both"
    )
    explanation: ExplanationView | None = Field(None, description="Only with `explain=true`")
    more_in_document: int = Field(
        0, description="With `group=true`: the number of further passages of the document that match"
    )


class FacetsView(View):
    """How many of the documents found have each value."""

    kinds: dict[str, int]
    languages: dict[str, int] = Field(description="By ISO 639-1 code")
    media_types: dict[str, int]
    years: dict[str, int] = Field(description="By the year in which the document was submitted")
    collections: dict[str, int]
    tags: dict[str, int]


class RerankView(View):
    """What the reranking model did for this search."""

    model: str
    applied: bool = Field(description="False if the model did not answer in time")
    cost: float = Field(description="US dollars; 0 if the answer was remembered")
    remembered: bool


class SearchView(View):
    query: str
    mode: str
    hits: list[HitView]
    total: int = Field(description="The number of passages that match, at most 10,000")
    exact_total: bool = Field(description="False if more passages match than `total` says")
    documents: int = Field(description="The number of documents with such passages")
    did_you_mean: str | None = Field(
        description="The query with words of the library instead of words that no document has"
    )
    facets: FacetsView | None = Field(None, description="Only with `facets=true`")
    rerank: RerankView | None = Field(None, description="Only if a reranking model is set")


class NamedDocumentView(View):
    document_id: str
    name: str


class SuggestionsView(View):
    """What a query that is being typed may become."""

    queries: list[str] = Field(
        description="The query with its last word completed; the most frequent words first"
    )
    documents: list[NamedDocumentView] = Field(description="Documents whose names contain the query")
