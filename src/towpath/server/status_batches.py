"""Answers polls that arrive at the same time with one read of the database.

A read begins after every poll that it answers has arrived, so no answer is older than its request. Many pages and
programs poll the same documents: each of them is read and written as JSON once for all polls of a batch.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import cast

from fastapi import Request

from towpath.clock import Clock
from towpath.queries.contract import DocumentQueries
from towpath.server.schemas.document_status import status_json

#: Documents of one batch, except when one poll alone asks for more.
MAX_DOCUMENTS = 500
#: Reads at the same time. Their rows are converted by one interpreter, so more reads only make each other slower.
MAX_READS = 2


@dataclass(slots=True)
class _Batch:
    """Polls of one organization that wait for a read. The read gives the JSON by document."""

    #: In the order of the polls; a dictionary, so that no document is read twice.
    document_ids: dict[str, None] = field(default_factory=dict[str, None])
    read: asyncio.Task[dict[str, bytes]] | None = None


class StatusBatches:
    def __init__(self, queries: DocumentQueries, clock: Clock) -> None:
        self._queries = queries
        self._clock = clock
        self._reads = asyncio.Semaphore(MAX_READS)
        #: By organization, the batch whose read has not begun.
        self._waiting: dict[str, _Batch] = {}

    async def statuses_json(self, org_id: str, document_ids: Sequence[str]) -> bytes:
        """The JSON of the statuses in the order of the ids; unknown ids are left out."""
        batch = self._waiting.get(org_id)
        if batch is None or len(batch.document_ids) + len(document_ids) > MAX_DOCUMENTS:
            batch = self._waiting[org_id] = _Batch()
            batch.read = asyncio.create_task(self._read(org_id, batch))
        batch.document_ids.update(dict.fromkeys(document_ids))
        assert batch.read is not None
        # A client that disconnects does not cancel the read of the others.
        found = await asyncio.shield(batch.read)
        return b"[" + b",".join([found[each] for each in document_ids if each in found]) + b"]"

    async def _read(self, org_id: str, batch: _Batch) -> dict[str, bytes]:
        async with self._reads:
            if self._waiting.get(org_id) is batch:
                del self._waiting[org_id]
            now = self._clock.now()
            statuses = await self._queries.statuses(org_id, list(batch.document_ids), now)
            return {status.document_id: status_json(status, now) for status in statuses}


async def status_batches(request: Request) -> StatusBatches:
    """The batches of the application, as a dependency of routes."""
    return cast("StatusBatches", request.app.state.status_batches)
