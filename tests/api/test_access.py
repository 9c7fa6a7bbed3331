"""API keys and organizations: authentication, separation of organizations, and loopback access."""

from __future__ import annotations

from pathlib import Path

import httpx

from tests.support.api_client import ApiClient, open_api_client
from towpath.clock import SystemClock

NOTE = b"A note about the summit pound."


async def _key(client: ApiClient, organization: str) -> tuple[str, dict[str, str]]:
    key, secret = await client.runtime.services.keys.create(organization, "test", SystemClock().now())
    return key.id, {"Authorization": f"Bearer {secret}"}


async def _upload(client: ApiClient, headers: dict[str, str], body: bytes) -> httpx.Response:
    return await client.http.post("/documents", files={"file": ("note.txt", body)}, headers=headers)


async def test_organizations_do_not_see_each_other(client: ApiClient) -> None:
    _, ann = await _key(client, "ann")
    _, bob = await _key(client, "bob")
    document = (await _upload(client, ann, NOTE)).json()
    await _finished(client, document["id"], ann)

    for path in ("", "/status", "/content", "/original", "/chunks", "/fields", "/costs", "/runs"):
        answer = await client.http.get(f"/documents/{document['id']}{path}", headers=bob)
        assert answer.status_code == 404, path
    assert (await client.http.get("/documents", headers=bob)).json()["total"] == 0
    assert (await client.http.get("/search", params={"q": "summit pound"}, headers=bob)).json()["hits"] == []
    assert (await client.http.get("/jobs", headers=bob)).json() == []
    assert (await client.http.post(f"/runs/{document['run_id']}/cancel", headers=bob)).status_code == 404
    assert (await client.http.delete(f"/documents/{document['id']}", headers=bob)).status_code == 404
    assert (await client.http.get("/search", params={"q": "summit pound"}, headers=ann)).json()["hits"]


async def test_the_same_bytes_in_two_organizations_are_two_documents(client: ApiClient) -> None:
    _, ann = await _key(client, "ann")
    _, bob = await _key(client, "bob")

    hers, his = (await _upload(client, ann, NOTE)).json(), (await _upload(client, bob, NOTE)).json()

    assert hers["id"] != his["id"]
    assert not his["duplicate"]


async def test_a_revoked_key_is_refused(client: ApiClient) -> None:
    key_id, ann = await _key(client, "ann")
    await client.runtime.services.keys.revoke(key_id, SystemClock().now())

    answer = await client.http.get("/documents", headers=ann)

    assert answer.status_code == 401
    assert answer.headers["www-authenticate"] == "Bearer"


async def test_the_secret_of_a_key_is_not_stored(client: ApiClient) -> None:
    _, ann = await _key(client, "ann")
    secret = ann["Authorization"].removeprefix("Bearer ")

    assert secret.encode() not in (client.runtime.settings.data / "towpath.db").read_bytes()
    wal = client.runtime.settings.data / "towpath.db-wal"
    assert not wal.exists() or secret.encode() not in wal.read_bytes()


async def test_beyond_loopback_a_key_is_needed(tmp_path: Path) -> None:
    async with open_api_client(tmp_path / "data", host="192.0.2.1") as client:
        assert (await client.http.get("/documents")).status_code == 401
        assert (await client.http.get("/health")).status_code == 200
        _, ann = await _key(client, "ann")
        assert (await client.http.get("/documents", headers=ann)).status_code == 200


async def test_a_request_from_another_origin_is_refused(client: ApiClient) -> None:
    answer = await client.http.post(
        "/documents", files={"file": ("x.txt", NOTE)}, headers={"Origin": "https://elsewhere.example"}
    )

    assert answer.status_code == 403
    assert (await client.get("/documents"))["total"] == 0


async def _finished(client: ApiClient, document_id: str, headers: dict[str, str]) -> None:
    while True:
        status = await client.http.get(f"/documents/{document_id}/status", headers=headers)
        if status.json()["poll_after_ms"] is None:
            assert status.json()["status"] == "COMPLETED", status.text
            return
