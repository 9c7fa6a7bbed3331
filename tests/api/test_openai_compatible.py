"""Embedding by an OpenAI-compatible server that accepts few inputs per request."""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from tests.support.api_client import ApiClient, open_api_client
from tests.support.emulators import OpenAIEmulator
from tests.support.emulators.faults import Fault
from tests.support.random_text import prose
from towpath.ledger.sql_ledger import SqlLedger
from towpath.ledger.tables import provider_batch_limits

CHUNKS = 2000


@pytest.fixture
async def server() -> AsyncGenerator[OpenAIEmulator]:
    async with OpenAIEmulator(max_inputs=32) as emulator:
        yield emulator


def _settings(server: OpenAIEmulator, **more: Any) -> dict[str, Any]:
    return {"embedder": "openai", "openai_api_key": server.key, "openai_base_url": server.base_url, **more}


def _book(chapters: int) -> bytes:
    parts = (f"# Chapter {number}\n\nNumber {number}. {prose(90, number)}" for number in range(chapters))
    return "\n\n".join(parts).encode()


async def _limits(client: ApiClient) -> list[int]:
    ledger = client.runtime.services.ledger
    assert isinstance(ledger, SqlLedger)
    return ledger.database.transact(
        lambda tx: list(tx.connection.execute(select(provider_batch_limits.c.inputs)).scalars()), read=True
    )


async def test_a_book_of_2000_chunks_completes_with_default_settings(
    server: OpenAIEmulator, tmp_path: Path
) -> None:
    async with open_api_client(tmp_path / "data", **_settings(server)) as client:
        book = await client.upload("book.md", _book(CHUNKS))
        status = await client.wait_until_finished(book["id"])
        assert status["status"] == "COMPLETED", status["error"]
        assert (await client.get(f"/documents/{book['id']}"))["chunks"] >= CHUNKS
        refused = [request for request in server.requests if request["status"] == 413]
        assert 0 < len(refused) < 20
        assert set(server.bill.by_content.values()) == {1}, "a text was paid for twice"
        assert [16 <= inputs <= 32 for inputs in await _limits(client)] == [True]
    # After a restart the size is known
    server.requests.clear()
    async with open_api_client(tmp_path / "data", **_settings(server)) as client:
        other = await client.upload("other.md", _book(100).replace(b"Chapter", b"Part"))
        assert (await client.wait_until_finished(other["id"]))["status"] == "COMPLETED"
    assert Counter(request["status"] for request in server.requests).keys() == {200}


@pytest.mark.parametrize(("first", "second"), [(2048, 8), (8, 2048)], ids=["smaller", "larger"])
async def test_another_batch_size_pays_nothing_again(tmp_path: Path, first: int, second: int) -> None:
    async with OpenAIEmulator() as server:
        async with open_api_client(tmp_path / "data", **_settings(server, openai_batch_size=first)) as client:
            book = await client.upload("book.md", _book(100))
            assert (await client.wait_until_finished(book["id"]))["status"] == "COMPLETED"
        before = server.count("embeddings")
        async with open_api_client(
            tmp_path / "data", **_settings(server, openai_batch_size=second)
        ) as client:
            await client.post(f"/documents/{book['id']}/runs", json={})
            assert (await client.wait_until_finished(book["id"]))["status"] == "COMPLETED"
        assert server.count("embeddings") == before


async def test_a_document_whose_embedding_was_interrupted_pays_only_for_the_rest(
    server: OpenAIEmulator, tmp_path: Path
) -> None:
    async with open_api_client(
        tmp_path / "data", **_settings(server, openai_batch_size=32, max_attempts=1)
    ) as client:
        server.faults.add(Fault("embeddings", "slow", seconds=0.0, times=3))
        server.faults.add(Fault("embeddings", "status", status=500, times=-1))
        book = await client.upload("book.md", _book(200))
        assert (await client.wait_until_finished(book["id"]))["status"] == "FAILED"
        assert server.bill.operations == 3
        server.faults.clear()
    # With another batch size: what was answered is not sent again
    async with open_api_client(tmp_path / "data", **_settings(server, openai_batch_size=10)) as client:
        await client.upload("book.md", _book(200))
        assert (await client.wait_until_finished(book["id"]))["status"] == "COMPLETED"
    assert set(server.bill.by_content.values()) == {1}


async def test_a_file_that_a_provider_rejected_may_be_uploaded_again(tmp_path: Path) -> None:
    async with (
        OpenAIEmulator() as server,
        open_api_client(tmp_path / "data", **_settings(server)) as client,
    ):
        server.faults.add(Fault("embeddings", "status", status=400, message="This text is not welcome."))
        rejected = await client.upload("note.txt", b"A note about the boat.")
        status = await client.wait_until_finished(rejected["id"])
        assert status["status"] == "FAILED"
        assert "This text is not welcome." in status["error"]
        again = await client.upload("note.txt", b"A note about the boat.")
        assert again["id"] == rejected["id"]
        assert (await client.wait_until_finished(again["id"]))["status"] == "COMPLETED"
