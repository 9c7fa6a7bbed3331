"""The governor: how fast each provider is asked, by all workers together, and when not at all.

A provider that says "later" closes its own gate for everybody, and no other. Whoever is sent away goes
back to the queue with a time to return at: nobody holds a worker's slot, and no attempt is used up. Those
sent away return one after the other, not all at the moment the gate opens.
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
from towpath.ledger.contract import NEVER_CHANGED, Ledger
from towpath.lifecycle.pacing import Budget, Limits
from towpath.model.ids import new_id
from towpath.model.work import Suspend
from towpath.stages.contract import Postpone

log = logging.getLogger(__name__)

#: A gate that another worker closed is noticed within this time.
STALE = timedelta(seconds=1)
#: By then every other user has noticed a newcomer and gone down to a smaller share.
NOTICED = 2 * STALE
#: At least so far apart return those who were sent away by one worker.
APART = timedelta(seconds=0.05)
#: Nobody is sent away for longer than this on account of a limit of ours.
LONGEST = 600.0


@dataclass(frozen=True, slots=True)
class Pauses:
    """How long a gate stays closed where the provider does not say, in seconds."""

    throttled: float = 15.0
    longest_throttled: float = 300.0
    #: None fails the run at once: where runs have a deadline, waiting would only hide the reason.
    refused: float | None = 300.0


class Desk:
    """One provider, as this worker sees it."""

    def __init__(self, limits: Limits, now: datetime) -> None:
        self.whole = limits
        self.closed_until = now
        self.reason = ""
        #: When it was last closed or opened; a look at the gate that is older than that tells nothing new.
        self.changed_at = NEVER_CHANGED
        self.looked_at: datetime | None = None
        self.looking = asyncio.Lock()
        self.under_way = 0
        self.complaints = 0
        self.complained_at = now
        self.ready_at = now
        self._share = limits
        self._requests = _budget(limits.requests_per_minute, now)
        self._tokens = _budget(limits.tokens_per_minute, now)
        self._line_ends = now
        #: How long a call has taken lately: those who wait for a free place return at that pace.
        self._seconds = 1.0

    def resize(self, share: Limits, now: datetime) -> None:
        self._share = share
        for budget, wanted in (
            (self._requests, share.requests_per_minute),
            (self._tokens, share.tokens_per_minute),
        ):
            if budget is not None and wanted is not None:
                budget.resize(wanted, now)

    def obstacle(self, requests: int, tokens: int, now: datetime) -> tuple[str, float, float] | None:
        """What stands in the way, for how many seconds, and how far apart those who wait return."""
        most = self._share.concurrency
        if most is not None and self.under_way >= most:
            pace = self._seconds / max(1, most)
            return f"a free place ({most} of {self.whole.concurrency} calls are this worker's)", pace, pace
        for budget, amount, what in (
            (self._requests, requests, "requests"),
            (self._tokens, tokens, "tokens"),
        ):
            if budget is not None and amount and (wait := budget.wait(amount, now)):
                return f"its allowance of {what} a minute", wait, budget.seconds_for(amount)
        return None

    def enter(self, requests: int, tokens: int) -> None:
        self.under_way += 1
        for budget, amount in ((self._requests, requests), (self._tokens, tokens)):
            if budget is not None:
                budget.take(amount)

    def leave(self, seconds: float) -> None:
        self.under_way -= 1
        self._seconds += 0.2 * (max(0.01, seconds) - self._seconds)

    def place_in_line(self, earliest: datetime, apart: timedelta) -> datetime:
        self._line_ends = max(self._line_ends + max(apart, APART), earliest)
        return self._line_ends


class Governor:
    """Providers without ``limits`` are not governed at all: they are on this machine."""

    def __init__(
        self, ledger: Ledger, clock: Clock, limits: Mapping[str, Limits], pauses: Pauses | None = None
    ) -> None:
        self._ledger = ledger
        self._clock = clock
        self._pauses = pauses or Pauses()
        self._user = new_id()
        self._desks = {provider: Desk(limit, clock.now()) for provider, limit in limits.items()}

    async def admit(
        self, provider: str, *, requests: int = 0, tokens: int = 0, by_hand: bool = False
    ) -> None:
        """Let a call pass, to be followed by ``watching``; or send its job away with ``Postpone``.

        ``by_hand``: a person asked for it now, who may know that the provider can serve again.
        """
        desk = self._desks.get(provider)
        if desk is None:
            return
        await self._look(provider, desk)
        now = self._clock.now()
        if desk.closed_until > now and not by_hand:
            self._send_away(f"{provider}: {desk.reason}", desk.place_in_line(desk.closed_until, APART))
        if desk.ready_at > now:
            until = desk.place_in_line(desk.ready_at, APART)
            self._send_away(f"{provider}: the other workers to make room", until)
        if found := desk.obstacle(requests, tokens, now):
            words, wait, apart = found
            earliest = now + timedelta(seconds=min(wait, LONGEST))
            until = desk.place_in_line(earliest, timedelta(seconds=min(apart, LONGEST)))
            self._send_away(f"{provider}: {words}", min(until, now + timedelta(seconds=LONGEST)))
        desk.enter(requests, tokens)

    @asynccontextmanager
    async def watching(self, provider: str, *, by_hand: bool = False) -> AsyncGenerator[None]:
        """Around a call that was let pass: what the provider says about its limits is heard here."""
        desk = self._desks.get(provider)
        if desk is None:
            yield
            return
        started = self._clock.now()
        try:
            yield
            desk.complaints = 0
            if by_hand and desk.closed_until > started:
                await self._open(provider, desk)
        except Throttled as throttled:
            await self._close(provider, desk, self._pause(desk, throttled, started), str(throttled))
        except AccountRefused as refused:
            if self._pauses.refused is None:
                raise
            await self._close(provider, desk, self._pauses.refused, str(refused))
        finally:
            desk.leave((self._clock.now() - started).total_seconds())

    async def close(self) -> None:
        """Give this worker's share back; without it the others would wait until it is forgotten."""
        if any(desk.whole.shared and desk.looked_at for desk in self._desks.values()):
            with contextlib.suppress(DatabaseUnavailable):
                await self._ledger.leave_gates(self._user)

    async def _look(self, provider: str, desk: Desk) -> None:
        """Read the gate, at most once a second. A database that is away changes nothing for now."""
        async with desk.looking:
            now = self._clock.now()
            if desk.looked_at is not None and now - desk.looked_at < STALE:
                return
            try:
                gate = await self._ledger.gate(provider, now, user=self._user if desk.whole.shared else None)
            except DatabaseUnavailable:
                return
            desk.looked_at = now
            if gate.closed_until is not None and (
                gate.closed_until > desk.closed_until or gate.changed_at >= desk.changed_at
            ):
                desk.closed_until, desk.reason = gate.closed_until, gate.reason
                desk.changed_at = gate.changed_at
            desk.resize(desk.whole.share(gate.place, gate.users), now)
            desk.ready_at = gate.since if gate.users == 1 else gate.since + NOTICED

    def _pause(self, desk: Desk, throttled: Throttled, started: datetime) -> float:
        """How long to leave a busy provider alone: as it wishes, or longer with each complaint in a row."""
        if throttled.retry_after is not None:
            return max(0.1, throttled.retry_after)
        if desk.complaints == 0 or started >= desk.complained_at:
            # Calls that were under way together and are refused together are one complaint.
            desk.complaints += 1
            desk.complained_at = self._clock.now()
        return min(self._pauses.longest_throttled, self._pauses.throttled * 2 ** (desk.complaints - 1))

    async def _close(self, provider: str, desk: Desk, seconds: float, reason: str) -> None:
        now = self._clock.now()
        until = now + timedelta(seconds=seconds)
        # Calls that were under way together complain together: one of them tells the others.
        if until > desk.closed_until + APART:
            desk.closed_until, desk.reason, desk.changed_at = until, reason, now
            log.warning("%s is left alone for %.1f s: %s", provider, seconds, reason)
            with contextlib.suppress(DatabaseUnavailable):
                await self._ledger.close_gate(provider, until, reason, now)
        self._send_away(f"{provider}: {desk.reason}", desk.place_in_line(desk.closed_until, APART))

    async def _open(self, provider: str, desk: Desk) -> None:
        """Somebody was right to ask all the same: those who were sent away may come back."""
        now = self._clock.now()
        desk.closed_until = desk.changed_at = now
        log.info("%s answers again", provider)
        with contextlib.suppress(DatabaseUnavailable):
            await self._ledger.open_gate(provider, now, due=now + NOTICED)

    def _send_away(self, waiting_for: str, until: datetime) -> None:
        raise Postpone(Suspend(until, waiting_for))


def _budget(per_minute: float | None, now: datetime) -> Budget | None:
    return None if per_minute is None else Budget(per_minute, now)
