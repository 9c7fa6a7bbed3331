"""The contract of a stage: an async function that takes a Context and returns an outcome.

A stage uses its Context and the capabilities that it was bound to; never the ledger, the queue or a vendor's SDK.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from towpath.model.job import ProgressUnit
from towpath.model.json_types import Json
from towpath.model.outcome import Outcome, Suspend
from towpath.model.provider_answer import Answer, Pending
from towpath.model.writes import Write

#: Seconds after which a running operation is given up, unless its stage has its own limits.
MAX_OPERATION_SECONDS = 86_400.0


class SuspendStage(Exception):
    """Raised inside a stage to end it with the outcome Suspend."""

    def __init__(self, suspend: Suspend) -> None:
        super().__init__(suspend.detail or suspend.reason)
        self.suspend = suspend


@dataclass(frozen=True, slots=True)
class ProviderCall:
    """Identity of a provider call: provider, model, parameters and input hash form the cache key."""

    provider: str
    model: str
    parameters: Mapping[str, str]
    input_hash: str
    """A hash of the input, or the input itself if it is short."""
    tokens: int = 0
    """Estimated number of tokens, for rate limits; not part of the cache key."""
    as_blob: bool = False
    """Whether an answer above 8 kB is stored as a blob, so that a stage can refer to it."""
    is_brief: bool = False
    """Whether this machine makes the call, at no cost and for a small input: no intent is stored before it, and its
    answer is stored with the result of the stage. A crash before that repeats it."""
    is_new: bool = False
    """Whether its input was made a moment ago, so that no stored answer is looked for before a brief call."""


class Context(Protocol):
    """The running job, as its stage sees it."""

    @property
    def org_id(self) -> str: ...
    @property
    def document_id(self) -> str: ...
    @property
    def run_id(self) -> str: ...
    @property
    def stage(self) -> str: ...
    @property
    def payload(self) -> Json: ...
    @property
    def options(self) -> Json: ...
    @property
    def results(self) -> Mapping[str, Json]:
        """The results of the stages before this one, by name."""
        ...

    @property
    def last_attempt(self) -> bool:
        """Whether the run fails if this stage fails once more."""
        ...

    def now(self) -> datetime: ...

    def password(self) -> str | None:
        """The password for the document that the run was given, until `extract` has ended."""
        ...

    async def progress(self, done: int, total: int, unit: ProgressUnit) -> None:
        """Report the progress of the stage; may be called often."""
        ...

    async def write(self, *writes: Write) -> None:
        """Write now instead of with the checkpoint. The writes must be idempotent."""
        ...

    def check_lease(self) -> None:
        """Raise LeaseLost if this worker may no longer write or start calls."""
        ...

    async def call_once(self, call: ProviderCall, make: Callable[[], Awaitable[Answer]]) -> Answer:
        """The cached answer of the call; if there is none, make the call and cache its answer."""
        ...

    async def answered(self, calls: Sequence[ProviderCall]) -> list[bool]:
        """Which of the calls have a cached answer."""
        ...

    async def batch_limit(self, provider: str, endpoint: str) -> int | None:
        """The number of inputs per request that this server accepts; None if no limit is stored or it has expired."""
        ...

    async def save_batch_limit(self, provider: str, endpoint: str, inputs: int) -> None:
        """Store the number of inputs that the server accepted after it had refused more."""
        ...

    async def published_vectors(self, model: str) -> Mapping[str, Sequence[float]]:
        """The vectors of this model of the document's published chunks, by chunk id."""
        ...

    async def start_once(self, call: ProviderCall, start: Callable[[], Awaitable[str]]) -> str | None:
        """Start a long-running operation unless it was started; returns its id, or None if its answer is cached."""
        ...

    async def run_operation(
        self,
        call: ProviderCall,
        start: Callable[[], Awaitable[str]],
        poll: Callable[[str], Awaitable[Pending | Answer]],
        *,
        max_seconds: float | None = MAX_OPERATION_SECONDS,
    ) -> Answer:
        """The answer of a long-running operation, which is started once and then polled by suspending the job.

        An operation that runs longer than ``max_seconds`` is given up, and the next attempt starts a new one;
        None leaves this decision to the stage.
        """
        ...


Stage = Callable[[Context], Awaitable[Outcome]]
