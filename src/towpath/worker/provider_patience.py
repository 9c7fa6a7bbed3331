"""Decides how long a job waits for a provider that throttles or refuses, and logs the wait once a minute."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from towpath.ledger.contract.settlements import Fail, Suspended
from towpath.model.job import ClaimedJob, WaitingReason
from towpath.model.provider_wait import REASONS, ProviderWait, without_wait
from towpath.model.run import FailureType

_FAILURE = {
    WaitingReason.PROVIDER_THROTTLED: FailureType.PROVIDER_UNAVAILABLE,
    WaitingReason.PROVIDER_REFUSED: FailureType.PROVIDER_REFUSED,
}
_PROBLEM = {
    WaitingReason.PROVIDER_THROTTLED: "limits the rate",
    WaitingReason.PROVIDER_REFUSED: "refuses the account",
}
_TIME = "%Y-%m-%dT%H:%M:%SZ"


@dataclass(frozen=True, slots=True)
class ProviderPatience:
    """Seconds for which a job waits for a provider before its run fails."""

    seconds: float = 86_400.0
    by_provider: Mapping[str, float] = field(default_factory=dict[str, float])

    def of(self, provider: str) -> float:
        return self.by_provider.get(provider, self.seconds)

    def settle(
        self, job: ClaimedJob, suspended: Suspended, now: datetime, *, answered: bool
    ) -> Suspended | Fail:
        """The settlement with the wait in its payload, and a line for the error log; Fail when patience is used up.

        ``answered``: the provider answered a call of this job since it was claimed, so that a new wait begins.
        """
        payload = job.payload if suspended.payload is None else suspended.payload
        before = ProviderWait.read(payload)
        if suspended.reason not in REASONS or suspended.provider is None:
            if before is None or not answered:
                return suspended
            return replace(suspended, payload=without_wait(payload))
        wait = ProviderWait(suspended.provider, suspended.reason, job.run_id, now, None, suspended.detail)
        if before is not None and before.continues(wait) and not answered:
            logged_at = before.logged_at if before.is_logged(now, wait.reason) else None
            wait = replace(wait, since=before.since, logged_at=logged_at)
        end = wait.since + timedelta(seconds=self.of(wait.provider))
        if now >= end:
            return self._give_up(job, wait, now)
        until = min(suspended.until, end)
        line = None
        if wait.logged_at is None:
            wait = wait.logged(now)
            line = f"{_problem(wait)}; next call at {until:{_TIME}}. {wait.detail or ''}".strip()
        return replace(suspended, until=until, payload=wait.write(payload), log_line=line)

    def _give_up(self, job: ClaimedJob, wait: ProviderWait, now: datetime) -> Fail:
        waited = (now - wait.since).total_seconds()
        error = (
            f"{_problem(wait)} since {wait.since:{_TIME}}; the run was given up after {waited:.0f} seconds "
            "(provider_patience_seconds). Retry it when the provider answers again. "
            f"{wait.detail or ''}"
        )
        return Fail(job.lease, error.strip(), now, final=True, failure_type=_FAILURE[wait.reason])


def _problem(wait: ProviderWait) -> str:
    return f"{wait.provider} {_PROBLEM[wait.reason]}"
