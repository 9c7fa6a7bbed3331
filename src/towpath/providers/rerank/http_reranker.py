"""A reranking model behind HTTP, in the wire format of Cohere, Jina or Text Embeddings Inference (TEI)."""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from typing import Any, Literal, cast

import httpx

from towpath.errors import Transient
from towpath.providers.contract import Reranked

#: Answers kept in memory: the same query over the same passages is paid for once.
REMEMBERED = 1_000

WireFormat = Literal["cohere", "jina", "tei"]


class HttpReranker:
    """``url`` is the whole address of the endpoint; ``price`` in US dollars per 1,000 searches."""

    def __init__(
        self,
        url: str,
        *,
        wire_format: WireFormat = "cohere",
        model: str = "",
        api_key: str | None = None,
        price: float = 0.0,
        seconds: float = 2.0,
    ) -> None:
        self.model = model or wire_format
        self._url, self._format, self._sent_model = url, wire_format, model
        self._price = price / 1_000
        self._headers = {"Authorization": f"Bearer {api_key}"} if api_key else {}
        self._seconds = seconds
        self._client: httpx.AsyncClient | None = None
        self._answers: OrderedDict[str, tuple[float, ...]] = OrderedDict()

    async def rerank(self, query: str, texts: Sequence[str]) -> Reranked:
        key = hashlib.sha256("\0".join((query, *texts)).encode("utf-8", "replace")).hexdigest()
        if (known := self._answers.get(key)) is not None:
            self._answers.move_to_end(key)
            return Reranked(known, 0.0, remembered=True)
        scores = tuple(await self._ask(query, texts))
        self._answers[key] = scores
        if len(self._answers) > REMEMBERED:
            self._answers.popitem(last=False)
        return Reranked(scores, self._price)

    async def _ask(self, query: str, texts: Sequence[str]) -> list[float]:
        if self._client is None:
            self._client = httpx.AsyncClient(timeout=self._seconds, headers=self._headers)
        try:
            response = await self._client.post(self._url, json=self._body(query, texts))
            response.raise_for_status()
            return parse_scores(response.json(), len(texts))
        except (httpx.HTTPError, ValueError, KeyError, TypeError, IndexError) as error:
            raise Transient(f"The reranker at {self._url} failed: {error!r}") from error

    def _body(self, query: str, texts: Sequence[str]) -> Mapping[str, object]:
        if self._format == "tei":
            return {"query": query, "texts": list(texts), "truncate": True}
        body: dict[str, object] = {"query": query, "documents": list(texts), "top_n": len(texts)}
        if self._sent_model:
            body["model"] = self._sent_model
        if self._format == "jina":
            body["return_documents"] = False
        return body


def parse_scores(answer: object, count: int) -> list[float]:
    """The score of each text: `results` with `relevance_score`, or a list with `score`."""
    items = cast("Mapping[str, Any]", answer)["results"] if isinstance(answer, dict) else answer
    scores: list[float | None] = [None] * count
    for item in cast("Sequence[Mapping[str, Any]]", items):
        index = int(item["index"])
        if not 0 <= index < count:
            raise ValueError(f"the answer names text {index} of {count}")
        scores[index] = float(item["relevance_score"] if "relevance_score" in item else item["score"])
    given = [score for score in scores if score is not None]
    if not given:
        raise ValueError("the answer has no scores")
    lowest = min(given) - 1.0
    return [lowest if score is None else score for score in scores]
