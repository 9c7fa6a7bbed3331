"""Limits the calls to each provider, over all workers: concurrency, rate limits and throttling.

A provider that throttles one call is throttled for all workers; other providers are not affected. A job whose call
is not allowed now is suspended until a given time: it holds no worker slot and uses up no attempt. The times of
suspended jobs are spread, so that they do not all return at the moment the throttling ends.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta

from towpath.clock import Clock
from towpath.errors import AccountRefused, DatabaseUnavailable, Throttled
from towpath.ledger.contract.ledger import Ledger
from towpath.ledger.contract.throttling import NEVER_CHANGED
from towpath.lifecycle.rate_limit import Limits, TokenBucket
from towpath.model.ids import new_id
from towpath.model.job import WaitingReason
from towpath.model.outcome import Suspend
from towpath.stages.contract import SuspendStage
from towpath.worker.pause_check import PauseCheck

log = logging.getLogger(__name__)

#: How old the state read from the ledger may be: throttling by another worker is noticed within this time.
REFRESH_INTERVAL = timedelta(seconds=1)
#: After this time every other worker has noticed a new one and uses a smaller share.
SHARES_SETTLED = 2 * REFRESH_INTERVAL
#: Minimum spacing between the retry times of jobs that one worker suspends.
MIN_SPACING = timedelta(seconds=0.05)
#: A job is suspended for at most this many seconds because of a concurrency or rate limit.
MAX_WAIT_SECONDS = 600.0


@dataclass(frozen=True, slots=True)
class BackoffSettings:
    """How long a provider is throttled when it gives no Retry-After, in seconds."""

    throttled: float = 15.0
    longest_throttled: float = 300.0
    #: Pause after the account was refused. None fails the run at once: with a deadline, waiting would hide the reason.
    refused: float | None = 300.0
    #: Whether a throttled call is a failed attempt. If not, its job is suspended and uses up no attempt.
    throttle_uses_attempt: bool = False


class ProviderState:
    """One provider as this worker knows it: throttling, this worker's share of the limits, running calls."""

    def __init__(self, limits: Limits, now: datetime) -> None:
        self.limits = limits
        self.throttled_until = now
        self.reason = WaitingReason.PROVIDER_THROTTLED
        self.detail = ""
        #: When throttling last began or ended; an older state from the ledger is ignored.
        self.changed_at = NEVER_CHANGED
        self.refreshed_at: datetime | None = None
        self.refresh_lock = asyncio.Lock()
        self.active_calls = 0
        self.throttle_count = 0
        self.throttle_counted_at = now
        self.ready_at = now
        self._share = limits
        self._requests = _token_bucket(limits.requests_per_minute, now)
        self._tokens = _token_bucket(limits.tokens_per_minute, now)
        self._last_slot = now
        #: Moving average of the duration of a call: jobs that wait for a free call return at this rate.
        self._call_seconds = 1.0

    def resize(self, share: Limits, now: datetime) -> None:
        self._share = share
        for bucket, per_minute in (
            (self._requests, share.requests_per_minute),
            (self._tokens, share.tokens_per_minute),
        ):
            if bucket is not None and per_minute is not None:
                bucket.resize(per_minute, now)

    def blocking_limit(self, requests: int, tokens: int, now: datetime) -> tuple[float, float] | None:
        """Seconds until a used-up limit allows the call, and the spacing of retries in seconds; None if allowed now."""
        max_calls = self._share.concurrency
        if max_calls is not None and self.active_calls >= max_calls:
            pace = self._call_seconds / max(1, max_calls)
            return pace, pace
        for bucket, amount in ((self._requests, requests), (self._tokens, tokens)):
            if bucket is not None and amount and (wait := bucket.wait(amount, now)):
                return wait, bucket.seconds_for(amount)
        return None

    def enter(self, requests: int, tokens: int) -> None:
        self.active_calls += 1
        for bucket, amount in ((self._requests, requests), (self._tokens, tokens)):
            if bucket is not None:
                bucket.take(amount)

    def leave(self, seconds: float) -> None:
        self.active_calls -= 1
        self._call_seconds += 0.2 * (max(0.01, seconds) - self._call_seconds)

    def reserve_slot(self, earliest: datetime, spacing: timedelta) -> datetime:
        """The retry time of the next suspended job: ``earliest``, or ``spacing`` after the previous one."""
        self._last_slot = max(self._last_slot + max(spacing, MIN_SPACING), earliest)
        return self._last_slot


