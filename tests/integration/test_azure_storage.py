"""Towpath with its files in Azure Blob Storage: the same work, addresses for providers, and outages."""

from __future__ import annotations

import asyncio
import base64
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from click.testing import CliRunner

from tests.support.azurite import KEY, connection_string
from tests.support.desk import Desk, opened_desk
from tests.support.relay import Relay
from tests.support.servers import free_port
from towpath.cli.main import main
from towpath.errors import ConfigError, StorageUnavailable
from towpath.model.ids import new_id
from towpath.storage.azure import AzureStore

NOTE = b"# The lock\n\nA staircase of five locks climbs the hill at Bingley.\n"


@pytest.fixture
def container() -> str:
    return f"test-{new_id()}"


@pytest.fixture
async def store(azurite: str, container: str, tmp_path: Path) -> AsyncIterator[AzureStore]:
    store = AzureStore(azurite, container, tmp_path)
    yield store
    await store.close()


@pytest.fixture
async def relay(azurite_port: int) -> AsyncIterator[Relay]:
    relay = Relay(azurite_port)
    await relay.mend()
    yield relay
    await relay.cut()


async def stored(store: AzureStore) -> set[str]:
    return {key async for key in store.keys("")}


async def test_a_document_lives_in_the_container_from_upload_to_deletion(
    azurite: str, container: str, store: AzureStore, tmp_path: Path
) -> None:
    async with opened_desk(tmp_path / "data", blob_storage=azurite, blob_container=container) as desk:
        sent = await desk.upload("lock.md", NOTE)
        status = await desk.finished(sent["id"])
        again = await desk.upload("lock.md", NOTE)
        part = await desk.http.get(f"/documents/{sent['id']}/original", headers={"Range": "bytes=2-9"})
        content = await desk.http.get(f"/documents/{sent['id']}/content")
        hits = (await desk.get("/search", q="staircase of locks"))["hits"]
        kept = await stored(store)

        assert status["status"] == "COMPLETED"
        assert again["duplicate"]
        assert part.content == b"The lock"
        assert "five locks" in content.text
        assert hits[0]["document_id"] == sent["id"]
        # One original although it was sent twice, its artifacts, and nothing on this machine.
        assert len([key for key in kept if "/originals/" in key]) == 1
        assert desk.blobs() == set()
        assert list(desk.towpath.services.intake.incoming.iterdir()) == []

        await desk.http.delete(f"/documents/{sent['id']}")
        assert not [key for key in await stored(store) if "/answers/" not in key]


async def test_a_provider_can_fetch_a_signed_address_and_nothing_else(store: AzureStore) -> None:
    await store.put("orgs/a/originals/1", NOTE)
    await store.put("orgs/a/originals/2", b"somebody else's")

    signed = await store.signed_url("orgs/a/originals/1")

    assert signed is not None
    address, _, signature = signed.partition("?")
    async with httpx.AsyncClient() as stranger:
        assert (await stranger.get(signed)).content == NOTE
        assert (await stranger.get(address)).status_code in (403, 404)
        assert (await stranger.get(address[:-1] + "2?" + signature)).status_code == 403
        assert (await stranger.delete(signed)).status_code == 403


async def test_an_upload_during_an_outage_is_refused_and_leaves_nothing(
    relay: Relay, container: str, tmp_path: Path
) -> None:
    wire = connection_string(relay.port)
    async with opened_desk(tmp_path / "data", blob_storage=wire, blob_container=container) as desk:
        await relay.cut()
        refused = await desk.http.post("/documents", files={"file": ("lock.md", NOTE)})
        known = await desk.get("/documents")
        await relay.mend()
        sent = await desk.upload("lock.md", NOTE)

        assert refused.status_code == 503
        assert refused.json()["type"] == "urn:towpath:storage-unavailable"
        assert known["documents"] == []
        assert (await desk.finished(sent["id"]))["status"] == "COMPLETED"


