"""Towpath behind pgbouncer in transaction mode: nothing depends on session state."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from tests.support.api_client import open_api_client
from tests.support.databases import PostgresServer
from tests.support.factories import a_submission
from tests.support.pgbouncer import pooled, pooled_dsn
from tests.support.timeouts import async_wait_until
from towpath.clock import SystemClock
from towpath.ledger.postgres.database import PostgresDatabase
from towpath.ledger.sql_ledger import SqlLedger
from towpath.notify.postgres import PostgresNotifier
from towpath.postgres_pooler import is_pooled

NOTE = b"A note about the summit pound."


@pytest.fixture(scope="module")
def direct(postgres_server: PostgresServer) -> str:
    return postgres_server.create_migrated()


@pytest.fixture(scope="module")
def pooler(direct: str, postgres_server: PostgresServer) -> Iterator[str]:
    with pooled(postgres_server) as folder:
        yield pooled_dsn(folder, direct, postgres_server)


def test_a_pooler_is_recognised(direct: str, pooler: str) -> None:
    for dsn, expected in ((direct, False), (pooler, True)):
        with psycopg.connect(dsn) as connection:
            assert is_pooled(connection) is expected


async def test_many_documents_are_submitted_through_a_pooler(pooler: str) -> None:
    ledger = SqlLedger(PostgresDatabase(pooler))
    try:
        submissions = [a_submission() for _ in range(600)]
        for duplicate in (False, True):
            answers = await ledger.submit_many(submissions, SystemClock().now())
            assert {answer.duplicate for answer in answers} == {duplicate}
    finally:
        ledger.close()


async def test_documents_of_two_organizations_are_processed_through_one_pooler(
    pooler: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "towpath")
    async with open_api_client(tmp_path / "data", database=pooler, poll_seconds=0.05) as client:
        keys = client.runtime.services.keys
        keys_created = [await keys.create(name, "test", SystemClock().now()) for name in ("ann", "bob")]
        headers = [{"Authorization": f"Bearer {secret}"} for _, secret in keys_created]

        async def process_document(auth: dict[str, str], number: int) -> None:
            files = {"file": ("note.txt", NOTE + b" Number %d." % number)}
            document = (await client.http.post("/documents", files=files, headers=auth)).json()
            while True:
                answer = await client.http.get(f"/documents/{document['id']}/status", headers=auth)
                assert answer.status_code == 200, answer.text
                if answer.json()["poll_after_ms"] is None:
                    break
                await asyncio.sleep(0.05)
            assert answer.json()["status"] == "COMPLETED", answer.text

        await asyncio.gather(*(process_document(auth, number) for number in range(4) for auth in headers))
        # Both organizations share sessions, and each sees only its own documents.
        for auth in headers:
            assert (await client.http.get("/documents", headers=auth)).json()["total"] == 4
            hits = (await client.http.get("/search", params={"q": "summit pound"}, headers=auth)).json()[
                "hits"
            ]
            assert len(hits) == 4
    records = [record for record in caplog.records if record.name.startswith("towpath")]
    assert not [record for record in records if record.levelno >= logging.ERROR]
    assert any("workers poll" in record.getMessage() for record in caplog.records)


async def test_a_notifier_behind_a_pooler_does_not_listen(direct: str, pooler: str) -> None:
    notifier = PostgresNotifier(pooler)
    await notifier.open()
    await notifier.wait(0.5)
    assert not notifier.is_listening
    with psycopg.connect(direct) as connection:
        listening = (
            "select count(*) from pg_stat_activity where query ilike 'listen%' and pid <> pg_backend_pid()"
        )
        assert connection.execute(listening).fetchall() == [(0,)]
    await notifier.close()


async def test_with_a_direct_address_a_notification_arrives(direct: str, pooler: str) -> None:
    notifier, sender = PostgresNotifier(pooler, direct=direct), PostgresNotifier(pooler, listen=False)
    await notifier.open()
    await sender.open()

    async def is_listening() -> bool:
        return notifier.is_listening

    await async_wait_until(is_listening, "the notifier to receive its self-test through the pooler")
    sender.notify()
    assert await notifier.wait(10.0)
    await sender.close()
    await notifier.close()
