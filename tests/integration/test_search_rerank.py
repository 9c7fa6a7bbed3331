"""Reranking: every wire format, the time budget, remembered answers and their price."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import pytest

from tests.support.databases import EngineUnderTest
from tests.support.search_collection import Collection
from tests.support.timeouts import REQUEST_SECONDS
from towpath.errors import Transient
from towpath.model.ids import DEFAULT_ORG_ID
from towpath.providers.rerank.http_reranker import HttpReranker, WireFormat, parse_scores
from towpath.search.contract import Query, SearchResults
from towpath.search.hybrid import HybridSearcher
from towpath.search.rerank import CandidateReranker


@dataclass(slots=True)
class RerankServer:
    """Prefers texts with the word "gate". Records the bodies and headers that it gets."""

    wire_format: WireFormat
    requests: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    heads: list[str] = field(default_factory=list[str])
    status: int = 200
    silent: bool = False
    url: str = ""

    async def handle(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        length = next(
            int(line.split(":")[1]) for line in head.splitlines() if line.lower().startswith("content-length")
        )
        body = json.loads(await reader.readexactly(length))
        self.requests.append(body)
        self.heads.append(head)
        if self.silent:
            # The client goes away first.
            await reader.read()
        else:
            answer = json.dumps(self.answer(body)).encode()
            writer.write(
                f"HTTP/1.1 {self.status} X\r\ncontent-length: {len(answer)}\r\nconnection: close\r\n\r\n".encode()
            )
            writer.write(answer)
            await writer.drain()
        writer.close()

    def answer(self, body: dict[str, Any]) -> object:
        texts = body["texts"] if self.wire_format == "tei" else body["documents"]
        scores = sorted(((float("gate" in text), index) for index, text in enumerate(texts)), reverse=True)
        if self.wire_format == "tei":
            return [{"index": index, "score": score} for score, index in scores]
        return {"results": [{"index": index, "relevance_score": score} for score, index in scores]}


@asynccontextmanager
async def serve(wire_format: WireFormat = "cohere") -> AsyncGenerator[RerankServer]:
    server = RerankServer(wire_format)
    listener = await asyncio.start_server(server.handle, "127.0.0.1", 0)
    server.url = f"http://127.0.0.1:{listener.sockets[0].getsockname()[1]}/rerank"
    async with listener:
        yield server


async def search(
    collection: Collection, reranker: HttpReranker, seconds: float = REQUEST_SECONDS
) -> SearchResults:
    searcher = HybridSearcher(
        collection.searcher.index, collection.embedder, reranker=CandidateReranker(reranker, seconds)
    )
    return await searcher.search(Query(DEFAULT_ORG_ID, "lock"))


@pytest.fixture
async def collection(engine: EngineUnderTest) -> Collection:
    filled = Collection(engine.database)
    await filled.add("A lock.", name="plain.txt")
    await filled.add("A lock with a gate, in a much longer sentence.", name="gate.txt")
    assert [hit.document_name for hit in await filled.hits("lock")] == ["plain.txt", "gate.txt"]
    return filled


@pytest.mark.parametrize("wire_format", ["cohere", "jina", "tei"])
async def test_the_model_decides_the_order(collection: Collection, wire_format: WireFormat):
    async with serve(wire_format) as server:
        reranker = HttpReranker(
            server.url,
            wire_format=wire_format,
            model="r-1",
            api_key="key",
            price=2.0,
            seconds=REQUEST_SECONDS,
        )
        results = await search(collection, reranker)
        again = await search(collection, reranker)
    assert [hit.document_name for hit in results.hits] == ["gate.txt", "plain.txt"]
    assert results.hits[0].score >= results.hits[1].score
    assert [hit.document_name for hit in again.hits] == ["gate.txt", "plain.txt"]
    assert results.rerank is not None
    assert again.rerank is not None
    assert (results.rerank.applied, results.rerank.cost, results.rerank.remembered) == (True, 0.002, False)
    assert (again.rerank.applied, again.rerank.cost, again.rerank.remembered) == (True, 0.0, True)
    assert len(server.requests) == 1
    assert "authorization: bearer key" in server.heads[0].lower()
    assert server.requests[0].get("model") == (None if wire_format == "tei" else "r-1")


async def test_after_the_time_budget_the_own_order_is_shown(collection: Collection):
    async with serve() as server:
        server.silent = True
        results = await search(collection, HttpReranker(server.url, seconds=REQUEST_SECONDS), seconds=0.05)
    assert [hit.document_name for hit in results.hits] == ["plain.txt", "gate.txt"]
    assert results.rerank is not None
    assert not results.rerank.applied


async def test_a_failing_server_is_left_out_for_a_while(collection: Collection):
    async with serve() as server:
        server.status = 500
        candidates = CandidateReranker(HttpReranker(server.url, seconds=REQUEST_SECONDS), REQUEST_SECONDS)
        searcher = HybridSearcher(collection.searcher.index, collection.embedder, reranker=candidates)
        for _ in range(2):
            results = await searcher.search(Query(DEFAULT_ORG_ID, "lock"))
            assert [hit.document_name for hit in results.hits] == ["plain.txt", "gate.txt"]
    assert len(server.requests) == 1


def test_answers_that_make_no_sense_are_refused():
    assert parse_scores([{"index": 1, "score": 0.5}], 2) == [-0.5, 0.5]
    wrong: tuple[object, ...] = ({"results": []}, [{"index": 7, "score": 1.0}])
    for answer in wrong:
        with pytest.raises(ValueError, match="answer"):
            parse_scores(answer, 2)


async def test_an_unreadable_answer_is_a_transient_error():
    async with serve("tei") as server:
        with pytest.raises(Transient):
            # The server answers for texts, and this format sends documents.
            await HttpReranker(server.url, wire_format="cohere", seconds=REQUEST_SECONDS).rerank("q", ["a"])