async def test_work_waits_for_the_storage_and_pays_no_attempt(
    relay: Relay, container: str, tmp_path: Path
) -> None:
    wire: dict[str, Any] = {
        "blob_storage": connection_string(relay.port),
        "blob_container": container,
        "backoff_scale": 0.02,
    }
    async with opened_desk(tmp_path / "data", work=False, **wire) as desk:
        sent = await desk.upload("lock.md", NOTE)
    await relay.cut()

    async with opened_desk(tmp_path / "data", **wire) as desk:
        waiting = await until_it_waits(desk, sent["id"])
        await relay.mend()
        over = await desk.finished(sent["id"])

    assert "Azure Blob Storage does not answer" in waiting["waiting_for"]
    assert over["status"] == "COMPLETED"
    assert {stage["attempts"] for stage in over["stages"]} == {0}


async def until_it_waits(desk: Desk, document_id: str) -> Any:
    async def waits() -> Any:
        while True:
            status = await desk.get(f"/documents/{document_id}/status")
            if status["waiting_for"] and "Storage" in status["waiting_for"]:
                return status
            await asyncio.sleep(0.02)

    return await asyncio.wait_for(waits(), 60)


async def test_nothing_is_tried_twice_behind_the_queues_back(tmp_path: Path) -> None:
    """A storage that is busy is asked once for each try of ours: the queue waits, not the SDK."""
    asked: list[bytes] = []

    async def busy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        asked.append(await reader.readuntil(b"\r\n\r\n"))
        writer.write(b"HTTP/1.1 503 Server Busy\r\nRetry-After: 1\r\nContent-Length: 0\r\n\r\n")
        await writer.drain()
        writer.close()

    async with await asyncio.start_server(busy, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        store = AzureStore(connection_string(port), "towpath", tmp_path)
        with pytest.raises(StorageUnavailable, match="503"):
            await store.size("orgs/a/note")
        await store.close()

    assert len(asked) == 1


async def test_a_wrong_key_is_told_without_the_key(azurite_port: int, tmp_path: Path) -> None:
    wrong = base64.b64encode(b"not the key of this account").decode()
    store = AzureStore(connection_string(azurite_port, wrong), "towpath", tmp_path)

    with pytest.raises(StorageUnavailable, match="refuses the credentials") as told:
        await store.put("orgs/a/note", b"x")
    await store.close()

    assert wrong not in str(told.value)


def test_a_broken_connection_string_is_told_without_its_words(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="not the connection string") as told:
        AzureStore("AccountKey=do-not-tell", "towpath", tmp_path)

    assert "do-not-tell" not in str(told.value)


async def test_check_compares_and_repairs_the_container_and_tells_no_secret(
    azurite: str, container: str, store: AzureStore, tmp_path: Path
) -> None:
    async with opened_desk(tmp_path / "data", blob_storage=azurite, blob_container=container) as desk:
        sent = await desk.upload("lock.md", NOTE)
        await desk.finished(sent["id"])
    whole = await stored(store)
    await store.put("orgs/a/documents/lost", b"nothing points to this")
    await store.put("holiday-photos/1", b"not ours")

    settings = {"TOWPATH_BLOB_STORAGE": azurite, "TOWPATH_BLOB_CONTAINER": container}
    words = ["check", "--data", str(tmp_path / "data")]

    told = await asyncio.to_thread(terminal, [*words, "--repair"], settings)
    assert "1 that nothing points to, 0 missing, orphans removed" in told
    assert KEY not in told
    assert await stored(store) == whole | {"holiday-photos/1"}

    original = next(key for key in whole if "/originals/" in key)
    await store.delete(original)
    assert f"Some files are missing: {original}" in await asyncio.to_thread(terminal, words, settings)


def test_a_storage_that_is_not_there_is_a_sentence_at_the_command_line(tmp_path: Path) -> None:
    settings = {"TOWPATH_BLOB_STORAGE": connection_string(free_port())}

    told = terminal(["check", "--data", str(tmp_path / "data")], settings)

    assert told.startswith("towpath: Azure Blob Storage does not answer")


def terminal(words: list[str], settings: dict[str, str]) -> str:
    """What a command prints, with these settings in the environment."""
    return CliRunner().invoke(main, words, env=settings).output
