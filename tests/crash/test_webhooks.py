"""A server that is killed after a webhook was sent and before that was stored sends it again with the same id."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

from tests.support.forked_command import run_towpath
from tests.support.servers import Client, Server
from tests.support.timeouts import wait_until
from tests.support.webhook_receiver import WebhookReceiver

ALLOWED = {"TOWPATH_WEBHOOK_NETWORKS": "127.0.0.0/8"}


class KillingReceiver(WebhookReceiver):
    """Kills the server that sends the first message, before it answers."""

    victim: Server | None = None

    def on_message(self) -> None:
        if self.victim is not None:
            self.victim.kill()
            self.victim = None


def test_kill_between_delivery_and_settlement_delivers_again_with_the_same_id(tmp_path: Path) -> None:
    data = tmp_path / "data"
    with KillingReceiver() as receiver:
        server = Server(data, settings=ALLOWED).wait_until_ready()
        client = Client(server.url)
        created = client.http.post("/webhooks", json={"url": receiver.url}).raise_for_status().json()
        receiver.victim = server
        client.upload("note.txt", b"The lock on the canal opens at six.")
        wait_until(lambda: server.process.poll() is not None, "the server to be killed")
        with closing(sqlite3.connect(data / "towpath.db")) as database:
            [(status, history)] = database.execute("select status, history from webhook_deliveries")
        assert (status, history) == ("PENDING", "[]"), "the server did not learn that the message arrived"

        with Server(data, settings=ALLOWED):
            wait_until(lambda: len(receiver.messages) >= 2, "the message to be sent again")
        assert len(set(receiver.ids)) == 1
        for message in receiver.messages:
            assert message.verify(created["secret"])["type"] == "document.completed"


def _rows(data: Path) -> dict[str, list[list[Any]]]:
    """All rows of the new tables, with their JSON parsed: an import may write it with other spaces."""
    tables = ("webhook_endpoints", "webhook_deliveries", "pauses")
    with closing(sqlite3.connect(data / "towpath.db")) as database:
        return {
            table: [[_parsed(value) for value in row] for row in database.execute(f"select * from {table}")]
            for table in tables
        }


def _parsed(value: Any) -> Any:
    return json.loads(value) if str(value).startswith(("[", "{")) else value


def _towpath(*arguments: str) -> None:
    run_towpath(*arguments).check_returncode()


def test_backup_and_export_contain_webhooks_and_pauses(tmp_path: Path) -> None:
    data, restored, imported = tmp_path / "data", tmp_path / "restored", tmp_path / "imported"
    with Server(data, settings=ALLOWED) as server:
        client = Client(server.url)
        client.http.post("/webhooks", json={"url": "http://127.0.0.1:9/"}).raise_for_status()
        client.http.post("/pauses", json={"kind": "provider", "name": "openai"}).raise_for_status()
        client.wait_until_finished(client.upload("note.txt", b"The lock on the canal opens at six.")["id"])
    rows = _rows(data)
    assert {table: len(found) for table, found in rows.items()} == dict.fromkeys(rows, 1)

    _towpath("backup", str(tmp_path / "library.tar"), "--data", str(data))
    _towpath("restore", str(tmp_path / "library.tar"), "--data", str(restored))
    assert _rows(restored) == rows
    _towpath("export", str(tmp_path / "export"), "--data", str(data))
    _towpath("import", str(tmp_path / "export"), "--data", str(imported))
    assert _rows(imported) == rows
