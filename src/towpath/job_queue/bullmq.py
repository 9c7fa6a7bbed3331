"""The job queue on Redis: delivers jobs by BullMQ, with one BullMQ queue for each stage.

A delivery is an invitation: the worker then claims the job in the ledger by its id. Due jobs are offered in the
background, in the ledger's fair order and only a window of them at a time, because BullMQ knows no fairness between
organizations. What is not in Redis is offered again, so that a Redis that lost its data loses no job. While Redis
does not answer, jobs are claimed from the database.
"""

from __future__ import annotations

import asyncio
import logging
import random
import time
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from towpath.clock import Clock
from towpath.errors import DatabaseUnavailable
from towpath.job_queue.bullmq_client import BullMqClient, Delivery, RedisUnavailable
from towpath.ledger.contract.ledger import ClaimRequest, Ledger
from towpath.model.ids import is_id
from towpath.model.job import ClaimedJob, DueJob, Lease
from towpath.notify.contract import Notifier

log = logging.getLogger(__name__)

#: A delivery that is not claimed in the ledger for this time is abandoned. Two more such periods pass until it is
#: delivered again.
LOCK_SECONDS = 5.0
#: Longest pause between two passes that offer jobs.
OFFER_SECONDS = 1.0
#: Shortest pause between two passes, so that many commits lead to one pass.
COALESCE_SECONDS = 0.01
#: Retries that are due sooner than this are offered on time; later ones are found by a pass within ``OFFER_SECONDS``.
TIMER_SECONDS = 60.0

#: The most deliveries that are taken before they are claimed.
MAX_TAKEN = 200


