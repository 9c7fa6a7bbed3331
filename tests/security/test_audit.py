"""The audit log: who uploaded, reprocessed, cancelled, retried, deleted, made keys and changed settings."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.api_client import open_api_client
from tests.support.databases import PostgresServer
from tests.support.servers import Client, Server
from towpath.access.contract import ALL_SCOPES, NewKey
from towpath.clock import SystemClock
from towpath.model.audit import AuditAction


@pytest.fixture(params=["sqlite", "postgres"])
def engine_settings(request: pytest.FixtureRequest) -> Iterator[dict[str, str]]:
    if request.param == "sqlite":
        yield {}
        return
    server: PostgresServer = request.getfixturevalue("postgres_server")
    dsn = server.create_migrated()
    yield {"database": dsn}
    server.drop(dsn)


async def test_each_action_is_recorded_with_its_actor(
    tmp_path: Path, engine_settings: dict[str, Any]
) -> None:
    async with open_api_client(tmp_path / "data", with_worker=False, **engine_settings) as client:
        keys = client.runtime.services.keys
        key, secret = await keys.create("ann", NewKey("scanner", ALL_SCOPES), SystemClock().now())
        client.http.headers = {"Authorization": f"Bearer {secret}"}
        document = await client.upload("note.txt", b"A note about the summit pound.")
        job = (await client.get("/jobs"))[0]
        await client.post(f"/jobs/{job['id']}/retry")
        await client.post(f"/runs/{document['run_id']}/cancel")
        await client.post(f"/documents/{document['id']}/runs")
        created = await client.post("/keys", json={"name": "second"})
        assert (await client.http.delete(f"/keys/{created['id']}")).status_code == 204
        await client.post("/model/change")
        assert (await client.http.delete(f"/documents/{document['id']}")).status_code == 204

        entries = await client.get("/audit")

        assert [entry["action"] for entry in entries] == [
            "document_deleted",
            "model_changed",
            "key_revoked",
            "key_created",
            "document_reprocessed",
            "run_cancelled",
            "job_retried",
            "document_uploaded",
            "key_created",
        ]
        by_key = [entry for entry in entries if entry["actor"] == "key"]
        assert len(by_key) == 8
        assert {(entry["key_id"], entry["actor_name"]) for entry in by_key} == {(key.id, "scanner")}
        assert entries[-1]["actor"] == "cli"
        assert entries[0]["subject"] == document["id"]
        assert entries[0]["detail"]["name"] == "note.txt"
        assert all(entry["address"] for entry in by_key)
        # Pages go backwards from an entry.
        rest = await client.get("/audit", before=entries[3]["id"], limit=2)
        assert [entry["id"] for entry in rest] == [entries[4]["id"], entries[5]["id"]]
        assert [entry["id"] for entry in await client.get("/audit", action="key_revoked")] == [
            entries[2]["id"]
        ]


#: What is asked for is sent in the body; nothing is changed.
QUESTIONS = {"POST /ask", "POST /documents/fields"}
#: Each route that changes something, and the action that the audit log gets.
ACTIONS = {
    "POST /documents": "document_uploaded",
    "DELETE /documents/{document_id}": "document_deleted",
    "POST /documents/{document_id}/runs": "document_reprocessed",
    "POST /runs/{run_id}/cancel": "run_cancelled",
    "POST /jobs/retry": "job_retried",
    "POST /jobs/{job_id}/retry": "job_retried",
    "PATCH /connections/{connection_id}": "connection_marked",
    "POST /keys": "key_created",
    "DELETE /keys/{key_id}": "key_revoked",
    "POST /model/change": "model_changed",
    "PATCH /documents/{document_id}": "document_edited",
    "PATCH /documents/{document_id}/fields": "document_edited",
    "PATCH /documents/{document_id}/speakers": "document_edited",
    "POST /documents/{document_id}/versions": "document_uploaded",
    # Deletions and runs of a bulk action are recorded as such.
    "POST /documents/bulk": "document_edited",
    "PUT /schemas/{schema_name}": "schema_stored",
    "DELETE /schemas/{schema_name}": "schema_deleted",
    "POST /pauses": "paused",
    "DELETE /pauses/{kind}/{name}": "resumed",
    "POST /webhooks": "webhook_created",
    "DELETE /webhooks/{webhook_id}": "webhook_deleted",
    "POST /webhooks/{webhook_id}/rotate": "webhook_rotated",
    "POST /webhooks/{webhook_id}/replay": "webhook_replayed",
}


async def test_every_route_that_changes_something_has_an_action(tmp_path: Path) -> None:
    async with open_api_client(tmp_path / "data", with_worker=False) as client:
        paths = (await client.get("/openapi.json"))["paths"]
    changing = {
        f"{method.upper()} {path}"
        for path, methods in paths.items()
        for method in methods
        # The work on jobs is in the events of their runs.
        if method != "get" and not path.startswith("/worker/")
    }
    assert changing - QUESTIONS == ACTIONS.keys()
    assert set(ACTIONS.values()) | {"settings_changed"} == set(AuditAction)


def test_changed_settings_are_recorded_without_secrets(tmp_path: Path) -> None:
    data = tmp_path / "data"
    for extra in ({}, {"TOWPATH_MAX_ATTEMPTS": "3", "TOWPATH_OPENAI_API_KEY": "sk-very-secret"}):
        with Server(data, port=None, settings=extra) as server:
            entries = Client(server.url).get("/audit", action="settings_changed")
    assert {"max_attempts", "openai_api_key"} <= set(entries[0]["detail"]["changed"])
    assert entries[0]["actor"] == "server"
    assert "sk-very-secret" not in str(entries)


def test_keys_made_on_the_command_line_are_recorded(tmp_path: Path) -> None:
    data = tmp_path / "data"
    command = [
        sys.executable,
        "-m",
        "towpath",
        "keys",
        "create",
        "laptop",
        "--scope",
        "read",
        "--data",
        str(data),
    ]
    subprocess.run(command, check=True, capture_output=True)
    with Server(data) as server:
        (entry,) = Client(server.url).get("/audit", action="key_created")
    assert (entry["actor"], entry["detail"]) == ("cli", {"name": "laptop", "scopes": "read"})
