"""The calls of BullMQ and Redis that the queue makes, each with a time limit, and their errors as one error.

BullMQ's own client repeats a call for more than 20 s while Redis is down, and raises nothing. Therefore every call
goes through a client without such repetitions and is cancelled after ``CALL_SECONDS``.
"""

from __future__ import annotations

import asyncio
import importlib
import logging
import time
import uuid
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, cast

from redis.asyncio import Redis
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import RedisError

from towpath.job_queue.bullmq_scripts import (
    ADD_JOB_KEYS,
    MOVE_TO_ACTIVE_KEYS,
    BatchScripts,
    FinishedJobs,
    ScriptCall,
)
from towpath.model.job import DueJob
from towpath.model.job_payload import payload_of

log = logging.getLogger(__name__)

#: The prefix of all keys in Redis, and the `prefix` that BullMQ clients in other languages are given.
PREFIX = "towpath"
#: Longest time of one call; a call to a Redis on the same network takes milliseconds.
CALL_SECONDS = 2.0
#: BullMQ must not fail a delivery for being abandoned: the ledger counts crashes.
_MAX_STALLED = 1_000_000
#: BullMQ never repeats a job, and keeps no record of a finished one: a kept record would swallow the next offer.
_OPTIONS: Mapping[str, object] = {"attempts": 1, "removeOnComplete": True, "removeOnFail": True}

#: The most jobs of one command. Redis does nothing else meanwhile, for about 0.1 ms for each job.
_MAX_JOBS = 100
#: The most keys that one call looks up.
_MAX_KEYS = 1_000


class RedisUnavailable(Exception):
    """Redis did not answer in time, refused the call, or cannot be reached."""


@dataclass(frozen=True, slots=True)
class Delivery:
    """A job that BullMQ delivered to this worker; ``token`` is the proof."""

    stage: str
    #: The id of the job in the ledger, and that of its offer in BullMQ.
    job_id: str
    id: str
    token: str


def delivery_id(job: DueJob) -> str:
    """BullMQ's id of an offer: the job and the epoch of its last claim, so that each new offer has its own id."""
    return f"{job.id}.{job.epoch}"


