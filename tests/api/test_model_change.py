"""Another embedding model: the library is embedded again in the background, and the old vectors answer until then."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.support.api_client import ApiClient, open_api_client
from tests.support.databases import PostgresServer
from tests.support.emulators import OpenAIEmulator
from tests.support.random_text import prose
from tests.support.servers import Server
from tests.support.timeouts import WAIT_SECONDS, wait_until

CELLAR = b"The key of the cellar hangs on a nail behind the kitchen door.\n"
BUDGET = b"The committee approved the annual budget of the hospital in March.\n"
RUSSIAN_QUESTION = "Где ключ от подвала?"


async def upload(client: ApiClient, name: str, content: bytes) -> str:
    document = await client.upload(name, content)
    assert (await client.wait_until_finished(document["id"]))["status"] == "COMPLETED"
    return document["id"]


async def wait_for_model(client: ApiClient, model: str) -> Any:
    async def changed() -> Any:
        while True:
            view = await client.get("/model")
            if (view["model"], view["change"]) == (model, "none"):
                return view
            await asyncio.sleep(0.05)

    return await asyncio.wait_for(changed(), WAIT_SECONDS)


async def found(client: ApiClient, question: str) -> list[str]:
    """The names of the documents that vector search finds."""
    answer = await client.get("/search", q=question, mode="vector", limit=10)
    return [hit["document_name"] for hit in answer["hits"]]


@pytest.fixture(params=["sqlite", "postgres"])
def engine_settings(request: pytest.FixtureRequest) -> dict[str, Any]:
    if request.param == "sqlite":
        return {}
    server: PostgresServer = request.getfixturevalue("postgres_server")
    return {"database": server.create_migrated()}


async def test_a_local_model_replaces_another_by_itself(engine_settings: dict[str, Any], tmp_path: Path):
    data = tmp_path / "data"
    async with open_api_client(data, **engine_settings) as client:
        await upload(client, "cellar.txt", CELLAR)
        await upload(client, "budget.txt", BUDGET)
        assert (await client.get("/model"))["model"] == "wordllama-256"
    # Without a worker the change does not start, and the old vectors answer.
    async with open_api_client(data, with_worker=False, embedder="multilingual", **engine_settings) as client:
        view = await client.get("/model")
        assert (view["change"], view["chunks_left"], view["price"]) == ("needs_start", 2, 0.0)
        assert (await found(client, "the key of the cellar"))[0] == "cellar.txt"
    async with open_api_client(data, embedder="multilingual", **engine_settings) as client:
        view = await wait_for_model(client, "use-multilingual-3")
        assert (view["chunks"], view["chunks_left"]) == (2, 0)
        assert (await found(client, RUSSIAN_QUESTION))[0] == "cellar.txt"
        # Documents that come later have the new model.
        await upload(client, "boat.txt", b"The narrow boat carries coal and one dog.\n")
        assert (await client.get("/model"))["chunks_left"] == 0


async def test_a_paid_model_waits_for_a_confirmation_that_shows_chunks_and_price(
    engine_settings: dict[str, Any], tmp_path: Path
):
    data = tmp_path / "data"
    async with open_api_client(data, **engine_settings) as client:
        await upload(client, "cellar.txt", CELLAR)
    async with OpenAIEmulator() as openai:
        paid: dict[str, Any] = {
            "embedder": "openai",
            "openai_api_key": openai.key,
            "openai_base_url": openai.base_url,
            **engine_settings,
        }
        async with open_api_client(data, **paid) as client:
            # A document that comes before the confirmation has the present model: nothing is paid for.
            await upload(client, "budget.txt", BUDGET)
            view = await client.get("/model")
            assert (view["change"], view["chunks_left"]) == ("needs_confirmation", 2)
            assert 0 < view["price"] < 0.01
            refused = await client.http.post("/model/change")
            assert refused.status_code == 409
            assert "2 chunks" in refused.json()["detail"]
            assert openai.count("embeddings") == 0

            started = await client.http.post("/model/change", params={"confirm": "true"})

            assert started.status_code == 200
            await wait_for_model(client, "text-embedding-3-small")
            assert set(openai.bill.by_content.values()) == {1}
    # Back to the old model: its answers are stored.
    async with open_api_client(data, **engine_settings) as client:
        await wait_for_model(client, "wordllama-256")
        assert (await found(client, "the key of the cellar"))[0] == "cellar.txt"


async def test_a_killed_server_continues_and_pays_nothing_twice(tmp_path: Path):
    data = tmp_path / "data"
    documents = {f"{number}.md": f"# Part {number}\n\n{prose(60, number)}".encode() for number in range(12)}
    async with open_api_client(data) as client:
        for name, content in documents.items():
            await upload(client, name, content)
    async with OpenAIEmulator() as openai:
        settings = {
            "TOWPATH_EMBEDDER": "openai",
            "TOWPATH_OPENAI_API_KEY": openai.key,
            "TOWPATH_OPENAI_BASE_URL": openai.base_url,
        }
        server = Server(data, settings=settings)
        await asyncio.to_thread(server.wait_until_ready)
        await asyncio.to_thread(post, server, "/model/change?confirm=true")
        await asyncio.to_thread(wait_until, lambda: openai.count("embeddings") >= 3, "three paid calls")
        server.kill()
        paid_before = openai.count("embeddings")
        answered_before = answered_calls(data)
        assert answered_before < len(documents), "the server was killed too late"

        with Server(data, settings=settings) as again:
            await asyncio.to_thread(wait_until, is_complete(again), "the change of the model")

        # A call whose answer was stored is never made again.
        assert openai.count("embeddings") == paid_before + len(documents) - answered_before


def answered_calls(data: Path) -> int:
    with closing(sqlite3.connect(data / "towpath.db")) as database:
        query = "select count(*) from provider_calls where provider = 'openai' and answered_at is not null"
        return database.execute(query).fetchone()[0]


def post(server: Server, path: str) -> None:
    httpx.post(f"{server.url}{path}", timeout=30).raise_for_status()


def is_complete(server: Server) -> Callable[[], bool]:
    def check() -> bool:
        view = httpx.get(f"{server.url}/model", timeout=30).json()
        return (view["model"], view["change"]) == ("text-embedding-3-small", "none")

    return check
