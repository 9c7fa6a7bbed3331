"""How long an answer has been waited for, kept in the job's payload so that any worker can count on."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from typing import cast

from towpath.stages.call_capabilities import Patience
from towpath.stages.contract import Context


@dataclass(frozen=True, slots=True)
class Waiting:
    """Since when, in which run, and how often it was asked."""

    since: datetime
    run_id: str
    asked: int = 0
    #: Whether this is the continuation of a wait, in this run or in one before it.
    begun: bool = False

    @staticmethod
    def of(context: Context) -> Waiting:
        """What the payload says. A new run is a new wait: somebody asked for it, or the server was away."""
        payload = context.payload
        begun = "waiting_since" in payload
        if begun and payload.get("waiting_run") == context.run_id:
            since = datetime.fromisoformat(str(payload["waiting_since"]))
            return Waiting(since, context.run_id, int(cast("int", payload.get("polls", 0))), begun=True)
        return Waiting(context.now(), context.run_id, begun=begun)

    def once_more(self) -> Waiting:
        return replace(self, asked=self.asked + 1)

    def payload(self) -> dict[str, object]:
        return {
            "waiting_since": self.since.isoformat(),
            "waiting_run": self.run_id,
            "polls": self.asked,
        }

    def exhausted(self, now: datetime, patience: Patience) -> str | None:
        """In words how much was waited, once that is more than patience allows."""
        waited = (now - self.since).total_seconds()
        if waited < patience.seconds and self.asked < patience.polls:
            return None
        return f"{waited:.0f} seconds and {self.asked} questions"
