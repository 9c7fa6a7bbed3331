"""The bell: how a worker learns at once that there is work, and what happens when nobody hears it."""

from __future__ import annotations

import asyncio
import contextlib
import statistics
import threading
import time
from collections.abc import AsyncGenerator, AsyncIterator
from pathlib import Path

import psycopg
import pytest

from tests.crash.proxy import proxied
from tests.integration.workshop import until
from tests.support.databases import PostgresServer
from towpath.queue.local import LocalBell
from towpath.queue.postgres import CHANNEL, PostgresBell


@contextlib.asynccontextmanager
async def opened(bell: LocalBell) -> AsyncGenerator[LocalBell]:
    await bell.open()
    try:
        yield bell
    finally:
        await bell.close()


async def _listening(dsn: str) -> PostgresBell:
    """A bell that has heard itself once."""
    bell = PostgresBell(dsn)
    bell.self_test_seconds, bell.self_test_patience = 0.2, 0.5
    await bell.open()
    await _until_reliable(bell)
    return bell


async def _until_reliable(bell: PostgresBell, reliable: bool = True) -> None:
    async def heard() -> bool:
        return bell.reliable is reliable

    await until(heard, "the bell to hear itself" if reliable else "the bell to notice that it is deaf")


@pytest.fixture(scope="module")
def dsn(postgres_server: PostgresServer) -> str:
    return postgres_server.create()


@pytest.fixture
async def bell(dsn: str) -> AsyncIterator[PostgresBell]:
    bell = await _listening(dsn)
    yield bell
    await bell.close()


class TestInsideOneProcess:
    async def test_a_ring_wakes_whoever_waits(self) -> None:
        async with opened(LocalBell()) as bell:
            waiting = asyncio.create_task(bell.wait(30.0))
            await asyncio.sleep(0)
            rung_at = time.monotonic()
            bell.ring()
            assert await waiting
            assert time.monotonic() - rung_at < 0.5

    async def test_a_ring_before_anybody_waits_is_kept(self) -> None:
        async with opened(LocalBell()) as bell:
            bell.ring()
            assert await bell.wait(30.0)
            assert not await bell.wait(0.01)

    async def test_any_thread_may_ring(self) -> None:
        async with opened(LocalBell()) as bell:
            threading.Thread(target=bell.ring).start()
            assert await bell.wait(30.0)

    async def test_without_a_ring_the_wait_ends_when_its_time_is_up(self) -> None:
        async with opened(LocalBell()) as bell:
            assert not await bell.wait(0.01)

    async def test_a_closed_bell_is_silent(self) -> None:
        bell = LocalBell()
        bell.ring()
        async with opened(bell):
            assert not await bell.wait(0.01)
        bell.ring()


class TestAcrossProcesses:
    async def test_a_ring_is_heard_elsewhere_within_milliseconds(self, bell: PostgresBell, dsn: str) -> None:
        async with opened(PostgresBell(dsn, listen=False)) as ringer:
            seconds: list[float] = []
            for _ in range(20):
                await bell.wait(0.02)
                rung_at = time.monotonic()
                ringer.ring()
                assert await bell.wait(10.0)
                seconds.append(time.monotonic() - rung_at)
        # 1 to 2 ms on a quiet machine.
        assert statistics.median(seconds) < 0.1

    async def test_a_thousand_rings_are_few_messages(self, bell: PostgresBell, dsn: str) -> None:
        assert bell.reliable
        with psycopg.connect(dsn, autocommit=True) as spy:
            spy.execute(f"listen {CHANNEL}")
            async with opened(PostgresBell(dsn, listen=False)) as ringer:
                started = time.monotonic()
                for _ in range(1000):
                    ringer.ring()
                    await asyncio.sleep(0)
                took = time.monotonic() - started
                await asyncio.to_thread(_hear_one, spy)
            heard = [note for note in spy.notifies(timeout=0.2) if note.payload == ""]
        assert len(heard) + 1 <= took / PostgresBell.coalesce_seconds + 2

    async def test_self_tests_wake_nobody(self, bell: PostgresBell, dsn: str) -> None:
        neighbour = await _listening(dsn)
        while await bell.wait(0.05):
            pass
        # Several self-tests go by, of this bell and of its neighbour.
        assert not await bell.wait(1.0)
        await neighbour.close()

    async def test_news_that_rides_in_a_transaction_is_not_rung_for_too_often(self, dsn: str) -> None:
        ringer = PostgresBell(dsn, listen=False)
        rides = [ringer.rides() for _ in range(100)]
        assert rides[0] is True
        assert sum(rides) < 20


def _hear_one(spy: psycopg.Connection[tuple[object, ...]]) -> None:
    for _ in spy.notifies(timeout=10.0, stop_after=1):
        return


class TestDeafness:
    async def test_a_listener_whose_session_is_ended_listens_again(
        self, bell: PostgresBell, dsn: str
    ) -> None:
        with psycopg.connect(dsn, autocommit=True) as connection:
            query = "select pg_terminate_backend(pid) from pg_stat_activity where query = %s"
            assert connection.execute(query, (f"listen {CHANNEL}",)).fetchall()
        await _until_reliable(bell, False)
        await _until_reliable(bell)
        async with opened(PostgresBell(dsn, listen=False)) as ringer:
            ringer.ring()
            assert await bell.wait(10.0)

    async def test_a_wire_that_went_silent_is_noticed_by_the_self_test(
        self, dsn: str, postgres_server: PostgresServer
    ) -> None:
        """No error ever comes: only what is not heard tells."""
        with proxied(postgres_server.folder) as (proxy, folder):
            bell = await _listening(dsn.replace(str(postgres_server.folder), str(folder)))
            proxy.hang()
            await _until_reliable(bell, False)
            proxy.mend()
            await _until_reliable(bell)
            await bell.close()

    async def test_without_a_database_the_bell_still_wakes_its_own_process(self, tmp_path: Path) -> None:
        bell = PostgresBell(f"postgresql://postgres@/nowhere?host={tmp_path}")
        async with opened(bell):
            assert not bell.reliable
            bell.ring()
            assert await bell.wait(10.0)

    async def test_closing_does_not_wait_for_a_silent_wire(
        self, dsn: str, postgres_server: PostgresServer
    ) -> None:
        with proxied(postgres_server.folder) as (proxy, folder):
            bell = await _listening(dsn.replace(str(postgres_server.folder), str(folder)))
            proxy.hang()
            bell.ring()
            asked_at = time.monotonic()
            await bell.close()
            assert time.monotonic() - asked_at < 6.0
