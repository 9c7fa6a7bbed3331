"""The context of a running job: what a stage may read and do."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from towpath.clock import Clock
from towpath.ledger.contract.ledger import Ledger
from towpath.model.job import ClaimedJob, Progress, ProgressUnit
from towpath.model.json_types import Json
from towpath.model.provider_answer import Answer, Pending
from towpath.model.writes import Write
from towpath.stages.contract import MAX_OPERATION_SECONDS, ProviderCall
from towpath.worker.heartbeat import HeldLease
from towpath.worker.provider_calls import ProviderCallCache

#: Seconds from the start of a stage to its first progress write, and between two of them. The last progress is
#: written with the completion of the stage, so that a short stage writes nothing more.
PROGRESS_INTERVAL = 1.0


#: Opens the sealed password of a run of the given document.
Unseal = Callable[[str, str], str]


class CheckpointNeeded(Exception):
    """The stages before this one have to be settled first: it writes about its job, which is not stored yet."""


@dataclass(slots=True)
class JobContext:
    """The Context of a running job. Every method that writes or calls a provider checks the lease first."""

    job: ClaimedJob
    held: HeldLease
    ledger: Ledger
    clock: Clock
    provider_calls: ProviderCallCache
    progress_interval: float = PROGRESS_INTERVAL
    last_progress: Progress | None = None
    unseal: Unseal | None = None
    _started_at: float = field(default_factory=time.monotonic)
    _next_progress: float = 0.0

    @property
    def org_id(self) -> str:
        return self.job.org_id

    @property
    def document_id(self) -> str:
        return self.job.document_id

    @property
    def run_id(self) -> str:
        return self.job.run_id

    @property
    def stage(self) -> str:
        return self.job.stage

    @property
    def payload(self) -> Json:
        return self.job.payload

    @property
    def options(self) -> Json:
        return self.job.options

    @property
    def results(self) -> Mapping[str, Json]:
        return self.job.results

    @property
    def last_attempt(self) -> bool:
        return self.job.attempts + 1 >= self.job.max_attempts

    def now(self) -> datetime:
        return self.clock.now()

    def password(self) -> str | None:
        sealed = self.job.sealed_password
        if sealed is None or self.unseal is None:
            return None
        return self.unseal(sealed, self.document_id)

    def check_lease(self) -> None:
        self.held.check()

    async def progress(self, done: int, total: int, unit: ProgressUnit) -> None:
        self.held.check()
        self.last_progress = Progress(done, total, unit)
        now = time.monotonic()
        if not self._has_row or now < max(self._next_progress, self._started_at + self.progress_interval):
            return
        self._next_progress = now + self.progress_interval
        await self.ledger.progress(self.held.lease, self.last_progress, self.clock.now())

    @property
    def _has_row(self) -> bool:
        """Whether the job is stored: not before the completion of the stage before it is settled."""
        return self.job.lease.job_id == self.held.lease.job_id

    def _require_row(self) -> None:
        """Raise CheckpointNeeded if the job is not stored: it writes now, or asks what it needs for a long call."""
        if not self._has_row:
            raise CheckpointNeeded

    async def write(self, *writes: Write) -> None:
        self._require_row()
        self.held.check()
        await self.ledger.write(self.held.lease, writes)

    async def call_once(self, call: ProviderCall, make: Callable[[], Awaitable[Answer]]) -> Answer:
        if not call.is_brief:
            self._require_row()
        return await self.provider_calls.call_once(call, make)

    async def answered(self, calls: Sequence[ProviderCall]) -> list[bool]:
        self._require_row()
        return await self.provider_calls.answered(calls)

    async def batch_limit(self, provider: str, endpoint: str) -> int | None:
        self._require_row()
        return await self.ledger.batch_limit(provider, endpoint, self.clock.now())

    async def save_batch_limit(self, provider: str, endpoint: str, inputs: int) -> None:
        self.held.check()
        await self.ledger.save_batch_limit(provider, endpoint, inputs, self.clock.now())

    async def published_vectors(self, model: str) -> Mapping[str, Sequence[float]]:
        return await self.ledger.published_vectors(self.document_id, model, org_id=self.org_id)

    async def start_once(self, call: ProviderCall, start: Callable[[], Awaitable[str]]) -> str | None:
        self._require_row()
        return await self.provider_calls.start_once(call, start)

    async def run_operation(
        self,
        call: ProviderCall,
        start: Callable[[], Awaitable[str]],
        poll: Callable[[str], Awaitable[Pending | Answer]],
        *,
        max_seconds: float | None = MAX_OPERATION_SECONDS,
    ) -> Answer:
        self._require_row()
        return await self.provider_calls.run_operation(call, start, poll, max_seconds)