class BullMqQueue:
    """The queue of one worker. Every worker offers the jobs of the stages that it serves."""

    def __init__(
        self,
        client: BullMqClient,
        ledger: Ledger,
        notifier: Notifier,
        clock: Clock,
        stages: Sequence[str],
        *,
        lease_seconds: float,
        window: int = 64,
        external_stages: Sequence[str] = (),
        follow_ups: Sequence[str] = (),
    ) -> None:
        """``window``: the most offers of these stages that wait in Redis at a time.

        ``external_stages`` are offered to workers of other programs, each in its own window, and never taken here.
        Jobs of ``follow_ups`` are taken when no other stage has any: they must not delay runs.
        """
        self._client = client
        self._ledger = ledger
        self._notifier = notifier
        self._clock = clock
        self._stages = tuple(stages)
        self._follow_ups = frozenset(follow_ups)
        self._offer_groups = (self._stages, *((stage,) for stage in external_stages))
        self._lease_seconds = lease_seconds
        self._window = window
        self._redis_up = True
        self._turn = 0
        #: Deliveries taken since the last wish for a pass.
        self._taken = 0
        self._after_org: dict[tuple[str, ...], str] = {}
        #: The deliveries of claimed jobs, with the epochs of their leases.
        self._held: dict[str, tuple[int, Delivery]] = {}
        self._to_remove: list[Delivery] = []
        self._to_extend: list[Delivery] = []
        self._offer_soon = asyncio.Event()
        self._tell_soon = asyncio.Event()
        self._loop = asyncio.get_running_loop()

    def enqueue(self) -> None:
        self._offer_soon.set()
        self._notifier.notify()

    async def claim(self, request: ClaimRequest, now: datetime) -> list[ClaimedJob]:
        if not self._redis_up:
            return await self._ledger.claim(request, now)
        try:
            deliveries = await self._take(request)
        except RedisUnavailable as error:
            self._redis_failed(error)
            return await self._ledger.claim(request, now)
        self._taken += len(deliveries)
        if len(deliveries) < request.limit or self._taken >= self._window // 4:
            # Before the window is empty: a pass takes as long as some claims.
            self._taken = 0
            self._offer_soon.set()
        by_job = {delivery.job_id: delivery for delivery in deliveries if is_id(delivery.job_id)}
        jobs: list[ClaimedJob] = []
        try:
            if by_job:
                jobs = await self._ledger.claim(replace(request, job_ids=tuple(by_job)), now)
        finally:
            for job in jobs:
                self._held[job.lease.job_id] = (job.lease.epoch, by_job[job.lease.job_id])
            claimed = {id(delivery) for _, delivery in self._held.values()}
            # Not due any more, or claimed by another worker.
            self._to_remove += [delivery for delivery in deliveries if id(delivery) not in claimed]
            self.extend([job.lease for job in jobs])
        return jobs

    async def wait(self, seconds: float) -> bool:
        if not self._redis_up:
            return await self._notifier.wait(seconds)
        notified = asyncio.create_task(self._notifier.wait(seconds))
        added = asyncio.create_task(self._wait_for_offer(seconds))
        try:
            await asyncio.wait({notified, added}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            notified.cancel()
            added.cancel()
            await asyncio.wait({notified, added})
        if not notified.cancelled() and notified.result():
            # The jobs of another process became due.
            self._offer_soon.set()
            return True
        return not added.cancelled() and added.result()

    def complete(self, lease: Lease) -> None:
        delivery = self._delivery_of(lease)
        if delivery is not None:
            del self._held[lease.job_id]
            self._to_remove.append(delivery)
            self._tell_soon.set()

    def fail(self, lease: Lease, delay_seconds: float) -> None:
        # Not as a delayed job of BullMQ: that would stay delayed when the ledger makes the job due earlier.
        self.complete(lease)
        if delay_seconds < TIMER_SECONDS:
            self._loop.call_later(delay_seconds, self._offer_soon.set)

    def release(self, lease: Lease) -> None:
        self.complete(lease)
        self.enqueue()

    def extend(self, leases: Sequence[Lease]) -> None:
        self._loop.call_soon_threadsafe(self._extend, tuple(leases))

    async def run(self) -> None:
        tasks = [asyncio.create_task(part) for part in (self._offer_loop(), self._tell_loop())]
        try:
            await asyncio.gather(*tasks)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.wait(tasks)
            if self._redis_up:
                await self._tell()
            await self._client.close()

    async def _take(self, request: ClaimRequest) -> list[Delivery]:
        """Take deliveries, by turns from the stages that have any; of follow-ups last."""
        served = self._stages if request.stages is None else request.stages
        stages = [stage for stage in self._stages if stage in served]
        self._turn += 1
        first, last = (
            [stage for stage in stages if (stage in self._follow_ups) is is_last] for is_last in (False, True)
        )
        return await self._client.take(
            self._rotated(first), min(request.limit, MAX_TAKEN), last=self._rotated(last)
        )

    def _rotated(self, stages: Sequence[str]) -> list[str]:
        """The stages, beginning with another one at every turn."""
        start = self._turn % max(1, len(stages))
        return [*stages[start:], *stages[:start]]

    async def _wait_for_offer(self, seconds: float) -> bool:
        try:
            return await self._client.wait(self._stages, seconds)
        except RedisUnavailable as error:
            self._redis_failed(error)
            return True

    def _delivery_of(self, lease: Lease) -> Delivery | None:
        """The delivery under which the lease was taken; a lease that was kept for a next stage has none."""
        epoch, delivery = self._held.get(lease.job_id, (None, None))
        return delivery if epoch == lease.epoch else None

    def _extend(self, leases: Sequence[Lease]) -> None:
        deliveries = [self._delivery_of(lease) for lease in leases]
        self._to_extend += [delivery for delivery in deliveries if delivery is not None]
        self._tell_soon.set()

    async def _offer_loop(self) -> None:
        """Offer due jobs whenever some became due, and once in a while everything that is not in Redis."""
        requeued_at = compared_at = 0.0
        while True:
            try:
                await self._check_redis()
                if self._redis_up:
                    compare = time.monotonic() - compared_at > OFFER_SECONDS / 2
                    for stages in self._offer_groups:
                        await self._offer(stages, compare=compare)
                    if compare:
                        compared_at = time.monotonic()
                    if time.monotonic() - requeued_at > LOCK_SECONDS:
                        requeued_at = time.monotonic()
                        await self._client.requeue_abandoned()
            except RedisUnavailable as error:
                self._redis_failed(error)
            except DatabaseUnavailable as error:
                log.warning("offering jobs: the database is unavailable, retrying: %s", error)
            except Exception:
                log.exception("offering jobs failed")
            await asyncio.sleep(COALESCE_SECONDS)
            try:
                async with asyncio.timeout(OFFER_SECONDS * random.uniform(0.8, 1.2)):
                    await self._offer_soon.wait()
            except TimeoutError:
                continue
            finally:
                self._offer_soon.clear()

    async def _offer(self, stages: tuple[str, ...], *, compare: bool) -> None:
        """Fill the window of these stages with the next due jobs that have no offer.

        A window that is half full is left alone unless it is time to ``compare``: reading the due jobs and looking each
        of them up in Redis costs the same for one offer as for a whole window.
        """
        if not compare and await self._client.waiting(stages) > self._window // 2:
            return
        jobs = await self._ledger.due_jobs(
            self._clock.now(), limit=self._window, stages=stages, after_org=self._after_org.get(stages)
        )
        offers = await self.unoffered(jobs) if jobs else []
        if not offers:
            return
        offers = offers[: max(0, self._window - await self._client.waiting(stages))]
        if offers:
            await self._client.add(offers)
            self._after_org[stages] = offers[-1].org_id

    async def unoffered(self, jobs: Sequence[DueJob]) -> list[DueJob]:
        """Those of the due jobs that are not offered, or whose offer Redis has lost."""
        return await self._client.missing(jobs)

    async def _tell_loop(self) -> None:
        """Tell BullMQ what became of the deliveries."""
        while True:
            await self._tell_soon.wait()
            self._tell_soon.clear()
            await self._tell()

    async def _tell(self) -> None:
        removed, self._to_remove = self._to_remove, []
        extended, self._to_extend = self._to_extend, []
        if not self._redis_up:
            # BullMQ delivers them again; the ledger then refuses the claim.
            return
        try:
            await self._client.extend(extended, self._lease_seconds)
            await self._client.remove(removed)
        except RedisUnavailable as error:
            self._redis_failed(error)

    def _redis_failed(self, error: RedisUnavailable) -> None:
        if self._redis_up:
            log.warning("Redis: %s. Jobs are claimed from the database until it answers.", error)
        self._redis_up = False

    async def _check_redis(self) -> None:
        if not self._redis_up:
            await self._client.ping()
            log.info("Redis answers again: jobs are delivered by BullMQ.")
            self._redis_up = True
            self._notifier.notify()
