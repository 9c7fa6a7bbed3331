"""Types and protocols of asking: a question in, an answer out, each sentence with the citations that support it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from towpath.model.chat_completion import ModelText
from towpath.model.passage import Passage
from towpath.model.provider_answer import Answer
from towpath.search.contract import NO_FILTERS, Filters, Hit

#: `answered`: at least one sentence has a verified citation. `not_found`: no passage supports an answer.
AnswerStatus = Literal["answered", "not_found"]
#: `model`: a chat model wrote the sentences. `passages`: the sentences are quotations of the best passages.
AnsweredBy = Literal["model", "passages"]


@dataclass(frozen=True, slots=True)
class Question:
    """A question about the documents of an organization that pass the filters."""

    org_id: str
    text: str
    filters: Filters = NO_FILTERS


@dataclass(frozen=True, slots=True)
class Citation:
    """Words of a passage that support a sentence: ``quote`` is ``passage.text[start:end]``."""

    passage: Passage
    quote: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence of an answer. It has at least one citation."""

    text: str
    citations: tuple[Citation, ...]


@dataclass(frozen=True, slots=True)
class FinishedAnswer:
    """The end of an answer: whether there is one, who wrote it, and what it cost."""

    status: AnswerStatus
    answered_by: AnsweredBy
    #: The chat model; None if the answer consists of passages.
    model: str | None = None
    #: Whether the answer of the chat model comes from the cache. Then nothing was paid.
    cached: bool = False
    #: US dollars for this question, without the embedding of the question.
    cost: float = 0.0
    #: Sentences of the chat model that were left out because no passage has the words they cite.
    left_out: int = 0
    #: Whether the chat model reached its limit of tokens, so that the answer may lack its end.
    truncated: bool = False


@dataclass(frozen=True, slots=True)
class RetrievedPassages:
    """The passages that the answer may cite, best first; the first part of every answer."""

    passages: tuple[Passage, ...]


AnswerPart = RetrievedPassages | Sentence | FinishedAnswer


class QuestionService(Protocol):
    def ask(self, question: Question) -> AsyncIterator[AnswerPart]:
        """RetrievedPassages, then the sentences as they are written, then FinishedAnswer; or an error.

        A paid answer is completed and stored even if the iteration is given up.
        """
        ...

    async def aclose(self) -> None:
        """Wait until the running calls have ended."""
        ...


class ChatModel(Protocol):
    """A chat model that answers from numbered passages."""

    @property
    def provider(self) -> str: ...
    @property
    def model(self) -> str: ...
    def parameters(self) -> Mapping[str, str]:
        """Everything that changes the answer; part of its cache key."""
        ...

    def count_tokens(self, question: str, passages: Sequence[str]) -> int:
        """An estimate of the tokens of the request and the answer, for rate limits."""
        ...

    async def answer(self, question: str, passages: Sequence[str], on_text: Callable[[str], None]) -> Answer:
        """Send one request; ``on_text`` receives each part of the text as it arrives. ``read`` parses the body."""
        ...

    def read(self, answer: bytes) -> ModelText:
        """Parse a stored answer."""
        ...

    async def aclose(self) -> None: ...


class PassageReader(Protocol):
    async def read(self, org_id: str, hits: Sequence[Hit]) -> list[Passage]:
        """The passages of the hits in their order. A chunk that was deleted meanwhile is left out."""
        ...


class CallLimiter(Protocol):
    async def call(self, provider: str, tokens: int, make: Callable[[], Awaitable[Answer]]) -> Answer:
        """Make the call within the limits of the provider. Raises Throttled or Refused if it is not allowed now."""
        ...
