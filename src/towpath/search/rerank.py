"""Puts the best candidates of a search into the order of a reranking model, if it answers in time."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Sequence
from dataclasses import replace

from towpath.errors import ProviderError
from towpath.providers.contract import Reranker
from towpath.search.contract import RerankReport
from towpath.search.fusion import FusedChunk

log = logging.getLogger(__name__)

#: Candidates that are sent to the model.
CANDIDATES = 50
#: Characters of each candidate that are sent.
MAX_TEXT_LENGTH = 4_000
#: After an error or a timeout the server is left out for this many seconds, so that searches do not wait for it.
PAUSE_SECONDS = 30.0


class CandidateReranker:
    """Asks the reranker within a time budget."""

    def __init__(self, reranker: Reranker, seconds: float) -> None:
        self._reranker = reranker
        self._seconds = seconds
        self._paused_until = 0.0

    async def reorder(
        self, query: str, candidates: Sequence[FusedChunk], texts: Sequence[str]
    ) -> tuple[list[FusedChunk], RerankReport]:
        """The candidates with these texts in the order of the model, then the others."""
        model = self._reranker.model
        if not texts or time.monotonic() < self._paused_until:
            return list(candidates), RerankReport(model, applied=False)
        sent = [text[:MAX_TEXT_LENGTH] for text in texts]
        try:
            async with asyncio.timeout(self._seconds):
                answer = await self._reranker.rerank(query, sent)
        except (ProviderError, TimeoutError) as error:
            self._paused_until = time.monotonic() + PAUSE_SECONDS
            log.warning("The reranker does not answer; the order is that of the search: %r", error)
            return list(candidates), RerankReport(model, applied=False)
        best, rest = candidates[: len(sent)], candidates[len(sent) :]
        order = sorted(range(len(best)), key=lambda place: (-answer.scores[place], place))
        # The scores of the places stay, so that scores fall from hit to hit.
        reordered = [replace(best[place], score=held.score) for place, held in zip(order, best, strict=True)]
        return [*reordered, *rest], RerankReport(model, True, answer.cost, answer.remembered)
