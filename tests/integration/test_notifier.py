"""Notifiers: wake an idle worker at once, in one process and through Postgres, and detect lost connections."""

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
from tests.support.databases import PostgresServer
from tests.support.timeouts import async_wait_until
from towpath.notify.in_process import InProcessNotifier
from towpath.notify.postgres import CHANNEL, PostgresNotifier


@contextlib.asynccontextmanager
async def open_notifier(notifier: InProcessNotifier) -> AsyncGenerator[InProcessNotifier]:
    await notifier.open()
    try:
        yield notifier
    finally:
        await notifier.close()


async def _listening(dsn: str) -> PostgresNotifier:
    """Open a notifier and wait until it received its own self-test."""
    notifier = PostgresNotifier(dsn)
    notifier.self_test_seconds, notifier.self_test_patience = 0.2, 0.5
    await notifier.open()
    await _wait_until_listening(notifier)
    return notifier


async def _wait_until_listening(notifier: PostgresNotifier, listening: bool = True) -> None:
    async def received() -> bool:
        return notifier.is_listening is listening

    await async_wait_until(received, "the self-test to be received" if listening else "the self-test to fail")


@pytest.fixture(scope="module")
def dsn(postgres_server: PostgresServer) -> str:
    return postgres_server.create()


@pytest.fixture
async def notifier(dsn: str) -> AsyncIterator[PostgresNotifier]:
    notifier = await _listening(dsn)
    yield notifier
    await notifier.close()


class TestInsideOneProcess:
    async def test_a_notification_wakes_a_waiting_task(self) -> None:
        async with open_notifier(InProcessNotifier()) as notifier:
            waiting = asyncio.create_task(notifier.wait(30.0))
            await asyncio.sleep(0)
            notified_at = time.monotonic()
            notifier.notify()
            assert await waiting
            assert time.monotonic() - notified_at < 0.5

    async def test_a_notification_before_the_wait_is_kept(self) -> None:
        async with open_notifier(InProcessNotifier()) as notifier:
            notifier.notify()
            assert await notifier.wait(30.0)
            assert not await notifier.wait(0.01)

    async def test_any_thread_may_notify(self) -> None:
        async with open_notifier(InProcessNotifier()) as notifier:
            threading.Thread(target=notifier.notify).start()
            assert await notifier.wait(30.0)

    async def test_without_a_notification_the_wait_ends_after_its_time(self) -> None:
        async with open_notifier(InProcessNotifier()) as notifier:
            assert not await notifier.wait(0.01)

    async def test_a_closed_notifier_sends_nothing(self) -> None:
        notifier = InProcessNotifier()
        notifier.notify()
        async with open_notifier(notifier):
            assert not await notifier.wait(0.01)
        notifier.notify()


class TestAcrossProcesses:
    async def test_a_notification_is_received_by_another_process_within_milliseconds(
        self, notifier: PostgresNotifier, dsn: str
    ) -> None:
        async with open_notifier(PostgresNotifier(dsn, listen=False)) as sender:
            seconds: list[float] = []
            for _ in range(20):
                await notifier.wait(0.02)
                notified_at = time.monotonic()
                sender.notify()
                assert await notifier.wait(10.0)
                seconds.append(time.monotonic() - notified_at)
        # 1 to 2 ms on a quiet machine.
        assert statistics.median(seconds) < 0.1

    async def test_a_thousand_notifications_are_sent_as_few_messages(
        self, notifier: PostgresNotifier, dsn: str
    ) -> None:
        assert notifier.is_listening
        with psycopg.connect(dsn, autocommit=True) as listener:
            listener.execute(f"listen {CHANNEL}")
            async with open_notifier(PostgresNotifier(dsn, listen=False)) as sender:
                started = time.monotonic()
                for _ in range(1000):
                    sender.notify()
                    await asyncio.sleep(0)
                took = time.monotonic() - started
                await asyncio.to_thread(_receive_one, listener)
            received = [note for note in listener.notifies(timeout=0.2) if note.payload == ""]
        assert len(received) + 1 <= took / PostgresNotifier.coalesce_seconds + 2

    async def test_self_tests_wake_no_waiting_task(self, notifier: PostgresNotifier, dsn: str) -> None:
        other = await _listening(dsn)
        while await notifier.wait(0.05):
            pass
        # Several self-tests of both notifiers are sent in this second.
        assert not await notifier.wait(1.0)
        await other.close()

    async def test_notifications_inside_transactions_are_limited(self, dsn: str) -> None:
        sender = PostgresNotifier(dsn, listen=False)
        in_transaction = [sender.should_notify_in_transaction() for _ in range(100)]
        assert in_transaction[0] is True
        assert sum(in_transaction) < 20


def _receive_one(listener: psycopg.Connection[tuple[object, ...]]) -> None:
    for _ in listener.notifies(timeout=10.0, stop_after=1):
        return


class TestLostConnections:
    async def test_a_listener_whose_session_is_ended_listens_again(
        self, notifier: PostgresNotifier, dsn: str
    ) -> None:
        with psycopg.connect(dsn, autocommit=True) as connection:
            query = "select pg_terminate_backend(pid) from pg_stat_activity where query = %s"
            assert connection.execute(query, (f"listen {CHANNEL}",)).fetchall()
        await _wait_until_listening(notifier, False)
        await _wait_until_listening(notifier)
        async with open_notifier(PostgresNotifier(dsn, listen=False)) as sender:
            sender.notify()
            assert await notifier.wait(10.0)

    async def test_a_hanging_connection_is_detected_by_the_self_test(
        self, dsn: str, postgres_server: PostgresServer
    ) -> None:
        """A hanging connection raises no error; only the missing self-test shows it."""
        with proxied(postgres_server.folder) as (proxy, folder):
            notifier = await _listening(dsn.replace(str(postgres_server.folder), str(folder)))
            proxy.hang()
            await _wait_until_listening(notifier, False)
            proxy.restore()
            await _wait_until_listening(notifier)
            await notifier.close()

    async def test_without_a_database_the_notifier_still_wakes_its_own_process(self, tmp_path: Path) -> None:
        notifier = PostgresNotifier(f"postgresql://postgres@/nowhere?host={tmp_path}")
        async with open_notifier(notifier):
            assert not notifier.is_listening
            notifier.notify()
            assert await notifier.wait(10.0)

    async def test_closing_does_not_wait_for_a_hanging_connection(
        self, dsn: str, postgres_server: PostgresServer
    ) -> None:
        with proxied(postgres_server.folder) as (proxy, folder):
            notifier = await _listening(dsn.replace(str(postgres_server.folder), str(folder)))
            proxy.hang()
            notifier.notify()
            started_at = time.monotonic()
            await notifier.close()
            assert time.monotonic() - started_at < 6.0
