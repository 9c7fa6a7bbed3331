"""Builds the service that answers questions, as the settings say: with a chat model, or by quoting passages."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from datetime import timedelta

from towpath.ask.question_call_cache import CachedQuestionCalls
from towpath.ask.question_service import LibraryQuestionService
from towpath.bootstrap.cloud_providers import require_setting
from towpath.clock import Clock
from towpath.config import Settings
from towpath.errors import AccountRefused, ProviderError, Throttled
from towpath.ledger.database import Database
from towpath.ledger.sql_question_calls import SqlQuestionCalls
from towpath.model.job import WaitingReason
from towpath.model.provider_answer import Answer
from towpath.providers.openai.question_answerer import OpenAIQuestionAnswerer
from towpath.search.contract import SearchService
from towpath.search.passages import SqlPassageReader
from towpath.stages.contract import SuspendStage
from towpath.worker.provider_limiter import ProviderLimiter

#: A person waits for the answer: a longer pause of the provider is an error at once.
MAX_WAIT = timedelta(seconds=10)


class QuestionLimiter:
    """Implements `CallLimiter` by the limits that the workers share: a question waits briefly or is refused."""

    def __init__(self, limiter: ProviderLimiter, clock: Clock) -> None:
        self._limiter = limiter
        self._clock = clock

    async def call(self, provider: str, tokens: int, make: Callable[[], Awaitable[Answer]]) -> Answer:
        await self._acquire(provider, tokens)
        failure: ProviderError | None = None
        try:
            async with self._limiter.observe(provider):
                try:
                    return await make()
                except ProviderError as error:
                    failure = error
                    raise
        except SuspendStage as suspended:
            # The limiter suspends the jobs of the provider; this request gets the error itself.
            raise failure or Throttled(str(suspended)) from suspended

    async def _acquire(self, provider: str, tokens: int) -> None:
        give_up_at = self._clock.now() + MAX_WAIT
        while True:
            try:
                return await self._limiter.acquire(provider, requests=1, tokens=tokens)
            except SuspendStage as suspended:
                suspend = suspended.suspend
                seconds = max(0.05, (suspend.until - self._clock.now()).total_seconds())
                if suspend.reason is WaitingReason.PROVIDER_REFUSED:
                    raise AccountRefused(suspend.detail or f"{provider} refused the account.") from suspended
                if suspend.until > give_up_at:
                    detail = suspend.detail or "its limits are used up"
                    raise Throttled(f"{provider} is not available now: {detail}", seconds) from suspended
                await asyncio.sleep(seconds)


def openai_question_answerer(settings: Settings) -> OpenAIQuestionAnswerer:
    return OpenAIQuestionAnswerer(
        require_setting(settings, "openai_api_key", "answerer = openai"),
        settings.openai_answer_model,
        base_url=settings.openai_base_url,
        timeout=settings.answer_timeout_seconds,
    )


def build_question_service(
    settings: Settings,
    database: Database,
    search: SearchService,
    limiter: ProviderLimiter,
    clock: Clock,
    *,
    sole: bool,
) -> LibraryQuestionService:
    """``sole``: no other process uses the database."""
    calls = None
    if settings.answerer == "openai":
        calls = CachedQuestionCalls(
            openai_question_answerer(settings),
            SqlQuestionCalls(database, holder_seconds=settings.answer_timeout_seconds + 30, sole=sole),
            QuestionLimiter(limiter, clock),
            clock,
            timeout_seconds=settings.answer_timeout_seconds,
            grace_seconds=settings.shutdown_grace_seconds,
        )
    return LibraryQuestionService(
        search,
        SqlPassageReader(database),
        calls,
        max_passages=settings.answer_passages,
        timeout_seconds=settings.answer_timeout_seconds,
    )
