"""The fault points at which workers are killed or stopped, and the expected rows in the ledger afterwards."""

from __future__ import annotations

from dataclasses import dataclass

#: Each lane is a separate pipeline with these stages; the first stage has the behaviour of the lane.
STAGE_NAMES = ("one", "two", "three")


@dataclass(frozen=True, slots=True)
class FaultPoint:
    """A kill or stop of a worker before or after its n-th use of a ledger verb."""

    moment: str
    verb: str
    behaviour: str = "plain"
    nth: int = 1
    #: Expected jobs that are suspects, and used attempts. A death of a worker uses no attempt.
    suspects: int = 1
    attempts: int = 0
    #: Expected calls at the provider, and expected ``repeated`` counts in the ledger.
    calls: int = 0
    repeated: int = 0
    kind: str = "kill"

    @property
    def lane(self) -> str:
        return f"{self.kind}-{self.moment}-{self.verb}"

    @property
    def stages(self) -> tuple[str, ...]:
        return tuple(f"{self.lane}/{step}" for step in STAGE_NAMES)

    @property
    def point(self) -> str:
        return f"{self.moment}:{self.verb}:{self.nth}"


KILLS = (
    FaultPoint("before", "claim", suspects=0),
    FaultPoint("after", "claim"),
    FaultPoint("before", "heartbeat", "wait_forever"),
    FaultPoint("after", "heartbeat", "wait_forever"),
    FaultPoint("before", "progress"),
    FaultPoint("after", "progress"),
    FaultPoint("before", "advance"),
    FaultPoint("after", "advance"),
    FaultPoint("before", "finish"),
    FaultPoint("after", "finish", suspects=0),
    FaultPoint("before", "fail", "fail_once"),
    FaultPoint("after", "fail", "fail_once", suspects=0, attempts=1),
    FaultPoint("before", "suspend", "suspend_once"),
    FaultPoint("after", "suspend", "suspend_once", suspects=0),
    FaultPoint("before", "release", "wait_forever"),
    FaultPoint("after", "release", "wait_forever", suspects=0),
    # A call that was begun and not answered may have been paid for: the ledger counts it as repeated.
    FaultPoint("before", "begin_call", "pay", calls=1),
    FaultPoint("after", "begin_call", "pay", calls=1, repeated=1),
    # A stage that waits for its operation has made progress: it is no suspect any more.
    FaultPoint("before", "save_operation_id", "operate", suspects=0, calls=2, repeated=1),
    FaultPoint("after", "save_operation_id", "operate", suspects=0, calls=1),
    FaultPoint("before", "save_answer", "pay", calls=2, repeated=1),
    FaultPoint("after", "save_answer", "pay", calls=1),
    # The second sweep, so that the worker holds a job when it dies.
    FaultPoint("before", "sweep", "wait_forever", nth=2),
    FaultPoint("after", "sweep", "wait_forever", nth=2),
)

#: A worker stopped just before a verb has passed its own lease check: only the ledger can refuse the write.
ZOMBIES = (
    FaultPoint("before", "heartbeat", "wait_forever", kind="zombie"),
    FaultPoint("before", "progress", kind="zombie"),
    FaultPoint("before", "advance", kind="zombie"),
    FaultPoint("before", "finish", kind="zombie"),
    FaultPoint("before", "fail", "fail_once", kind="zombie"),
    FaultPoint("before", "suspend", "suspend_once", kind="zombie"),
    FaultPoint("before", "begin_call", "pay", kind="zombie", calls=1),
    FaultPoint("before", "save_operation_id", "operate", kind="zombie", suspects=0, calls=2, repeated=1),
    FaultPoint("before", "save_answer", "pay", kind="zombie", calls=2, repeated=1),
)
