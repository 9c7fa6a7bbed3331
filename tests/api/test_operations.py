"""Operations over the API: a pause stops a stage over a restart, and a resume continues it; both are audited."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.support.api_client import ApiClient, open_api_client
from tests.support.servers import Client, Server
from tests.support.timeouts import async_wait_until, wait_until


async def _wait_for_reason(client: ApiClient, document_id: str, reason: str) -> Any:
    async def status() -> Any:
        answer = await client.get(f"/documents/{document_id}/status")
        return answer if answer["waiting_reason"] == reason else None

    return await async_wait_until(status, f"the document to wait because of {reason}")


async def test_a_paused_stage_waits_over_a_restart_and_continues_when_resumed(tmp_path: Path) -> None:
    async with open_api_client(tmp_path) as client:
        paused = await client.post("/pauses", json={"kind": "stage", "name": "embed"})
        assert paused["paused_by"]
        document = await client.upload("note.txt", b"The lock on the canal opens at six.")
        await _wait_for_reason(client, document["id"], "paused")
    async with open_api_client(tmp_path) as client:
        [pause] = (await client.get("/operations"))["pauses"]
        assert (pause["kind"], pause["name"]) == ("stage", "embed")
        await _wait_for_reason(client, document["id"], "paused")
        assert (await client.http.delete("/pauses/stage/embed")).status_code == 204
        status = await client.wait_until_finished(document["id"])
        assert status["status"] == "COMPLETED"
        assert (await client.http.delete("/pauses/stage/embed")).status_code == 404
        actions = [row["action"] for row in await client.get("/audit")]
        assert actions.count("paused") == actions.count("resumed") == 1


async def test_an_unknown_stage_cannot_be_paused(tmp_path: Path) -> None:
    async with open_api_client(tmp_path, with_worker=False) as client:
        for body in ({"kind": "stage", "name": "embedd"}, {"kind": "stage", "name": "a b"}, {"kind": "x"}):
            assert (await client.http.post("/pauses", json=body)).status_code in (400, 422)
        assert (await client.get("/operations"))["pauses"] == []


async def test_changes_are_held_until_something_changes(tmp_path: Path) -> None:
    async with open_api_client(tmp_path, with_worker=False) as client:
        first = await client.http.get("/changes")
        tag = {"If-None-Match": first.headers["etag"]}
        assert (await client.http.get("/changes", params={"wait": 0.2}, headers=tag)).status_code == 304
        await client.upload("note.txt", b"The lock on the canal opens at six.")
        second = await client.http.get("/changes", params={"wait": 20}, headers=tag)
        assert second.status_code == 200
        assert second.json()["version"] != first.json()["version"]
        assert second.json()["waiting"] == 1


def test_after_a_kill_and_a_restart_operations_shows_no_failure(tmp_path: Path) -> None:
    server = Server(tmp_path / "data").wait_until_ready()
    client = Client(server.url)
    ids = [client.upload(f"{n}.txt", f"Document {n}. ".encode() * 2000)["id"] for n in range(6)]
    wait_until(lambda: client.get("/operations")["documents"].get("COMPLETED"), "a completed document")
    server.kill()
    with Server(tmp_path / "data") as restarted:
        client = Client(restarted.url)
        assert {answer["status"] for answer in client.wait_until_finished(*ids)} == {"COMPLETED"}
        operations = client.get("/operations")
        assert operations["failures"] == []
        assert operations["documents"] == {"COMPLETED": 6}
        assert operations["version"]
        assert operations["disk"]["free_bytes"] <= operations["disk"]["total_bytes"]
        history = client.get("/operations/history")
        assert {stage["stage"] for stage in history["stages"]} >= {"extract", "embed", "publish"}
        runs = client.get("/runs", name="3.TXT")
        assert {run["document_id"] for run in runs} == {ids[3]}
