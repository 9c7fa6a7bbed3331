"""A Postgres without writes or free connections: requests get a problem with its code, and all heals by itself."""

from __future__ import annotations

import contextlib
from collections.abc import Generator
from pathlib import Path

import psycopg
import pytest
from psycopg import sql
from psycopg.conninfo import conninfo_to_dict

from tests.support.api_client import ApiClient, open_api_client
from tests.support.databases import PostgresServer, private_postgres

NOTE = b"# Weir\n\nThe weir keeps the level of the upper pound.\n"


@pytest.fixture
def server() -> Generator[PostgresServer]:
    with private_postgres({"max_connections": "12", "superuser_reserved_connections": "3"}) as server:
        yield server


async def _refused(client: ApiClient) -> tuple[int, str]:
    answer = await client.http.post("/documents", files={"file": ("note.md", NOTE)})
    return answer.status_code, answer.json()["type"]


def _set_read_only(server: PostgresServer, dsn: str, value: str) -> None:
    name = conninfo_to_dict(dsn)["dbname"]
    assert isinstance(name, str)
    database = sql.Identifier(name)
    server.command(
        sql.SQL("alter database {} set default_transaction_read_only = {}").format(
            database, sql.Literal(value)
        )
    )
    server.command(
        sql.SQL(
            "select pg_terminate_backend(pid) from pg_stat_activity where datname = {} and pid <> pg_backend_pid()"
        ).format(sql.Literal(name))
    )


async def test_a_server_in_recovery_answers_reads_and_refuses_writes(
    server: PostgresServer, tmp_path: Path
) -> None:
    dsn = server.create_migrated()
    async with open_api_client(tmp_path, database=dsn, embedder="fast") as client:
        document = await client.upload("first.md", NOTE + b"first")
        assert (await client.wait_until_finished(document["id"]))["status"] == "COMPLETED"
        _set_read_only(server, dsn, "on")
        await _until_connected(client)

        assert await _refused(client) == (503, "urn:towpath:database-read-only")
        assert (await client.get("/search", q="weir"))["hits"][0]["document_id"] == document["id"]

        _set_read_only(server, dsn, "off")
        await _until_connected(client)
        later = await client.upload("note.md", NOTE)
        assert (await client.wait_until_finished(later["id"]))["status"] == "COMPLETED"


async def _until_connected(client: ApiClient) -> None:
    """Make a request until the pool has replaced the connections that were ended."""
    for _ in range(20):
        if (await client.http.get("/documents")).status_code == 200:
            return
    raise AssertionError("the pool has no working connection")


async def test_without_free_connections_requests_are_refused_until_there_are_some(
    server: PostgresServer, tmp_path: Path
) -> None:
    dsn = server.create_migrated()
    with contextlib.ExitStack() as others, psycopg.connect(server.dsn(), autocommit=True) as administrator:
        async with open_api_client(tmp_path, database=dsn, embedder="fast", with_worker=False) as client:
            _take_all_connections(others, dsn)
            administrator.execute(
                "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'towpath'"
            )
            _take_all_connections(others, dsn)

            assert await _refused(client) == (503, "urn:towpath:database-unavailable")

            others.close()
            assert (await client.upload("note.md", NOTE))["status"] == "PROCESSING"


def _take_all_connections(others: contextlib.ExitStack, dsn: str) -> None:
    with contextlib.suppress(psycopg.OperationalError):
        while True:
            others.enter_context(psycopg.connect(dsn))
