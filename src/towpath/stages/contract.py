"""What a stage is: a plain async function from what is known so far to an outcome.

A stage sees this Context and the capabilities it was bound to; never the ledger, the queue or a vendor.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from towpath.model.work import Json, Outcome, Suspend
from towpath.model.writes import Write
from towpath.providers.contract import Answer, Pending


class Postpone(Exception):
    """Raised from deep inside a stage to answer Suspend without unwinding by hand."""

    def __init__(self, suspend: Suspend) -> None:
        super().__init__(suspend.waiting_for)
        self.suspend = suspend


@dataclass(frozen=True, slots=True)
class PaidCall:
    """What identifies a call: the same four give the same answer, so it is made once."""

    provider: str
    model: str
    parameters: Mapping[str, str]
    content: str
    """A hash of the input, or the input itself where it is short."""
    tokens: int = 0
    """About how many tokens it is, for providers that limit them; no part of what identifies it."""


class Context(Protocol):
    """The job in hand, as its stage sees it."""

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
    def known(self) -> Mapping[str, Json]:
        """The results of the stages before this one, by name."""
        ...

    @property
    def last_attempt(self) -> bool:
        """Whether the run fails if this stage fails once more."""
        ...

    def now(self) -> datetime: ...

    async def progress(self, done: int, total: int) -> None:
        """Say how far the stage has come; cheap to call often."""
        ...

    async def write(self, *writes: Write) -> None:
        """Write now and not with the checkpoint: a part of much that may be written again."""
        ...

    def check(self) -> None:
        """Raise LeaseLost when this worker may no longer write or start calls."""
        ...

    async def once(self, call: PaidCall, make: Callable[[], Awaitable[Answer]]) -> Answer:
        """The answer of a paid call: remembered if it was ever made, otherwise made and remembered."""
        ...

    async def started(self, call: PaidCall, start: Callable[[], Awaitable[str]]) -> str | None:
        """The id of a long-running operation, started now if it never was; None where it is answered."""
        ...

    async def operation(
        self,
        call: PaidCall,
        start: Callable[[], Awaitable[str]],
        poll: Callable[[str], Awaitable[Pending | Answer]],
    ) -> Answer:
        """The answer of a long-running operation: started once, then polled by suspending."""
        ...


Stage = Callable[[Context], Awaitable[Outcome]]
