"""Request and response models for questions."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator

from towpath.ask.contract import Citation, FinishedAnswer, Sentence
from towpath.model.passage import Passage
from towpath.search.contract import Filters
from towpath.server.deps import Id
from towpath.server.document_filters import Value, with_time_zone
from towpath.server.schemas.base import MAX_INTEGER, View

#: What an answer says beside its sentences.
NOT_FOUND = "Not found: no passage of the documents answers this question."
QUOTED = "No chat model is configured. The answer quotes the best passages."


class AskRequest(BaseModel):
    """A question, and the documents that it is about; without conditions all documents of the organization."""

    model_config = ConfigDict(extra="forbid")

    question: str = Field(max_length=4_000)
    stream: bool | None = Field(
        None, description="Server-sent events, or one JSON object; null leaves it to the header `Accept`"
    )
    document_id: Id | None = Field(None, description="Only this document")
    kind: Literal["document", "call"] | None = None
    media_types: list[str] = Field([], max_length=50)
    languages: list[str] = Field([], max_length=50, description="ISO 639-1 codes")
    collections: list[Value] = Field([], max_length=50, description="Documents of any of these collections")
    tags: list[Value] = Field([], max_length=50, description="Documents that have all of these tags")
    metadata: dict[Value, Value] = Field({}, description="Documents whose metadata has all of these values")
    created_from: datetime | None = None
    created_before: datetime | None = None
    min_size: int | None = Field(None, ge=0, le=MAX_INTEGER, description="Bytes")
    max_size: int | None = Field(None, ge=0, le=MAX_INTEGER, description="Bytes")

    @field_validator("question")
    @classmethod
    def _require_words(cls, question: str) -> str:
        text = " ".join(question.split())
        if not any(character.isalnum() for character in text):
            raise ValueError("The question has no words.")
        return text

    @field_validator("created_from", "created_before")
    @classmethod
    def _with_time_zone(cls, moment: datetime | None) -> datetime | None:
        return with_time_zone(moment)

    def filters(self) -> Filters:
        return Filters(
            kinds=() if self.kind is None else (self.kind,),
            document_ids=() if self.document_id is None else (self.document_id,),
            media_types=tuple(self.media_types),
            languages=tuple(self.languages),
            collections=tuple(self.collections),
            tags=tuple(self.tags),
            metadata=tuple(self.metadata.items()),
            created_from=self.created_from,
            created_before=self.created_before,
            min_size=self.min_size,
            max_size=self.max_size,
        )


class PassageView(View):
    """A passage that was found for the question."""

    chunk_id: str
    document_id: str
    document_name: str
    document_kind: str
    ordinal: int
    anchor: dict[str, object]
    text: str


class CitationView(View):
    """Words of a passage that support a sentence."""

    chunk_id: str
    document_id: str
    document_name: str
    document_kind: str
    ordinal: int
    anchor: dict[str, object]
    quote: str = Field(description="Words of the passage; the server has verified that they are in its text")
    start: int = Field(description="Offset of the quote in the text of the passage, in characters")
    end: int


class SentenceView(View):
    text: str
    citations: list[CitationView] = Field(description="At least one")


class FinishedView(View):
    """The end of an answer."""

    status: Literal["answered", "not_found"] = Field(
        description="`not_found`: no passage supports an answer, and there are no sentences"
    )
    answered_by: Literal["model", "passages"] = Field(
        description="A chat model wrote the sentences, or they are quotations of the best passages"
    )
    message: str | None = Field(description="What a reader should know of this answer, as a sentence")
    model: str | None = Field(description="The chat model; null if the answer quotes passages")
    cached: bool = Field(description="Whether the chat model was asked before, so that nothing was paid")
    cost: float = Field(description="US dollars for the chat model")
    left_out: int = Field(description="Sentences of the chat model without a verified citation, left out")
    truncated: bool = Field(
        description="Whether the chat model reached its limit, so that the end may be missing"
    )


class AnswerView(FinishedView):
    """The whole answer, for requests without a stream."""

    question: str
    sentences: list[SentenceView]
    passages: list[PassageView] = Field(description="The passages that were found, best first")


def passage_view(passage: Passage) -> PassageView:
    return PassageView.model_validate(passage)


def sentence_view(sentence: Sentence) -> SentenceView:
    return SentenceView(text=sentence.text, citations=[_citation_view(item) for item in sentence.citations])


def finished_view(finished: FinishedAnswer) -> FinishedView:
    message = None
    if finished.status == "not_found":
        message = NOT_FOUND
    elif finished.answered_by == "passages":
        message = QUOTED
    return FinishedView(
        status=finished.status,
        answered_by=finished.answered_by,
        message=message,
        model=finished.model,
        cached=finished.cached,
        cost=finished.cost,
        left_out=finished.left_out,
        truncated=finished.truncated,
    )


def _citation_view(citation: Citation) -> CitationView:
    passage = citation.passage
    return CitationView(
        chunk_id=passage.chunk_id,
        document_id=passage.document_id,
        document_name=passage.document_name,
        document_kind=passage.document_kind,
        ordinal=passage.ordinal,
        anchor=dict(passage.anchor),
        quote=citation.quote,
        start=citation.start,
        end=citation.end,
    )
