"""The operations that are timed, through the API in the same process, and verbs of the ledger that workers use."""

from __future__ import annotations

import itertools
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

import httpx

from bench.growth.ledger_rows import START, document_id
from towpath.bootstrap.runtime import Runtime
from towpath.ledger.contract.ledger import ClaimRequest

#: An operation is given the number of its repetition.
Operation = Callable[[int], Awaitable[object]]


@dataclass(slots=True)
class Operations:
    """Operations on a library of ``count`` documents. Deletes take documents from the end, each once."""

    runtime: Runtime
    http: httpx.AsyncClient
    count: int
    _texts: itertools.count[int] = field(default_factory=itertools.count)
    _deleted: itertools.count[int] = field(default_factory=lambda: itertools.count(1))

    def all(self) -> Mapping[str, Operation]:
        names = {
            "list, one page": "/documents?limit=50",
            "list, a collection": "/documents?limit=50&collection=collection+7",
            "list, by name": "/documents?limit=50&sort=name",
            "counts of filters": "/documents/facets",
            "changes": "/changes",
            "runs, one page": "/runs",
            "jobs, one page": "/jobs",
            "look up by name": "/lookup?text=note+1234",
            "operations": "/operations",
            "operations of 14 days": "/operations/history",
            "metrics": "/metrics",
        }
        return {
            **{name: self._get(path) for name, path in names.items()},
            "status of 50": self._statuses,
            "one document": self._document,
            "submit": self._submit,
            "claim": self._claim,
            "sweep": self._sweep,
            "delete": self._delete,
            "prune, nothing to remove": self._prune,
        }

    def _get(self, path: str) -> Operation:
        async def get(_: int) -> None:
            (await self.http.get(path)).raise_for_status()

        return get

    async def _statuses(self, repetition: int) -> None:
        first = (repetition * 7_919) % (self.count - 50)
        ids = ",".join(document_id(number) for number in range(first, first + 50))
        (await self.http.get("/documents/status", params={"ids": ids})).raise_for_status()

    async def _document(self, repetition: int) -> None:
        path = f"/documents/{document_id((repetition * 7_919) % (self.count // 2))}"
        (await self.http.get(path)).raise_for_status()

    async def _submit(self, _: int) -> None:
        text = f"Note {self.count} {next(self._texts)} {time.monotonic_ns()}".encode()
        (await self.http.post("/documents", files={"file": ("note.txt", text)})).raise_for_status()

    async def _claim(self, _: int) -> None:
        request = ClaimRequest("growth", limit=1, lease_seconds=3600)
        await self.runtime.services.ledger.claim(request, datetime.now(UTC))

    async def _sweep(self, _: int) -> None:
        await self.runtime.services.ledger.sweep(datetime.now(UTC))

    async def _delete(self, _: int) -> None:
        path = f"/documents/{document_id(self.count - next(self._deleted))}"
        (await self.http.delete(path)).raise_for_status()

    async def _prune(self, _: int) -> None:
        """Remove runs from before the first document."""
        await self.runtime.services.ledger.prune("runs", START - timedelta(days=1))
