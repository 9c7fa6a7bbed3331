"""Towpath with its files in Azure Blob Storage: processing, signed URLs for providers, and outages."""

from __future__ import annotations

import asyncio
import base64
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from click.testing import CliRunner

from tests.support.api_client import ApiClient, open_api_client
from tests.support.azurite import KEY, connection_string
from tests.support.ports import free_port
from tests.support.relay import Relay
from tests.support.timeouts import WAIT_SECONDS
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
    await relay.restore()
    yield relay
    await relay.cut()


async def stored(store: AzureStore) -> set[str]:
    return {key async for key in store.keys("")}


async def test_the_files_of_a_document_are_in_the_container_until_its_deletion(
    azurite: str, container: str, store: AzureStore, tmp_path: Path
) -> None:
    async with open_api_client(tmp_path / "data", blob_storage=azurite, blob_container=container) as client:
        sent = await client.upload("lock.md", NOTE)
        status = await client.wait_until_finished(sent["id"])
        again = await client.upload("lock.md", NOTE)
        part = await client.http.get(f"/documents/{sent['id']}/original", headers={"Range": "bytes=2-9"})
        content = await client.http.get(f"/documents/{sent['id']}/content")
        hits = (await client.get("/search", q="staircase of locks"))["hits"]
        stored_keys = await stored(store)

        assert status["status"] == "COMPLETED"
        assert again["duplicate"]
        assert part.content == b"The lock"
        assert "five locks" in content.text
        assert hits[0]["document_id"] == sent["id"]
        # One original although it was sent twice, its artifacts, and no local blob or temporary file.
        assert len([key for key in stored_keys if "/originals/" in key]) == 1
        assert client.blobs() == set()
        assert list(client.runtime.services.intake.scratch_dir.iterdir()) == []

        await client.http.delete(f"/documents/{sent['id']}")
        assert not [key for key in await stored(store) if "/answers/" not in key]


async def test_a_signed_url_gives_access_to_one_blob_only(store: AzureStore) -> None:
    await store.put("orgs/a/originals/1", NOTE)
    await store.put("orgs/a/originals/2", b"another document")

    signed = await store.signed_url("orgs/a/originals/1")

    assert signed is not None
    address, _, signature = signed.partition("?")
    async with httpx.AsyncClient() as http:
        assert (await http.get(signed)).content == NOTE
        assert (await http.get(address)).status_code in (403, 404)
        assert (await http.get(address[:-1] + "2?" + signature)).status_code == 403
        assert (await http.delete(signed)).status_code == 403


async def test_an_upload_during_an_outage_is_refused_and_leaves_nothing(
    relay: Relay, container: str, tmp_path: Path
) -> None:
    wire = connection_string(relay.port)
    async with open_api_client(tmp_path / "data", blob_storage=wire, blob_container=container) as client:
        await relay.cut()
        refused = await client.http.post("/documents", files={"file": ("lock.md", NOTE)})
        known = await client.get("/documents")
        await relay.restore()
        sent = await client.upload("lock.md", NOTE)

        assert refused.status_code == 503
        assert refused.json()["type"] == "urn:towpath:storage-unavailable"
        assert known["documents"] == []
        assert (await client.wait_until_finished(sent["id"]))["status"] == "COMPLETED"


async def test_a_job_waits_for_the_storage_and_uses_no_attempt(
    relay: Relay, container: str, tmp_path: Path
) -> None:
    wire: dict[str, Any] = {
        "blob_storage": connection_string(relay.port),
        "blob_container": container,
        "backoff_scale": 0.02,
    }
    async with open_api_client(tmp_path / "data", with_worker=False, **wire) as client:
        sent = await client.upload("lock.md", NOTE)
    await relay.cut()

    async with open_api_client(tmp_path / "data", **wire) as client:
        waiting = await wait_until_suspended(client, sent["id"])
        await relay.restore()
        finished = await client.wait_until_finished(sent["id"])

    assert "Azure Blob Storage does not answer" in waiting["waiting_detail"]
    assert finished["status"] == "COMPLETED"
    assert {stage["attempts"] for stage in finished["stages"]} == {0}


async def wait_until_suspended(client: ApiClient, document_id: str) -> Any:
    async def waits() -> Any:
        while True:
            status = await client.get(f"/documents/{document_id}/status")
            if status["waiting_reason"] == "storage":
                return status
            await asyncio.sleep(0.02)

    return await asyncio.wait_for(waits(), WAIT_SECONDS)


async def test_the_sdk_does_not_repeat_requests(tmp_path: Path) -> None:
    """A busy storage gets one request per attempt: the job queue retries, the SDK does not."""
    requests: list[bytes] = []

    async def busy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        requests.append(await reader.readuntil(b"\r\n\r\n"))
        writer.write(b"HTTP/1.1 503 Server Busy\r\nRetry-After: 1\r\nContent-Length: 0\r\n\r\n")
        await writer.drain()
        writer.close()

    async with await asyncio.start_server(busy, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        store = AzureStore(connection_string(port), "towpath", tmp_path)
        with pytest.raises(StorageUnavailable, match="503"):
            await store.size("orgs/a/note")
        await store.close()

    assert len(requests) == 1


async def test_the_error_for_a_wrong_key_does_not_contain_the_key(azurite_port: int, tmp_path: Path) -> None:
    wrong = base64.b64encode(b"not the key of this account").decode()
    store = AzureStore(connection_string(azurite_port, wrong), "towpath", tmp_path)

    with pytest.raises(StorageUnavailable, match="refuses the credentials") as error:
        await store.put("orgs/a/note", b"x")
    await store.close()

    assert wrong not in str(error.value)


def test_the_error_for_a_broken_connection_string_does_not_contain_it(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="not the connection string") as error:
        AzureStore("AccountKey=do-not-tell", "towpath", tmp_path)

    assert "do-not-tell" not in str(error.value)


async def test_check_compares_and_repairs_the_container_and_prints_no_secret(
    azurite: str, container: str, store: AzureStore, tmp_path: Path
) -> None:
    async with open_api_client(tmp_path / "data", blob_storage=azurite, blob_container=container) as client:
        sent = await client.upload("lock.md", NOTE)
        await client.wait_until_finished(sent["id"])
    whole = await stored(store)
    await store.put("orgs/a/documents/lost", b"nothing points to this")
    await store.put("holiday-photos/1", b"not ours")

    settings = {"TOWPATH_BLOB_STORAGE": azurite, "TOWPATH_BLOB_CONTAINER": container}
    command = ["check", "--data", str(tmp_path / "data")]

    error = await asyncio.to_thread(terminal, [*command, "--repair"], settings)
    assert "1 orphaned (deleted), 0 missing" in error
    assert KEY not in error
    assert await stored(store) == whole | {"holiday-photos/1"}

    original = next(key for key in whole if "/originals/" in key)
    await store.delete(original)
    assert f"Files are missing: {original}" in await asyncio.to_thread(terminal, command, settings)


def test_an_unreachable_storage_is_reported_by_one_sentence_at_the_command_line(tmp_path: Path) -> None:
    settings = {"TOWPATH_BLOB_STORAGE": connection_string(free_port())}
    terminal(["migrate", "--data", str(tmp_path / "data")], settings)

    error = terminal(["check", "--data", str(tmp_path / "data")], settings)

    assert error.startswith("towpath: Azure Blob Storage does not answer")


def terminal(command: list[str], settings: dict[str, str]) -> str:
    """Return the output of a command with these settings in the environment."""
    return CliRunner().invoke(main, command, env=settings).output
