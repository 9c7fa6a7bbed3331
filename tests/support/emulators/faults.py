"""Faults to order: what the next requests to an emulator shall suffer, asked for by a test.

``status``   an error answer in the vendor's own words, before anything is billed
``drop``     the connection is cut without an answer; by default after the request was billed
``hang``     no answer for ``seconds``; by default after the request was billed
``slow``     the answer is right but takes ``seconds``
``running``  a poll finds the operation still at work, whatever its age
``expired``  a poll finds that the operation has been forgotten
``failed``   a poll finds that the operation has ended without a result, in ``state``
``shuffle``  a list of results comes in another order than it was asked for
``refuse``   the model declines to answer

``times`` says how many requests are met; -1 means all of them until the next reset.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal, get_args

Kind = Literal["status", "drop", "hang", "slow", "running", "expired", "failed", "shuffle", "refuse"]
SILENT_KINDS: frozenset[Kind] = frozenset(("drop", "hang"))


@dataclass(slots=True)
class Fault:
    """One order: which verb it meets (``*`` for any), what happens, and how often."""

    on: str
    kind: Kind
    times: int = 1
    status: int = 500
    code: str | None = None
    message: str | None = None
    state: str = "failed"
    retry_after: float | None = None
    seconds: float = 3600.0
    billed: bool = True

    def __post_init__(self) -> None:
        if self.kind not in get_args(Kind):
            raise ValueError(f"No fault is called {self.kind!r}; there are {', '.join(get_args(Kind))}.")


class Faults:
    """The orders not yet carried out, oldest first."""

    def __init__(self) -> None:
        self._waiting: list[Fault] = []

    def add(self, fault: Fault) -> None:
        self._waiting.append(fault)

    def take(self, verb: str) -> Fault | None:
        """The oldest order that meets this verb; it is used up by one."""
        for fault in self._waiting:
            if fault.on in (verb, "*"):
                if fault.times > 0:
                    fault.times -= 1
                    if fault.times == 0:
                        self._waiting.remove(fault)
                return fault
        return None

    def clear(self) -> None:
        self._waiting.clear()

    def as_json(self) -> list[dict[str, Any]]:
        return [asdict(fault) for fault in self._waiting]
