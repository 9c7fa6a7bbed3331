"""The settings of a worker: concurrency, lease, polling, sweeping and shutdown times."""

from __future__ import annotations

from dataclasses import dataclass, field

from towpath.model.json_types import Json


@dataclass(frozen=True, slots=True)
class WorkerSettings:
    """How many jobs a worker runs at once, which stages it serves, and its times in seconds."""

    concurrency: int = 8
    lease_seconds: float = 30.0
    heartbeat_seconds: float = 10.0
    #: Pause between two claims while there is work now and then.
    poll_seconds: float = 1.0
    #: Poll exactly every ``poll_seconds``, also after many claims without jobs.
    fixed_poll: bool = False
    #: Longest pause between two claims of an idle worker without, and with, a working notifier.
    idle_seconds: float = 2.5
    idle_seconds_with_notifier: float = 5.0
    sweep_limit: int = 100
    #: How long running jobs may go on after `Worker.stop`, before they are released.
    grace_seconds: float = 5.0
    #: Shortest pause between two follow-ups while runs are active.
    follow_up_pause: float = 30.0
    #: No other worker can exist, because this process holds the data folder: leases do not expire while it lives.
    sole_worker: bool = False
    #: The stages to serve; None serves every stage.
    stages: tuple[str, ...] | None = None
    #: The settings that should be the same in every process; registered with the worker.
    shared: Json = field(default_factory=dict[str, object])
