"""Batches of the `bullmq` client: many jobs are moved by one command, and each as BullMQ itself would move it."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncGenerator
from typing import cast

import pytest
from redis import Redis

from tests.support.redis_server import RedisServer
from towpath.job_queue.bullmq_client import BullMqClient, RedisUnavailable
from towpath.model.ids import DEFAULT_ORG_ID, new_id
from towpath.model.job import DueJob

STAGES = ("extract", "chunk", "embed")
#: No delivery is abandoned during a test.
LOCK_SECONDS = 600.0


@contextlib.asynccontextmanager
async def _open(redis: RedisServer) -> AsyncGenerator[BullMqClient]:
    client = BullMqClient(redis.url, STAGES, lock_seconds=LOCK_SECONDS)
    try:
        yield client
    finally:
        await client.close()


def _due(stage: str, count: int) -> list[DueJob]:
    return [DueJob(new_id(), 0, DEFAULT_ORG_ID, new_id(), new_id(), stage, {}) for _ in range(count)]


def _script_calls(redis: RedisServer) -> int:
    with Redis.from_url(redis.url, decode_responses=True) as client:
        statistics = cast("dict[str, dict[str, int]]", client.info("commandstats"))
    return sum(statistics.get(f"cmdstat_{name}", {}).get("calls", 0) for name in ("eval", "evalsha"))


async def test_a_hundred_jobs_are_offered_taken_extended_and_removed_by_one_command_each(
    own_redis: RedisServer,
) -> None:
    async with _open(own_redis) as client:
        # The first call of a script also loads it.
        await client.add(_due("extract", 1))
        await client.remove(await client.take(STAGES))
        jobs = [*_due("extract", 60), *_due("chunk", 40)]
        before = _script_calls(own_redis)
        assert await client.missing(jobs) == jobs
        await client.add(jobs)
        deliveries = await client.take(STAGES)
        await client.extend(deliveries, 30.0)
        await client.remove(deliveries)
        # Each script that Redis does not know yet is called twice. BullMQ extends the locks of one queue at a time.
        assert _script_calls(own_redis) - before <= 2 + 1 + 1 + 3 + 1
    assert {delivery.job_id for delivery in deliveries} == {job.id for job in jobs}
    assert not [key for key in own_redis.all_keys() if key.count("-") == 4]
    assert (own_redis.events("extract")["completed"], own_redis.events("chunk")["completed"]) == (61, 40)


async def test_stages_are_taken_by_turns_and_the_last_ones_after_all_others(own_redis: RedisServer) -> None:
    async with _open(own_redis) as client:
        for stage, count in (("extract", 3), ("chunk", 1), ("embed", 2)):
            await client.add(_due(stage, count))
        taken = await client.take(("embed", "extract"), 4, last=("chunk",))
        assert [delivery.stage for delivery in taken] == ["embed", "extract", "embed", "extract"]
        taken = await client.take(("embed", "extract"), 4, last=("chunk",))
        assert [delivery.stage for delivery in taken] == ["extract", "chunk"]
        assert await client.take(STAGES) == []


async def test_a_delivery_that_another_worker_holds_is_not_removed_with_the_others(
    own_redis: RedisServer,
) -> None:
    jobs = _due("extract", 3)
    async with _open(own_redis) as client:
        await client.add(jobs)
        deliveries = await client.take(STAGES)
        other = f"towpath:extract:{deliveries[1].id}"
        with Redis.from_url(own_redis.url) as redis:
            redis.set(f"{other}:lock", "the token of another worker")
        await client.remove(deliveries)
        assert await client.missing(jobs) == [jobs[0], jobs[2]]


async def test_a_stage_whose_keys_are_broken_does_not_stop_the_other_stages(own_redis: RedisServer) -> None:
    async with _open(own_redis) as client:
        await client.add([*_due("extract", 1), *_due("chunk", 1)])
        with Redis.from_url(own_redis.url) as redis:
            redis.set("towpath:chunk:active", "not a list")
        assert [delivery.stage for delivery in await client.take(STAGES)] == ["extract"]
        with pytest.raises(RedisUnavailable, match="WRONGTYPE"):
            await client.take(STAGES)


async def test_the_scripts_are_loaded_again_after_a_restart_of_redis(own_redis: RedisServer) -> None:
    async with _open(own_redis) as client:
        await client.add(_due("extract", 1))
        own_redis.kill()
        own_redis.start()
        jobs = _due("extract", 2)
        await client.add(jobs)
        assert [delivery.job_id for delivery in await client.take(STAGES)] == [job.id for job in jobs]
