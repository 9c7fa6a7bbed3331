"""The moments at which workers are killed and stopped, and what the ledger must say afterwards."""

from __future__ import annotations

from dataclasses import dataclass

#: Each lane is a pipeline of its own with these stages; its behaviour lies in the first one.
STEPS = ("one", "two", "three")


@dataclass(frozen=True, slots=True)
class Peril:
    """Something happens to a worker before or after the n-th use of a verb."""

    moment: str
    verb: str
    behaviour: str = "plain"
    nth: int = 1
    #: What a kill at this moment costs, on whichever stage it hits.
    crashes: int = 1
    attempts: int = 1
    #: Calls that the provider receives, and open windows that the ledger must count.
    calls: int = 0
    reopened: int = 0
    kind: str = "kill"

    @property
    def lane(self) -> str:
        return f"{self.kind}-{self.moment}-{self.verb}"

    @property
    def stages(self) -> tuple[str, ...]:
        return tuple(f"{self.lane}/{step}" for step in STEPS)

    @property
    def strike(self) -> str:
        return f"{self.moment}:{self.verb}:{self.nth}"


KILLS = (
    Peril("before", "claim", crashes=0, attempts=0),
    Peril("after", "claim"),
    Peril("before", "heartbeat", "linger"),
    Peril("after", "heartbeat", "linger"),
    Peril("before", "progress"),
    Peril("after", "progress"),
    Peril("before", "advance"),
    Peril("after", "advance"),
    Peril("before", "finish"),
    Peril("after", "finish", crashes=0, attempts=0),
    Peril("before", "fail", "stumble"),
    Peril("after", "fail", "stumble", crashes=0, attempts=1),
    Peril("before", "suspend", "rest"),
    Peril("after", "suspend", "rest", crashes=0, attempts=0),
    Peril("before", "release", "linger"),
    Peril("after", "release", "linger", crashes=0, attempts=0),
    # A call that was begun and not answered may have been paid for: the ledger cannot know, and counts it.
    Peril("before", "call_begin", "pay", calls=1),
    Peril("after", "call_begin", "pay", calls=1, reopened=1),
    # Once the operation is waited for, the stage has come on: its crash is forgiven.
    Peril("before", "call_operation", "operate", crashes=0, calls=2, reopened=1),
    Peril("after", "call_operation", "operate", crashes=0, calls=1),
    Peril("before", "call_answer", "pay", calls=2, reopened=1),
    Peril("after", "call_answer", "pay", calls=1),
    # The second sweep, so that the worker holds a job when it dies.
    Peril("before", "sweep", "linger", nth=2),
    Peril("after", "sweep", "linger", nth=2),
)

#: A worker stopped just before a verb has passed every check of its own: only the ledger can refuse it.
ZOMBIES = (
    Peril("before", "heartbeat", "linger", kind="zombie"),
    Peril("before", "progress", kind="zombie"),
    Peril("before", "advance", kind="zombie"),
    Peril("before", "finish", kind="zombie"),
    Peril("before", "fail", "stumble", kind="zombie"),
    Peril("before", "suspend", "rest", kind="zombie"),
    Peril("before", "call_begin", "pay", kind="zombie", calls=1),
    Peril("before", "call_operation", "operate", kind="zombie", crashes=0, calls=2, reopened=1),
    Peril("before", "call_answer", "pay", kind="zombie", calls=2, reopened=1),
)
