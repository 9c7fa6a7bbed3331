"""The commands of the guide for webhooks work, and the receiver of the guide verifies what it gets."""

from __future__ import annotations

import json
import re
from pathlib import Path

from tests.support.guides import guide_blocks, run_shell
from tests.support.servers import Client, Server
from tests.support.timeouts import wait_until
from tests.support.webhook_receiver import WebhookReceiver

ALLOWED = {"TOWPATH_WEBHOOK_NETWORKS": "127.0.0.0/8"}


def test_the_commands_of_the_guide_work(tmp_path: Path) -> None:
    create, by_http, history, rotate = guide_blocks("webhooks")
    with WebhookReceiver() as receiver, Server(tmp_path / "towpath-data", settings=ALLOWED) as server:
        address = "https://example.com/hooks/towpath"
        client = Client(server.url)
        created = run_shell(tmp_path, create.replace(address, f"'{receiver.url}'"))
        secret = created.splitlines()[0]
        assert re.search(r"document\.completed document\.failed", created)

        client.upload("note.txt", b"The lock on the canal opens at six.")
        wait_until(lambda: receiver.messages, "the message")
        names: dict[str, object] = {}
        exec(guide_blocks("webhooks", "python")[0].replace("whsec_…", secret), names)
        message = receiver.messages[0]
        names["receive"](message.headers, message.raw)  # pyright: ignore[reportCallIssue]  (a function of the guide)

        [webhook] = client.get("/webhooks")
        path = f"/webhooks/{webhook['id']}/deliveries"
        wait_until(lambda: client.get(path, status="DELIVERED"), "the delivery to be settled")
        shown = run_shell(tmp_path, history)
        assert "document.completed" in shown
        assert "DELIVERED" in shown
        assert "0 deliveries queued" in shown

        rotated = run_shell(tmp_path, history.splitlines()[0] + "\n" + rotate)
        assert rotated.startswith("whsec_")
        assert client.get("/webhooks") == []

        answer = run_shell(
            tmp_path, by_http.replace("http://127.0.0.1:8000", server.url).replace(address, receiver.url)
        )
        assert json.loads(answer)["events"] == ["document.completed"]
