"""The `bullmq` queue beyond the common contract: what is on the wire, lost deliveries, and a Redis that hangs."""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
from collections.abc import AsyncGenerator, Iterator
from dataclasses import replace
from typing import Any, cast

import pytest
from redis import Redis

from tests.support.databases import EngineUnderTest, empty, postgres_engine
from tests.support.factories import a_plan, a_submission
from tests.support.redis_server import RedisServer
from tests.support.timeouts import PROCESS_SECONDS, async_wait_until
from towpath.clock import SystemClock
from towpath.job_queue.bullmq import BullMqQueue
from towpath.job_queue.bullmq_client import CALL_SECONDS, BullMqClient, RedisUnavailable
from towpath.ledger.contract.ledger import ClaimRequest
from towpath.model.ids import DEFAULT_ORG_ID
from towpath.model.job import ClaimedJob
from towpath.model.job_payload import payload_of
from towpath.notify.in_process import InProcessNotifier

STAGES = ("extract", "chunk")
LOCK_SECONDS = 0.3
REQUEST = ClaimRequest("anna", 4, 30.0)


@pytest.fixture
def postgres(_common_database: str) -> Iterator[EngineUnderTest]:
    with postgres_engine(_common_database) as ready:
        empty(ready.database)
        yield ready


@contextlib.asynccontextmanager
async def _open(
    engine: EngineUnderTest, redis: RedisServer, *, window: int = 16, lock_seconds: float = LOCK_SECONDS
) -> AsyncGenerator[tuple[BullMqQueue, BullMqClient]]:
    notifier = InProcessNotifier()
    await notifier.open()
    client = BullMqClient(redis.url, STAGES, lock_seconds=lock_seconds)
    queue = BullMqQueue(
        client, engine.ledger, notifier, SystemClock(), STAGES, lease_seconds=30.0, window=window
    )
    running = asyncio.create_task(queue.run())
    try:
        yield queue, client
    finally:
        running.cancel()
        await asyncio.wait({running})
        await notifier.close()


async def _submit(engine: EngineUnderTest, count: int = 1) -> list[str]:
    submissions = [a_submission(plan=a_plan(stages=STAGES)) for _ in range(count)]
    submitted = await engine.ledger.submit_many(submissions, SystemClock().now())
    return [str(item.run_id) for item in submitted]


async def _claim(queue: BullMqQueue) -> list[ClaimedJob]:
    async def delivered() -> list[ClaimedJob]:
        return await queue.claim(REQUEST, SystemClock().now())

    return await async_wait_until(delivered, "a job to be delivered")


async def _until_waiting(redis: RedisServer, number: int) -> None:
    async def offered() -> bool:
        return await asyncio.to_thread(redis.waiting, STAGES[0]) >= number

    await async_wait_until(offered, f"{number} offers in Redis")


async def test_the_data_on_the_wire_is_the_documented_payload(
    postgres: EngineUnderTest, own_redis: RedisServer
) -> None:
    (run_id,) = await _submit(postgres)
    (job,) = await postgres.ledger.jobs(run_id, org_id=DEFAULT_ORG_ID)
    async with _open(postgres, own_redis):
        await _until_waiting(own_redis, 1)
    with Redis.from_url(own_redis.url, decode_responses=True) as client:
        record = cast("dict[str, str]", client.hgetall(f"towpath:extract:{job.id}.0"))
    options: dict[str, Any] = json.loads(record["opts"])
    assert record["name"] == "extract"
    assert json.loads(record["data"]) == payload_of(job)
    assert (options["attempts"], options["removeOnComplete"], options["removeOnFail"]) == (1, True, True)


async def test_a_delivery_that_was_never_claimed_is_delivered_again(
    postgres: EngineUnderTest, own_redis: RedisServer
) -> None:
    """A worker killed between the delivery and the claim."""
    (run_id,) = await _submit(postgres)
    lost = BullMqClient(own_redis.url, STAGES, lock_seconds=LOCK_SECONDS)
    async with _open(postgres, own_redis) as (queue, _):
        await _until_waiting(own_redis, 1)
        (delivery,) = await lost.take(["extract"])
        (job,) = await _claim(queue)
        assert (job.run_id, job.lease.job_id) == (run_id, delivery.job_id)
    await lost.close()


async def test_a_job_of_another_program_in_the_queue_is_removed(
    postgres: EngineUnderTest, own_redis: RedisServer
) -> None:
    async with _open(postgres, own_redis) as (queue, client):
        foreign = cast("Any", client)._queues["extract"]
        await foreign.add("extract", {"anything": 1}, {"jobId": "not-a-job"})
        assert await queue.claim(REQUEST, SystemClock().now()) == []

        async def gone() -> bool:
            keys = await asyncio.to_thread(own_redis.all_keys)
            return "towpath:extract:not-a-job" not in keys

        await async_wait_until(gone, "the record to be removed")
        await _submit(postgres)
        assert len(await _claim(queue)) == 1


