"""Delivers queued webhook messages until it is cancelled; any number of processes may do so at once.

A message is claimed, sent and settled. A process that dies in between leaves a claim that ends by itself, and the
message is sent again with the same id.
"""

from __future__ import annotations

import asyncio
import logging
import random
import time
from datetime import timedelta

from towpath.clock import Clock
from towpath.errors import DatabaseUnavailable
from towpath.ledger.contract.webhooks import Webhooks
from towpath.lifecycle.webhook_backoff import MAX_ATTEMPTS, next_attempt_at
from towpath.model.webhook import ClaimedDelivery
from towpath.webhooks.sender import Sender

log = logging.getLogger(__name__)

#: Seconds of a claim: longer than one attempt.
CLAIM_SECONDS = 30.0
#: Deliveries in flight of one process, and of one endpoint.
MAX_IN_FLIGHT = 16
PER_ENDPOINT = 4
#: Mean seconds between two looks without a wake-up.
IDLE_SECONDS = 60.0
#: Seconds after a look that found nothing, so that a busy worker without endpoints asks the database once per second.
PAUSE_SECONDS = 1.0
_GONE = 410


class Deliverer:
    """Claims due deliveries and sends them, at most ``PER_ENDPOINT`` at once to one receiver."""

    def __init__(
        self, webhooks: Webhooks, sender: Sender, clock: Clock, *, backoff_scale: float = 1.0
    ) -> None:
        self._backoff_scale = backoff_scale
        self._webhooks = webhooks
        self._sender = sender
        self._clock = clock
        self._woken = asyncio.Event()
        self._in_flight: dict[asyncio.Task[None], str] = {}
        self._found_nothing_at = -PAUSE_SECONDS

    def wake(self) -> None:
        """Look for due deliveries soon. To be called in the event loop of `run`."""
        self._woken.set()

    async def run(self) -> None:
        """Deliver until cancelled."""
        try:
            while True:
                try:
                    wait = await self._look()
                except DatabaseUnavailable as error:
                    log.warning("webhooks: the database is unavailable, retrying later: %s", error)
                    wait = random.uniform(1.0, 5.0)
                except Exception:
                    log.exception("delivering webhooks failed")
                    wait = IDLE_SECONDS
                await self._wait(wait)
        finally:
            tasks = list(self._in_flight)
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def deliver_due(self) -> int:
        """Make the attempts that are due now, once, and wait for them; their number."""
        before = set(self._in_flight)
        await self._look()
        started = [task for task in self._in_flight if task not in before]
        if started:
            await asyncio.wait(started)
        return len(started)

    async def _look(self) -> float:
        """Start due deliveries; the seconds until the next look."""
        idle = IDLE_SECONDS * random.uniform(0.5, 1.5)
        room = MAX_IN_FLIGHT - len(self._in_flight)
        if room <= 0:
            return idle  # The end of an attempt wakes the loop.
        due, now = await self._webhooks.next_due(), self._clock.now()
        if due is None or due > now:
            self._found_nothing_at = time.monotonic()
            return idle if due is None else min(idle, (due - now) / timedelta(seconds=1))
        claimed = await self._webhooks.claim(
            now,
            seconds=CLAIM_SECONDS,
            limit=room,
            per_endpoint=PER_ENDPOINT,
            busy=set(self._in_flight.values()),
        )
        for delivery in claimed:
            task = asyncio.create_task(self._deliver(delivery))
            self._in_flight[task] = delivery.endpoint_id
            task.add_done_callback(self._ended)
        # Without a delivery in flight, another process claimed them first.
        return idle if self._in_flight else PAUSE_SECONDS

    async def _wait(self, seconds: float) -> None:
        try:
            async with asyncio.timeout(max(seconds, 0.05)):
                await self._woken.wait()
        except TimeoutError:
            return
        pause = self._found_nothing_at + PAUSE_SECONDS - time.monotonic()
        if pause > 0:
            await asyncio.sleep(pause)
        self._woken.clear()

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._in_flight.pop(task, None)
        self._woken.set()
        if not task.cancelled() and (error := task.exception()):
            log.error("a webhook delivery failed", exc_info=error)

    async def _deliver(self, delivery: ClaimedDelivery) -> None:
        result = await self._sender.send(delivery, self._clock.now())
        now, attempts = self._clock.now(), delivery.attempts + 1
        next_at = None
        if result.error is not None and attempts < MAX_ATTEMPTS and result.http_status != _GONE:
            next_at = next_attempt_at(
                now, attempts, random.random(), retry_after=result.retry_after, scale=self._backoff_scale
            )
        settled = await self._webhooks.settle(delivery, result, now, next_at=next_at)
        if result.error is not None:
            log.warning(
                "webhook %s, attempt %d of %d failed: %s",
                *(delivery.message_id, attempts, MAX_ATTEMPTS, result.error),
            )
        if not settled:
            log.info("webhook %s was settled or deleted by another process", delivery.message_id)
