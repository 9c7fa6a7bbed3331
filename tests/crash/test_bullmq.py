"""Jobs delivered by BullMQ: workers and Redis are killed, Redis loses its data; nothing is lost, nothing done twice."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.crash.crash_harness import CrashHarness
from tests.crash.stages import BUSY
from tests.support.processes import WorkerProcess
from tests.support.redis_server import RedisServer, private_redis
from tests.support.timeouts import wait_until

FALLBACK = "Jobs are claimed from the database until it answers."
#: Ten passes of a queue that offers what is not in Redis.
TEN_PASSES = 10.0


@pytest.fixture
def redis(tmp_path: Path) -> Iterator[RedisServer]:
    with private_redis(tmp_path) as server:
        yield server


def _start(
    harness: CrashHarness, redis: RedisServer, *arguments: str, stages: tuple[str, ...] = BUSY
) -> WorkerProcess:
    pace = ("--lease", "3", "--concurrency", "2", "--poll", "0.2", "--grace", "0.2")
    return harness.start("--redis", redis.url, "--stages", ",".join(stages), *pace, *arguments)


def _wait_for_effects(harness: CrashHarness, number: int) -> None:
    wait_until(lambda: len(harness.effects) >= number, f"{number} stages to be started")


def test_documents_complete_although_a_worker_is_killed(postgres: CrashHarness, redis: RedisServer) -> None:
    runs = postgres.submit("busy", BUSY, count=30)
    killed, survivor = _start(postgres, redis), _start(postgres, redis)
    _wait_for_effects(postgres, 20)
    killed.kill()
    postgres.wait_until_all_ended()
    survivor.retire()
    postgres.assert_nothing_lost_and_nothing_twice()
    assert {effect.pid for effect in postgres.effects} == {killed.pid, survivor.pid}
    # BullMQ delivered the first stage of every run: the next stages are worked under the kept lease.
    assert redis.events(BUSY[0])["added"] >= len(runs)
    assert not survivor.logged(FALLBACK)


def test_workers_of_different_stages_hand_every_job_on_through_bullmq(
    postgres: CrashHarness, redis: RedisServer
) -> None:
    postgres.submit("busy", BUSY, count=10)
    workers = [_start(postgres, redis, stages=(stage,)) for stage in BUSY]
    postgres.wait_until_all_ended()
    for worker in workers:
        worker.retire()
    postgres.assert_nothing_lost_and_nothing_twice()
    for stage in BUSY:
        assert redis.events(stage)["completed"] >= 10
    # No record is left, so that none swallows a later offer.
    assert not [key for key in redis.all_keys() if key.count("-") == 4]


def test_documents_complete_although_redis_is_killed_and_flushed(
    postgres: CrashHarness, redis: RedisServer
) -> None:
    postgres.submit("busy", BUSY, count=60)
    workers = [_start(postgres, redis), _start(postgres, redis)]
    _wait_for_effects(postgres, 10)
    redis.flush()
    _wait_for_effects(postgres, 40)
    redis.kill()
    wait_until(lambda: all(worker.logged(FALLBACK) for worker in workers), "the workers to notice")
    _wait_for_effects(postgres, len(postgres.effects) + 20)
    redis.start()
    wait_until(
        lambda: all(worker.logged("Redis answers again") for worker in workers), "Redis to be used again"
    )
    postgres.wait_until_all_ended()
    for worker in workers:
        worker.retire()
        assert worker.log.read_text("utf-8").count(FALLBACK) == 1
    postgres.assert_nothing_lost_and_nothing_twice()


def test_offers_that_redis_lost_are_made_again(postgres: CrashHarness, redis: RedisServer) -> None:
    _lose_offers(postgres, redis, _start(postgres, redis))
    postgres.wait_until_all_ended()
    postgres.assert_nothing_lost_and_nothing_twice()


def test_without_new_offers_the_lost_jobs_stay(postgres: CrashHarness, redis: RedisServer) -> None:
    """A planted bug: it proves that the test before sees the new offers."""
    _lose_offers(
        postgres, redis, _start(postgres, redis, "--queue-class", "tests.crash.planted_bugs:OfferOnce")
    )
    time.sleep(TEN_PASSES)
    assert postgres.unfinished() > 0
    _start(postgres, redis)
    postgres.wait_until_all_ended()
    postgres.assert_nothing_lost_and_nothing_twice()


def _lose_offers(harness: CrashHarness, redis: RedisServer, worker: WorkerProcess) -> None:
    """Stop the worker while many of its offers wait in Redis, and delete all that Redis holds."""
    harness.submit("busy", BUSY, count=20)
    wait_until(lambda: redis.waiting(BUSY[0]) >= 4, "offers in Redis")
    worker.freeze()
    assert redis.waiting(BUSY[0]) > 0
    redis.flush()
    worker.wake()
