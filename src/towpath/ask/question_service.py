"""Answers questions about a library: finds passages, asks the chat model or quotes them, and verifies citations."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

from towpath.ask.answer_parser import AnswerParser
from towpath.ask.citations import verify_citations
from towpath.ask.contract import AnswerPart, FinishedAnswer, PassageReader, Question, RetrievedPassages
from towpath.ask.question_call_cache import CachedQuestionCalls
from towpath.ask.quote_passages import extract_answer
from towpath.errors import AnswerTimeout
from towpath.model.passage import Passage
from towpath.search.contract import Query, SearchService


class LibraryQuestionService:
    """Implements `QuestionService`. Without ``calls`` there is no chat model, and the best passages are the answer."""

    def __init__(
        self,
        search: SearchService,
        reader: PassageReader,
        calls: CachedQuestionCalls | None,
        *,
        max_passages: int,
        timeout_seconds: float,
    ) -> None:
        self._search = search
        self._reader = reader
        self._calls = calls
        self._max_passages = max_passages
        self._timeout = timeout_seconds

    async def ask(self, question: Question) -> AsyncIterator[AnswerPart]:
        passages = await self._find(question)
        yield RetrievedPassages(tuple(passages))
        parts = (
            self._quote(question, passages) if self._calls is None else self._ask_model(question, passages)
        )
        async for part in parts:
            yield part

    async def aclose(self) -> None:
        if self._calls is not None:
            await self._calls.aclose()

    async def _find(self, question: Question) -> list[Passage]:
        query = Query(question.org_id, question.text, limit=self._max_passages, filters=question.filters)
        try:
            async with asyncio.timeout(self._timeout):
                results = await self._search.search(query)
                return await self._reader.read(question.org_id, results.hits)
        except TimeoutError:
            raise AnswerTimeout(f"The search has not ended in {self._timeout:g} seconds.") from None

    async def _quote(self, question: Question, passages: list[Passage]) -> AsyncIterator[AnswerPart]:
        sentences = await asyncio.to_thread(extract_answer, question.text, passages)
        for sentence in sentences:
            yield sentence
        yield FinishedAnswer("answered" if sentences else "not_found", "passages")

    async def _ask_model(self, question: Question, passages: list[Passage]) -> AsyncIterator[AnswerPart]:
        assert self._calls is not None
        name = self._calls.model.model
        if not passages:
            # Nothing can support an answer, so nothing is paid.
            yield FinishedAnswer("not_found", "model", name)
            return
        call, joined = self._calls.start(question, passages)
        parser = AnswerParser()
        supported = left_out = 0
        async for part in call.parts():
            for written in parser.feed(part):
                sentence = await asyncio.to_thread(verify_citations, written, call.passages)
                if sentence is None:
                    left_out += 1
                else:
                    supported += 1
                    yield sentence
        completed = await call.result()
        yield FinishedAnswer(
            "answered" if supported else "not_found",
            "model",
            name,
            cached=completed.cached or joined,
            cost=0.0 if joined else completed.cost,
            left_out=left_out,
            truncated=completed.text.truncated,
        )
