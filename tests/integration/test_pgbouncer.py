"""Behind a pooler in transaction mode: no statement and no setting relies on whose session it lands in."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from tests.integration.workshop import until
from tests.support.databases import PostgresServer
from tests.support.desk import opened_desk
from tests.support.pgbouncer import pooled, through
from towpath.clock import SystemClock
from towpath.pooler import behind_pooler
from towpath.queue.postgres import PostgresBell

NOTE = b"A note about the summit pound."


@pytest.fixture(scope="module")
def direct(postgres_server: PostgresServer) -> str:
    return postgres_server.create_migrated()


@pytest.fixture(scope="module")
def pooler(direct: str, postgres_server: PostgresServer) -> Iterator[str]:
    with pooled(postgres_server) as folder:
        yield through(folder, direct, postgres_server)


def test_a_pooler_is_recognised(direct: str, pooler: str) -> None:
    for dsn, expected in ((direct, False), (pooler, True)):
        with psycopg.connect(dsn) as connection:
            assert behind_pooler(connection) is expected


async def test_documents_of_two_organizations_pass_through_it_side_by_side(
    pooler: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "towpath")
    async with opened_desk(tmp_path / "data", database=pooler, poll_seconds=0.05) as desk:
        keys = desk.towpath.services.keys
        made = [await keys.create(name, "test", SystemClock().now()) for name in ("ann", "bob")]
        headers = [{"Authorization": f"Bearer {secret}"} for _, secret in made]

        async def work_of(one: dict[str, str], number: int) -> None:
            files = {"file": ("note.txt", NOTE + b" Number %d." % number)}
            document = (await desk.http.post("/documents", files=files, headers=one)).json()
            while True:
                answer = await desk.http.get(f"/documents/{document['id']}/status", headers=one)
                assert answer.status_code == 200, answer.text
                if answer.json()["poll_after_ms"] is None:
                    break
                await asyncio.sleep(0.05)
            assert answer.json()["status"] == "COMPLETED", answer.text

        await asyncio.gather(*(work_of(one, number) for number in range(4) for one in headers))
        # Transactions of both land on the same sessions, and still each sees its own.
        for one in headers:
            assert (await desk.http.get("/documents", headers=one)).json()["total"] == 4
            hits = (await desk.http.get("/search", params={"q": "summit pound"}, headers=one)).json()["hits"]
            assert len(hits) == 4
    ours = [record for record in caplog.records if record.name.startswith("towpath")]
    assert not [record for record in ours if record.levelno >= logging.ERROR]
    assert any("workers poll" in record.getMessage() for record in caplog.records)


async def test_no_session_listens_for_somebody_else(direct: str, pooler: str) -> None:
    bell = PostgresBell(pooler)
    await bell.open()
    await bell.wait(0.5)
    assert not bell.reliable
    with psycopg.connect(direct) as connection:
        listening = (
            "select count(*) from pg_stat_activity where query ilike 'listen%' and pid <> pg_backend_pid()"
        )
        assert connection.execute(listening).fetchall() == [(0,)]
    await bell.close()


async def test_with_a_direct_address_a_worker_is_woken_at_once(direct: str, pooler: str) -> None:
    bell, ringer = PostgresBell(pooler, direct=direct), PostgresBell(pooler, listen=False)
    await bell.open()
    await ringer.open()

    async def hears() -> bool:
        return bell.reliable

    await until(hears, "the bell to hear itself through the pooler")
    ringer.ring()
    assert await bell.wait(10.0)
    await ringer.close()
    await bell.close()
