"""Who may come in, and what they see."""

from __future__ import annotations

from pathlib import Path

import httpx

from tests.support.desk import Desk, opened_desk
from towpath.clock import SystemClock

NOTE = b"A note about the summit pound."


async def _key(desk: Desk, organization: str) -> tuple[str, dict[str, str]]:
    key, secret = await desk.towpath.services.keys.create(organization, "test", SystemClock().now())
    return key.id, {"Authorization": f"Bearer {secret}"}


async def _upload(desk: Desk, headers: dict[str, str], body: bytes) -> httpx.Response:
    return await desk.http.post("/documents", files={"file": ("note.txt", body)}, headers=headers)


async def test_organizations_do_not_see_each_other(desk: Desk) -> None:
    _, ann = await _key(desk, "ann")
    _, bob = await _key(desk, "bob")
    document = (await _upload(desk, ann, NOTE)).json()
    await _finished(desk, document["id"], ann)

    for path in ("", "/status", "/content", "/original", "/chunks", "/fields", "/costs", "/runs"):
        answer = await desk.http.get(f"/documents/{document['id']}{path}", headers=bob)
        assert answer.status_code == 404, path
    assert (await desk.http.get("/documents", headers=bob)).json()["total"] == 0
    assert (await desk.http.get("/search", params={"q": "summit pound"}, headers=bob)).json()["hits"] == []
    assert (await desk.http.get("/jobs", headers=bob)).json() == []
    assert (await desk.http.post(f"/runs/{document['run_id']}/cancel", headers=bob)).status_code == 404
    assert (await desk.http.delete(f"/documents/{document['id']}", headers=bob)).status_code == 404
    assert (await desk.http.get("/search", params={"q": "summit pound"}, headers=ann)).json()["hits"]


async def test_the_same_bytes_in_two_organizations_are_two_documents(desk: Desk) -> None:
    _, ann = await _key(desk, "ann")
    _, bob = await _key(desk, "bob")

    hers, his = (await _upload(desk, ann, NOTE)).json(), (await _upload(desk, bob, NOTE)).json()

    assert hers["id"] != his["id"]
    assert not his["duplicate"]


async def test_a_revoked_key_opens_nothing(desk: Desk) -> None:
    key_id, ann = await _key(desk, "ann")
    await desk.towpath.services.keys.revoke(key_id, SystemClock().now())

    answer = await desk.http.get("/documents", headers=ann)

    assert answer.status_code == 401
    assert answer.headers["www-authenticate"] == "Bearer"


async def test_the_secret_of_a_key_is_kept_nowhere(desk: Desk) -> None:
    _, ann = await _key(desk, "ann")
    secret = ann["Authorization"].removeprefix("Bearer ")

    assert secret.encode() not in (desk.towpath.settings.data / "towpath.db").read_bytes()
    wal = desk.towpath.settings.data / "towpath.db-wal"
    assert not wal.exists() or secret.encode() not in wal.read_bytes()


async def test_beyond_loopback_a_key_is_needed(tmp_path: Path) -> None:
    async with opened_desk(tmp_path / "data", host="192.0.2.1") as desk:
        assert (await desk.http.get("/documents")).status_code == 401
        assert (await desk.http.get("/health")).status_code == 200
        _, ann = await _key(desk, "ann")
        assert (await desk.http.get("/documents", headers=ann)).status_code == 200


async def test_a_strangers_page_cannot_write_through_the_readers_browser(desk: Desk) -> None:
    answer = await desk.http.post(
        "/documents", files={"file": ("x.txt", NOTE)}, headers={"Origin": "https://elsewhere.example"}
    )

    assert answer.status_code == 403
    assert (await desk.get("/documents"))["total"] == 0


async def _finished(desk: Desk, document_id: str, headers: dict[str, str]) -> None:
    while True:
        status = await desk.http.get(f"/documents/{document_id}/status", headers=headers)
        if status.json()["poll_after_ms"] is None:
            assert status.json()["status"] == "COMPLETED", status.text
            return
