"""Webhooks over the API and the command line, with a real worker and a real receiver."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.api_client import open_api_client
from tests.support.timeouts import async_wait_until
from tests.support.webhook_receiver import WebhookReceiver

LOCAL = ("127.0.0.0/8",)


@pytest.fixture
def receiver() -> Iterator[WebhookReceiver]:
    with WebhookReceiver() as running:
        yield running


async def _messages(receiver: WebhookReceiver, count: int) -> None:
    async def received() -> bool:
        return len(receiver.messages) >= count

    await async_wait_until(received, f"{count} messages")


async def test_upload_and_failure_are_sent_and_a_rotated_secret_signs(
    tmp_path: Path, receiver: WebhookReceiver
) -> None:
    async with open_api_client(tmp_path, webhook_networks=LOCAL) as client:
        created = await client.post("/webhooks", json={"url": receiver.url, "description": "test"})
        assert created["secret"].startswith("whsec_")
        good = await client.upload("note.txt", b"The lock on the canal opens at six.")
        await _messages(receiver, 1)
        bad = await client.upload("broken.pdf", b"%PDF-1.7 nothing else")
        await _messages(receiver, 2)

        first, second = (message.verify(created["secret"]) for message in receiver.messages)
        assert (first["type"], first["data"]["document_id"]) == ("document.completed", good["id"])
        assert first["data"]["name"] == "note.txt"
        assert (second["type"], second["data"]["document_id"]) == ("document.failed", bad["id"])
        assert second["data"]["failure_type"] == "REJECTED"
        assert second["data"]["error"]

        [listed] = await client.get("/webhooks")
        assert "secret" not in listed
        path = f"/webhooks/{created['id']}"
        rotated = await client.post(f"{path}/rotate")

        async def delivered() -> Any:
            return await client.get(f"{path}/deliveries", status="DELIVERED", limit=1)

        [newest] = await async_wait_until(delivered, "a settled delivery")
        assert newest["history"][-1]["http_status"] == 204
        replayed = await client.post(f"{path}/replay", json={"delivery_ids": [newest["id"]]})
        assert replayed == {"replayed": 1}
        await _messages(receiver, 3)
        receiver.messages[2].verify(rotated["secret"])
        receiver.messages[2].verify(created["secret"])
        assert receiver.messages[2].id == newest["message_id"]

        audited = {row["action"] for row in await client.get("/audit")}
        assert {"webhook_created", "webhook_rotated", "webhook_replayed"} <= audited
        assert (await client.http.delete(path)).status_code == 204
        assert await client.get("/webhooks") == []


async def test_a_private_address_is_refused_unless_the_setting_allows_it(
    tmp_path: Path, receiver: WebhookReceiver
) -> None:
    async with open_api_client(tmp_path / "closed", with_worker=False) as client:
        for url in (receiver.url, "http://169.254.169.254/latest/meta-data", "http://[::1]:1/", "ftp://a/"):
            answer = await client.http.post("/webhooks", json={"url": url})
            assert answer.status_code == 400, url
            assert answer.json()["type"] == "urn:towpath:bad-request"
        assert await client.get("/webhooks") == []
    async with open_api_client(tmp_path / "open", with_worker=False, webhook_networks=LOCAL) as client:
        await client.post("/webhooks", json={"url": receiver.url})


async def test_deleting_a_document_deletes_its_deliveries(tmp_path: Path) -> None:
    async with open_api_client(tmp_path, webhook_networks=LOCAL) as client:
        created = await client.post("/webhooks", json={"url": "http://127.0.0.1:9/"})
        document = await client.upload("note.txt", b"The lock on the canal opens at six.")
        await client.wait_until_finished(document["id"])
        path = f"/webhooks/{created['id']}/deliveries"
        assert len(await client.get(path)) == 1
        assert (await client.http.delete(f"/documents/{document['id']}")).is_success
        assert await client.get(path) == []


async def test_an_unknown_endpoint_is_not_found(tmp_path: Path) -> None:
    async with open_api_client(tmp_path, with_worker=False) as client:
        unknown = "/webhooks/00000000-0000-7000-8000-00000000000f"
        assert (await client.http.get(f"{unknown}/deliveries")).status_code == 404
        assert (await client.http.post(f"{unknown}/replay", json={})).status_code == 404
        assert (await client.http.post(f"{unknown}/rotate")).status_code == 404
        assert (await client.http.delete(unknown)).status_code == 404
