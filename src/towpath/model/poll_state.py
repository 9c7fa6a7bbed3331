"""How long and how often a job has polled a provider, and for which operation: kept in the job's payload.

Any worker can continue the wait: the payload says since when the job waits, which operation it polls and how often
it has polled.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import cast

from towpath.model.json_types import Json

_POLLS, _SINCE, _RUN, _OPERATION = "polls", "waiting_since", "waiting_run", "operation"
#: The operation under its name in version 0.1.0: `{"operation": id, "since": time}`.
_OPERATION_IN_0_1_0 = "asking"

#: The keys with their types and meanings, for the reference page.
ARGUMENTS: Mapping[str, tuple[type, str]] = {
    _POLLS: (int, "How many times the provider was polled, or was busy."),
    _SINCE: (str, "When the wait began, as ISO 8601."),
    _RUN: (str, "The run in which the wait began; another run starts a new wait."),
    _OPERATION: (dict, "The `id` of the polled operation, and the time of its first poll (`since`)."),
}


@dataclass(frozen=True, slots=True)
class PollLimits:
    """Limits of polling one provider operation; separate from the attempts of the stage."""

    seconds: float
    polls: int
    #: Minimum delay of the first poll, in seconds.
    first: float = 5.0
    #: Seconds between two polls, the first one included; None lets the provider or a growing delay decide.
    interval: float | None = None
    #: The settings that set the two limits, for messages.
    seconds_setting: str = "transcript_timeout_seconds"
    polls_setting: str = "transcript_max_polls"


@dataclass(frozen=True, slots=True)
class PollState:
    """When the wait began and in which run, how many polls were made, and of which operation."""

    since: datetime
    run_id: str
    polls: int = 0
    #: Whether the payload already had a wait, of this run or of an earlier one.
    resumed: bool = False
    operation_id: str | None = None
    #: The first poll of this operation in this run.
    operation_since: datetime | None = None

    @staticmethod
    def read(payload: Json, run_id: str, now: datetime) -> PollState:
        """The state in the payload. A new run starts a new wait with all of its limits."""
        operation_id, operation_since = _operation(payload)
        # Version 0.1.0 stored no run with a polled operation.
        same_run = payload.get(_RUN, run_id) == run_id
        begun = payload.get(_SINCE) or (operation_since and operation_since.isoformat())
        if begun is None or not same_run:
            return PollState(now, run_id, resumed=begun is not None)
        polls = int(cast("int", payload.get(_POLLS, 0)))
        since = datetime.fromisoformat(str(begun))
        return PollState(since, run_id, polls, True, operation_id, operation_since)

    def increment(self) -> PollState:
        return replace(self, polls=self.polls + 1)

    def of_operation(self, operation_id: str, now: datetime) -> PollState:
        """The state of polling this operation; a new operation is timed from ``now``."""
        if self.operation_id == operation_id and self.operation_since is not None:
            return self
        return replace(self, operation_id=operation_id, operation_since=now)

    def write(self, payload: Json) -> Json:
        """The payload with this state; arguments that do not belong to the wait are kept."""
        others = {name: payload[name] for name in payload if name not in (_OPERATION, _OPERATION_IN_0_1_0)}
        state: Json = {_SINCE: self.since.isoformat(), _RUN: self.run_id, _POLLS: self.polls}
        if self.operation_id is None or self.operation_since is None:
            return {**others, **state}
        operation = {"id": self.operation_id, "since": self.operation_since.isoformat()}
        return {**others, **state, _OPERATION: operation}

    def exhausted_after(self, now: datetime, limits: PollLimits) -> str | None:
        """None within the limits; otherwise time, polls and the setting that ended the wait, as text for people."""
        waited = (now - self.since).total_seconds()
        if waited >= limits.seconds:
            limit = f"{limits.seconds_setting} = {limits.seconds:g}"
        elif self.polls >= limits.polls:
            limit = f"{limits.polls_setting} = {limits.polls}"
        else:
            return None
        return f"{waited:.0f} seconds and {self.polls} polls ({limit})"


def _operation(payload: Json) -> tuple[str | None, datetime | None]:
    """The polled operation and the time of its first poll."""
    stored = cast("dict[str, str]", payload.get(_OPERATION) or {})
    old = cast("dict[str, str]", payload.get(_OPERATION_IN_0_1_0) or {})
    operation_id, since = stored.get("id") or old.get("operation"), stored.get("since") or old.get("since")
    return operation_id, None if since is None else datetime.fromisoformat(since)