class ProviderLimiter:
    """Admits or suspends provider calls: the only place that decides what follows from Throttled.

    A provider without ``limits`` is taken for local: the ledger is not read for it until it throttles this worker.
    """

    def __init__(
        self,
        ledger: Ledger,
        clock: Clock,
        limits: Mapping[str, Limits],
        backoff: BackoffSettings | None = None,
        pauses: PauseCheck | None = None,
    ) -> None:
        self._pauses = pauses
        self._ledger = ledger
        self._clock = clock
        self._backoff = backoff or BackoffSettings()
        self._user_id = new_id()
        self._states = {provider: ProviderState(limit, clock.now()) for provider, limit in limits.items()}
        #: The providers whose state is read from the ledger.
        self._remote = set(limits)

    async def acquire(
        self, provider: str, *, requests: int = 0, tokens: int = 0, forced: bool = False
    ) -> None:
        """Allow a call, which must then run inside ``observe``; or raise SuspendStage.

        ``forced``: a person asked for a retry now; the call is allowed although the provider is throttled.
        """
        if self._pauses is not None:
            await self._pauses.provider(provider)
        state = self._state(provider)
        await self._refresh(provider, state)
        now = self._clock.now()
        if state.throttled_until > now and not forced:
            self._suspend_until_resumed(provider, state)
        if state.ready_at > now:
            until = state.reserve_slot(state.ready_at, MIN_SPACING)
            self._suspend(provider, WaitingReason.PROVIDER_LIMIT, until)
        if blocked := state.blocking_limit(requests, tokens, now):
            wait, spacing = blocked
            earliest = now + timedelta(seconds=min(wait, MAX_WAIT_SECONDS))
            until = state.reserve_slot(earliest, timedelta(seconds=min(spacing, MAX_WAIT_SECONDS)))
            until = min(until, now + timedelta(seconds=MAX_WAIT_SECONDS))
            self._suspend(provider, WaitingReason.PROVIDER_LIMIT, until)
        state.enter(requests, tokens)

    async def allow(self, provider: str, *, tokens: int = 0, forced: bool = False) -> None:
        """Allow a call that another process makes, or raise SuspendStage.

        The call counts against the rate limits. Its end is not seen, so it does not count against the concurrency.
        """
        await self.acquire(provider, requests=1, tokens=tokens, forced=forced)
        self._state(provider).active_calls -= 1

    async def report(self, provider: str, error: Throttled | AccountRefused) -> None:
        """Throttle the provider of a call that another process made; raises SuspendStage or the error."""
        self._state(provider).active_calls += 1
        async with self.observe(provider):
            raise error

    @asynccontextmanager
    async def observe(
        self, provider: str, *, forced: bool = False, uses_attempt: bool | None = None
    ) -> AsyncGenerator[None]:
        """Context of an allowed call: turns Throttled and AccountRefused into throttling of the provider.

        The job of the call is suspended, or, with ``throttle_uses_attempt``, Throttled is raised again.
        ``uses_attempt`` is what the run was promised; None leaves it to the settings.
        """
        state = self._state(provider)
        started = self._clock.now()
        try:
            yield
            state.throttle_count = 0
            if forced and state.throttled_until > started:
                await self._resume(provider, state)
        except Throttled as throttled:
            pause = self._pause_seconds(state, throttled, started)
            await self._throttle(provider, state, pause, WaitingReason.PROVIDER_THROTTLED, str(throttled))
            if self._backoff.throttle_uses_attempt if uses_attempt is None else uses_attempt:
                raise
            self._suspend_until_resumed(provider, state)
        except AccountRefused as refused:
            if self._backoff.refused is None:
                raise
            await self._throttle(
                provider, state, self._backoff.refused, WaitingReason.PROVIDER_REFUSED, str(refused)
            )
            self._suspend_until_resumed(provider, state)
        finally:
            state.leave((self._clock.now() - started).total_seconds())

    async def close(self) -> None:
        """Release this worker's share of the limits; otherwise the others get it only after it expires."""
        if any(state.limits.shared and state.refreshed_at for state in self._states.values()):
            with contextlib.suppress(DatabaseUnavailable):
                await self._ledger.release_share(self._user_id)

    def _state(self, provider: str) -> ProviderState:
        if provider not in self._states:
            self._states[provider] = ProviderState(Limits(), self._clock.now())
        return self._states[provider]

    async def _refresh(self, provider: str, state: ProviderState) -> None:
        """Read the provider's state from the ledger, at most once per second; keep the old one without a database."""
        if provider not in self._remote:
            return
        async with state.refresh_lock:
            now = self._clock.now()
            if state.refreshed_at is not None and now - state.refreshed_at < REFRESH_INTERVAL:
                return
            try:
                throttle = await self._ledger.provider_throttle(
                    provider, now, user=self._user_id if state.limits.shared else None
                )
            except DatabaseUnavailable:
                return
            state.refreshed_at = now
            if throttle.throttled_until is not None and (
                throttle.throttled_until > state.throttled_until or throttle.changed_at >= state.changed_at
            ):
                state.throttled_until, state.detail = throttle.throttled_until, throttle.detail
                state.reason = throttle.reason or state.reason
                state.changed_at = throttle.changed_at
            state.resize(state.limits.share(throttle.share_index, throttle.share_count), now)
            state.ready_at = throttle.since if throttle.share_count == 1 else throttle.since + SHARES_SETTLED

    def _pause_seconds(self, state: ProviderState, throttled: Throttled, started: datetime) -> float:
        """Seconds to throttle: the provider's Retry-After, or doubled with each consecutive throttling."""
        if throttled.retry_after is not None:
            return max(0.1, throttled.retry_after)
        if state.throttle_count == 0 or started >= state.throttle_counted_at:
            # Calls that ran at the same time and were throttled together count once.
            state.throttle_count += 1
            state.throttle_counted_at = self._clock.now()
        return min(self._backoff.longest_throttled, self._backoff.throttled * 2 ** (state.throttle_count - 1))

    async def _throttle(
        self, provider: str, state: ProviderState, seconds: float, reason: WaitingReason, detail: str
    ) -> None:
        self._remote.add(provider)
        now = self._clock.now()
        until = now + timedelta(seconds=seconds)
        # Of the calls that are throttled together, only the first one writes it to the ledger.
        if until > state.throttled_until + MIN_SPACING:
            state.throttled_until, state.reason, state.detail, state.changed_at = until, reason, detail, now
            problem = (
                "is rate-limited" if reason is WaitingReason.PROVIDER_THROTTLED else "refused the account"
            )
            log.warning("%s %s; retrying in %g s: %s", provider, problem, round(seconds, 1), detail)
            with contextlib.suppress(DatabaseUnavailable):
                await self._ledger.throttle_provider(provider, until, reason, detail, now)

    async def _resume(self, provider: str, state: ProviderState) -> None:
        """End the throttling after a forced call succeeded: the suspended jobs become due."""
        now = self._clock.now()
        state.throttled_until = state.changed_at = now
        log.info("%s answers again; its suspended jobs are due", provider)
        with contextlib.suppress(DatabaseUnavailable):
            await self._ledger.resume_provider(provider, now, due=now + SHARES_SETTLED)

    def _suspend_until_resumed(self, provider: str, state: ProviderState) -> None:
        until = state.reserve_slot(state.throttled_until, MIN_SPACING)
        self._suspend(provider, state.reason, until, state.detail)

    def _suspend(
        self, provider: str, reason: WaitingReason, until: datetime, detail: str | None = None
    ) -> None:
        raise SuspendStage(Suspend(until, reason, provider, detail))


def _token_bucket(per_minute: float | None, now: datetime) -> TokenBucket | None:
    return None if per_minute is None else TokenBucket(per_minute, now)