class BullMqClient:
    """One BullMQ queue for each stage, over one pool of connections."""

    def __init__(self, url: str, stages: Sequence[str], *, lock_seconds: float) -> None:
        """``lock_seconds``: a delivery that is neither extended nor removed for this time is delivered again."""
        bullmq: Any = importlib.import_module("bullmq")
        self._job: Any = bullmq.Job
        self._pack: Any = importlib.import_module("msgpack").packb
        self._lock_ms = round(lock_seconds * 1000)
        self._redis = _connect(url, CALL_SECONDS)
        # A blocking call lasts longer than the socket's time limit of all others.
        self._blocking = _connect(url, None)
        self._queues: dict[str, Any] = {
            stage: bullmq.Queue(stage, {"connection": self._redis, "prefix": PREFIX}) for stage in stages
        }
        connection: Any = importlib.import_module("bullmq.redis_connection").RedisConnection(self._redis)
        self._scripts = BatchScripts(self._redis, connection.commands)

    async def ping(self) -> None:
        async with _limited():
            await self._redis.execute_command("PING")

    async def waiting(self, stages: Sequence[str]) -> int:
        """The number of offers of the stages that no worker has taken."""
        async with _limited():
            return await self._scripts.count([self._key(stage, "wait") for stage in stages])

    async def missing(self, jobs: Sequence[DueJob]) -> list[DueJob]:
        """Those of the jobs that Redis holds no offer of."""
        missing: list[DueJob] = []
        for start in range(0, len(jobs), _MAX_KEYS):
            batch = jobs[start : start + _MAX_KEYS]
            async with _limited():
                positions = await self._scripts.missing(
                    [self._key(job.stage, delivery_id(job)) for job in batch]
                )
            missing += [batch[position] for position in positions]
        return missing

    async def add(self, jobs: Sequence[DueJob]) -> None:
        """Offer the jobs, in the given order within each stage."""
        for start in range(0, len(jobs), _MAX_JOBS):
            by_stage: dict[str, list[DueJob]] = {}
            for job in jobs[start : start + _MAX_JOBS]:
                by_stage.setdefault(job.stage, []).append(job)
            async with _limited():
                await self._scripts.add([self._additions(*of_stage) for of_stage in by_stage.items()])

    def _additions(
        self, stage: str, jobs: Sequence[DueJob]
    ) -> tuple[Sequence[str], Sequence[Sequence[object]]]:
        """The keys and the arguments of BullMQ's script that adds the jobs."""
        queue = self._queues[stage]
        scripts = queue.backend.scripts
        arguments: list[list[object]] = []
        for job in jobs:
            record = self._job(queue, stage, payload_of(job), {**_OPTIONS, "jobId": delivery_id(job)})
            arguments.append([*scripts.addJobArgs(record), record.timestamp])
        return scripts.getKeys(ADD_JOB_KEYS), arguments

    async def take(
        self, stages: Sequence[str], limit: int = _MAX_JOBS, *, last: Sequence[str] = ()
    ) -> list[Delivery]:
        """At most ``limit`` deliveries, by turns from the stages that have any; from those of ``last`` after them."""
        deliveries: list[Delivery] = []
        while len(deliveries) < limit:
            number = min(limit - len(deliveries), _MAX_JOBS)
            batch = await self._take(stages, last, number)
            deliveries += batch
            if len(batch) < number:
                break
        return deliveries

    async def _take(self, stages: Sequence[str], last: Sequence[str], limit: int) -> list[Delivery]:
        token = uuid.uuid4().hex
        options = self._pack(
            {"token": token, "lockDuration": self._lock_ms, "limiter": None}, use_bin_type=True
        )
        now_ms = round(time.time() * 1000)

        def calls(names: Sequence[str]) -> dict[str, ScriptCall]:
            scripts = {name: self._queues[name].backend.scripts for name in names}
            return {
                name: (of_stage.getKeys(MOVE_TO_ACTIVE_KEYS), [of_stage.keys[""], now_ms, options])
                for name, of_stage in scripts.items()
            }

        async with _limited():
            taken = await self._scripts.take(calls(stages), calls(last), limit)
        return [Delivery(stage, offer_id.partition(".")[0], offer_id, token) for stage, offer_id in taken]

    async def remove(self, deliveries: Sequence[Delivery]) -> None:
        """Remove deliveries that were taken. One that another worker holds by now stays."""
        for start in range(0, len(deliveries), _MAX_JOBS):
            taken_together: dict[tuple[str, str], list[str]] = {}
            for delivery in deliveries[start : start + _MAX_JOBS]:
                taken_together.setdefault((delivery.stage, delivery.token), []).append(delivery.id)
            groups = [
                self._finished(stage, token, offer_ids)
                for (stage, token), offer_ids in taken_together.items()
            ]
            async with _limited():
                refused = await self._scripts.finish(groups)
            for offer_id, reason in refused:
                # A negative number is BullMQ's code for a lost lock or record.
                log.debug("the delivery %s was not removed: %s", offer_id, reason)

    def _finished(self, stage: str, token: str, offer_ids: Sequence[str]) -> FinishedJobs:
        queue = self._queues[stage]
        record = self._job(queue, stage, None, {**_OPTIONS, "jobId": offer_ids[0]})
        keys, arguments = queue.backend.scripts.moveToCompletedArgs(
            record, None, True, token, fetchNext=False
        )
        return FinishedJobs(keys, arguments, self._key(stage, ""), offer_ids)

    async def extend(self, deliveries: Sequence[Delivery], seconds: float) -> None:
        """Keep the deliveries for ``seconds`` more."""
        for stage in {delivery.stage for delivery in deliveries}:
            held = [delivery for delivery in deliveries if delivery.stage == stage]
            offer_ids, tokens = [item.id for item in held], [item.token for item in held]
            async with _limited():
                await self._queues[stage].backend.extendLocks(offer_ids, tokens, round(seconds * 1000))

    async def requeue_abandoned(self) -> None:
        """Deliver again what was taken and neither extended nor removed; two calls are needed to notice it."""
        for queue in self._queues.values():
            async with _limited():
                await queue.backend.moveStalledJobsToWait(_MAX_STALLED, self._lock_ms)

    async def wait(self, stages: Sequence[str], seconds: float) -> bool:
        """Wait until a job is added to one of the stages, at most ``seconds``; whether one was."""
        markers = [self._key(stage, "marker") for stage in stages]
        async with _limited(seconds + CALL_SECONDS):
            popped = await cast("Any", self._blocking).execute_command(
                "BZPOPMIN", *markers, max(0.01, seconds)
            )
        return bool(popped)

    async def close(self) -> None:
        for client in (self._redis, self._blocking):
            try:
                async with _limited():
                    await client.aclose()
            except RedisUnavailable as error:
                log.debug("a connection to Redis was not closed: %s", error)

    def _key(self, stage: str, name: str) -> str:
        return f"{PREFIX}:{stage}:{name}"


def _connect(url: str, socket_seconds: float | None) -> Redis:
    """A client that repeats a call once, at once: connections of the pool break when Redis restarts."""
    return Redis.from_url(
        url,
        decode_responses=True,
        socket_timeout=socket_seconds,
        socket_connect_timeout=CALL_SECONDS,
        retry=Retry(NoBackoff(), 1),
    )


@asynccontextmanager
async def _limited(seconds: float = CALL_SECONDS) -> AsyncGenerator[None]:
    """Raise RedisUnavailable for an error of Redis, and if the block takes longer than ``seconds``."""
    task = asyncio.current_task()
    cancelled_before = task.cancelling() if task is not None else 0
    try:
        async with asyncio.timeout(seconds):
            yield
    except TimeoutError as error:
        raise RedisUnavailable(f"no answer within {seconds:g} s") from error
    except (RedisError, OSError) as error:
        raise RedisUnavailable(str(error)) from error
    # The client of Redis uses `asyncio.wait_for`, which before Python 3.12 drops a cancellation that arrives
    # together with the result.
    if task is not None and task.cancelling() > cancelled_before:
        raise asyncio.CancelledError