async def test_at_most_a_window_of_offers_waits_in_redis(
    postgres: EngineUnderTest, own_redis: RedisServer
) -> None:
    await _submit(postgres, 40)
    async with _open(postgres, own_redis, window=8) as (queue, _):
        claimed = 0
        while claimed < 40:
            await _until_waiting(own_redis, 1)
            assert await asyncio.to_thread(own_redis.waiting, STAGES[0]) <= 8
            claimed += len(await _claim(queue))
    assert claimed == 40


async def test_the_window_is_filled_again_before_it_is_empty(
    postgres: EngineUnderTest, own_redis: RedisServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Otherwise a busy worker finds no offer once in every window, and waits for the next pass."""
    monkeypatch.setattr("towpath.job_queue.bullmq.OFFER_SECONDS", 3600.0)
    await _submit(postgres, 32)
    async with _open(postgres, own_redis, window=16, lock_seconds=PROCESS_SECONDS) as (queue, _):
        await _until_waiting(own_redis, 16)
        for _ in range(2):
            assert len(await queue.claim(REQUEST, SystemClock().now())) == REQUEST.limit
        await _until_waiting(own_redis, 16)


async def test_a_worker_with_more_slots_than_the_pool_has_connections_takes_and_removes_them(
    postgres: EngineUnderTest, own_redis: RedisServer, caplog: pytest.LogCaptureFixture
) -> None:
    """The client of Redis opens at most 100 connections and refuses the next call."""
    await _submit(postgres, 150)
    async with _open(postgres, own_redis, window=200, lock_seconds=PROCESS_SECONDS) as (queue, _):
        await _until_waiting(own_redis, 150)
        jobs = await queue.claim(replace(REQUEST, limit=150), SystemClock().now())
        assert len({job.lease.job_id for job in jobs}) == 150
        for job in jobs:
            queue.complete(job.lease)

        async def removed() -> bool:
            keys = await asyncio.to_thread(own_redis.all_keys)
            return not any(f"{job.lease.job_id}." in key for job in jobs for key in keys)

        await async_wait_until(removed, "all deliveries to be removed")
    assert "Redis:" not in caplog.text


async def test_while_redis_hangs_jobs_are_claimed_from_the_database_and_it_is_logged_once(
    postgres: EngineUnderTest, own_redis: RedisServer, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "towpath.job_queue.bullmq")
    async with _open(postgres, own_redis) as (queue, _):
        own_redis.pause()
        try:
            for _ in range(3):
                await _submit(postgres)
                assert len(await _claim(queue)) == 1
                await queue.wait(0.05)
        finally:
            own_redis.resume()
        await _submit(postgres)
        assert len(await _claim(queue)) == 1

        async def answers_again() -> bool:
            return "Redis answers again" in caplog.text

        await async_wait_until(answers_again, "Redis to be used again")
        await _submit(postgres)
        assert len(await _claim(queue)) == 1
    assert caplog.text.count("Jobs are claimed from the database until it answers.") == 1


async def test_a_call_to_a_redis_that_is_down_raises_within_its_time_limit(own_redis: RedisServer) -> None:
    client = BullMqClient(own_redis.url, STAGES, lock_seconds=LOCK_SECONDS)
    own_redis.kill()
    async with asyncio.timeout(CALL_SECONDS * 10):
        for call in (client.ping(), client.waiting(STAGES), client.take(STAGES), client.wait(STAGES, 0.1)):
            with pytest.raises(RedisUnavailable):
                await call
    await client.close()


async def test_a_cancelled_call_ends_whenever_the_cancellation_arrives(redis_server: RedisServer) -> None:
    client = BullMqClient(redis_server.url, STAGES, lock_seconds=LOCK_SECONDS)

    async def call_for_ever() -> None:
        while True:
            await client.ping()

    for turn in range(300):
        calling = asyncio.create_task(call_for_ever())
        for _ in range(turn % 30):
            await asyncio.sleep(0)
        calling.cancel()
        ended, _ = await asyncio.wait({calling}, timeout=PROCESS_SECONDS)
        assert ended, f"cancelled after {turn % 30} turns of the event loop"
    await client.close()


async def test_follow_ups_are_taken_when_no_run_waits(
    postgres: EngineUnderTest, own_redis: RedisServer
) -> None:
    """`chunk` stands for a follow-up: its offer is older and is taken last."""
    notifier = InProcessNotifier()
    await notifier.open()
    client = BullMqClient(own_redis.url, STAGES, lock_seconds=LOCK_SECONDS)
    queue = BullMqQueue(
        client, postgres.ledger, notifier, SystemClock(), STAGES, lease_seconds=30.0, follow_ups=("chunk",)
    )
    await postgres.ledger.submit_many(
        [a_submission(plan=a_plan(stages=(stage,))) for stage in ("chunk", "chunk", "extract", "extract")],
        SystemClock().now(),
    )
    await client.add(await postgres.ledger.due_jobs(SystemClock().now(), limit=10, stages=STAGES))
    taken: list[str] = []
    while len(taken) < 4:
        (job,) = await queue.claim(replace(REQUEST, limit=1), SystemClock().now())
        taken.append(job.stage)
    assert taken == ["extract", "extract", "chunk", "chunk"]
    await client.close()
    await notifier.close()
