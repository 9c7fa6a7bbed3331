"""Makes the paid call of a question once: from the cache, by joining a running call, or by the chat model."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import json
import logging
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from typing import cast

from towpath import tracing
from towpath.ask.contract import CallLimiter, ChatModel, Question
from towpath.clock import Clock
from towpath.errors import (
    Ambiguous,
    AnswerTimeout,
    DatabaseUnavailable,
    LeaseLost,
    ProviderError,
    QuestionRejected,
    Rejected,
)
from towpath.ledger.contract.provider_calls import CallAnswer, CallCached, CallInProgress, CallRequest
from towpath.ledger.contract.question_calls import QuestionCalls
from towpath.model.chat_completion import ModelText
from towpath.model.json_types import Json
from towpath.model.passage import Passage
from towpath.model.provider_answer import Answer

log = logging.getLogger(__name__)

#: Seconds between two looks at a call that another process makes.
POLL_SECONDS = 0.25
#: Attempts to store a paid answer while the database does not answer, 0.5 s apart.
MAX_WRITES = 60


def question_key(model: ChatModel, question: str, passages: Sequence[Passage]) -> str:
    """The cache key in an organization: model, parameters, question, and ids and hashes of the chunks."""
    chunks = sorted((passage.chunk_id, passage.text_hash) for passage in passages)
    identity = ["ask", model.provider, model.model, sorted(model.parameters().items()), question, chunks]
    return hashlib.sha256(json.dumps(identity, ensure_ascii=False).encode("utf-8", "replace")).hexdigest()


@dataclass(frozen=True, slots=True)
class CompletedCall:
    text: ModelText
    cached: bool
    cost: float


class RunningCall:
    """A call that one or more requests wait for. It runs to its end even if all of them are given up."""

    def __init__(self, passages: Sequence[Passage]) -> None:
        #: The passages in the order of their numbers in the request.
        self.passages = passages
        self._parts: list[str] = []
        self._changed = asyncio.Event()
        self._task: asyncio.Task[CompletedCall] | None = None

    def start(self, task: asyncio.Task[CompletedCall]) -> None:
        self._task = task
        task.add_done_callback(lambda _: self._notify())

    def add(self, part: str) -> None:
        self._parts.append(part)
        self._notify()

    async def parts(self) -> AsyncIterator[str]:
        """The parts of the text as they arrive; ends with the call."""
        assert self._task is not None
        position = 0
        while True:
            changed, done = self._changed, self._task.done()
            while position < len(self._parts):
                yield self._parts[position]
                position += 1
            if done:
                return
            await changed.wait()

    async def result(self) -> CompletedCall:
        assert self._task is not None
        return await asyncio.shield(self._task)

    def _notify(self) -> None:
        self._changed.set()
        self._changed = asyncio.Event()


class CachedQuestionCalls:
    def __init__(
        self,
        model: ChatModel,
        calls: QuestionCalls,
        limiter: CallLimiter,
        clock: Clock,
        *,
        timeout_seconds: float,
        grace_seconds: float = 10.0,
    ) -> None:
        self.model = model
        self._calls = calls
        self._limiter = limiter
        self._clock = clock
        self._timeout = timeout_seconds
        self._grace = grace_seconds
        self._running: dict[tuple[str, str], RunningCall] = {}
        self._tasks: set[asyncio.Task[CompletedCall]] = set()

    def start(self, question: Question, passages: Sequence[Passage]) -> tuple[RunningCall, bool]:
        """The call of the question, and whether another request had started it already."""
        key = question_key(self.model, question.text, passages)
        running = self._running.get((question.org_id, key))
        if running is not None:
            return running, True
        running = self._running[question.org_id, key] = RunningCall(passages)
        task = asyncio.create_task(self._run(running, question, key))
        self._tasks.add(task)
        running.start(task)

        def end(task: asyncio.Task[CompletedCall]) -> None:
            self._running.pop((question.org_id, key), None)
            self._tasks.discard(task)
            if not task.cancelled() and (error := task.exception()) is not None:
                log.warning("a question was not answered: %s", error)

        task.add_done_callback(end)
        return running, False

    async def aclose(self) -> None:
        """Wait for the running calls, which are paid for; cancel them after the grace period."""
        if self._tasks:
            _, late = await asyncio.wait(self._tasks, timeout=self._grace)
            for task in late:
                task.cancel()
            await asyncio.gather(*late, return_exceptions=True)
        await self.model.aclose()

    async def _run(self, running: RunningCall, question: Question, key: str) -> CompletedCall:
        try:
            async with asyncio.timeout(self._timeout):
                cached = await self._reserve(question, key)
                if cached is not None:
                    return self._reuse(running, cached)
                answer = await self._make(running, question, key)
        except TimeoutError:
            # It may have been paid for: the row stays reserved, so that the next try is recorded as a repetition.
            raise AnswerTimeout(
                f"The chat model {self.model.model} has not answered in {self._timeout:g} seconds."
            ) from None
        try:
            text = self.model.read(answer.body)
        except Rejected as refusal:
            await self._save(running, question, key, answer)
            raise QuestionRejected(refusal.reason) from refusal
        except ProviderError as error:
            await self._calls.fail(question.org_id, key, str(error))
            raise
        await self._save(running, question, key, answer)
        return CompletedCall(text, cached=False, cost=answer.cost)

    async def _reserve(self, question: Question, key: str) -> CallCached | None:
        """Reserve the call; its cached answer if there is one."""
        request = CallRequest(key, self.model.provider, self.model.model)
        documents = question.filters.document_ids
        document_id = documents[0] if len(documents) == 1 else None
        while True:
            state = await self._calls.begin(question.org_id, request, document_id, self._clock.now())
            if not isinstance(state, CallInProgress):
                return state if isinstance(state, CallCached) else None
            await asyncio.sleep(POLL_SECONDS)

    async def _make(self, running: RunningCall, question: Question, key: str) -> Answer:
        texts = [passage.text for passage in running.passages]

        async def make() -> Answer:
            with tracing.provider_call_span(self.model.provider, self.model.model):
                return await self.model.answer(question.text, texts, running.add)

        tokens = self.model.count_tokens(question.text, texts)
        try:
            return await self._limiter.call(self.model.provider, tokens, make)
        except Ambiguous:
            raise
        except (ProviderError, Rejected) as error:
            await self._calls.fail(question.org_id, key, str(error))
            if isinstance(error, Rejected):
                raise QuestionRejected(error.reason) from error
            raise

    async def _save(self, running: RunningCall, question: Question, key: str, answer: Answer) -> None:
        """Store the answer, and retry while the database is unavailable: it was paid for."""
        stored: Json = {
            "base64": base64.b64encode(answer.body).decode(),
            "chunk_ids": [passage.chunk_id for passage in running.passages],
        }
        given = CallAnswer(stored, None, answer.units, answer.cost)
        for attempt in range(1, MAX_WRITES + 1):
            try:
                await self._calls.save_answer(question.org_id, key, given, self._clock.now())
                return
            except LeaseLost as lost:
                # Another process waited for longer than the time limit and made the call too.
                log.warning("the answer to a question was not stored: %s", lost)
                return
            except DatabaseUnavailable:
                if attempt == MAX_WRITES:
                    raise
                await asyncio.sleep(0.5)

    def _reuse(self, running: RunningCall, cached: CallCached) -> CompletedCall:
        stored = cached.answer or {}
        by_id = {passage.chunk_id: passage for passage in running.passages}
        running.passages = [by_id[chunk_id] for chunk_id in cast("list[str]", stored["chunk_ids"])]
        try:
            text = self.model.read(base64.b64decode(cast("str", stored["base64"])))
        except Rejected as refusal:
            raise QuestionRejected(refusal.reason) from refusal
        running.add(text.text)
        return CompletedCall(text, cached=True, cost=0.0)
