"""The faults that a test orders for the next requests to an emulator.

``status``   an error answer of the vendor, before anything is billed
``drop``     the connection is cut without an answer; by default after the request was billed
``hang``     no answer for ``seconds``; by default after the request was billed
``slow``     the answer is correct but takes ``seconds``
``running``  a poll finds the operation still running
``expired``  a poll finds that the operation has expired
``failed``   a poll finds that the operation has ended without a result, in ``state``
``shuffle``  a list of results has another order than the request
``refuse``   the model refuses to answer
``invent``   the model cites words that no passage has, and passages that do not exist
``cut``      the stream of an answer ends in the middle, after it was billed
``whole``    the answer is sent whole although a stream was asked for

``times`` is the number of requests affected; -1 means all until the next reset.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal, get_args

Kind = Literal[
    "status",
    "drop",
    "hang",
    "slow",
    "running",
    "expired",
    "failed",
    "shuffle",
    "refuse",
    "invent",
    "cut",
    "whole",
]
SILENT_KINDS: frozenset[Kind] = frozenset(("drop", "hang"))


@dataclass(slots=True)
class Fault:
    """A fault: the verb it affects (``*`` for any), its kind, and how often it happens."""

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
            raise ValueError(f"Unknown fault {self.kind!r}. Known faults: {', '.join(get_args(Kind))}.")


class Faults:
    """The pending faults, oldest first."""

    def __init__(self) -> None:
        self._pending: list[Fault] = []

    def add(self, fault: Fault) -> None:
        self._pending.append(fault)

    def take(self, verb: str) -> Fault | None:
        """Take the oldest fault for this verb and decrement its count."""
        for fault in self._pending:
            if fault.on in (verb, "*"):
                if fault.times > 0:
                    fault.times -= 1
                    if fault.times == 0:
                        self._pending.remove(fault)
                return fault
        return None

    def clear(self) -> None:
        self._pending.clear()

    def as_json(self) -> list[dict[str, Any]]:
        return [asdict(fault) for fault in self._pending]
