"""WebhookReceiver: an HTTP server that verifies messages with the official library and can be down."""

from __future__ import annotations

import json
import threading
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

from standardwebhooks.webhooks import Webhook


@dataclass(frozen=True, slots=True)
class ReceivedMessage:
    id: str
    path: str
    body: dict[str, Any]
    headers: dict[str, str]
    raw: bytes

    def verify(self, secret: str) -> Any:
        """Raise if the signature, the id or the time is wrong."""
        return Webhook(secret).verify(self.raw, self.headers)


@dataclass
class WebhookReceiver:
    """Listens on a free port of 127.0.0.1 while the context is open. ``status`` is its answer to every message."""

    status: int = 204
    headers: dict[str, str] = field(default_factory=dict[str, str])
    messages: list[ReceivedMessage] = field(default_factory=list[ReceivedMessage])
    _server: ThreadingHTTPServer | None = None

    @property
    def url(self) -> str:
        assert self._server is not None
        return f"http://127.0.0.1:{self._server.server_port}/hooks/towpath?tenant=a"

    @property
    def ids(self) -> list[str]:
        return [message.id for message in self.messages]

    def on_message(self) -> None:
        """Called after a message is stored and before it is answered."""

    def __enter__(self) -> Self:
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                raw = self.rfile.read(int(self.headers["content-length"]))
                headers = {name.lower(): value for name, value in self.headers.items()}
                message = ReceivedMessage(headers["webhook-id"], self.path, json.loads(raw), headers, raw)
                receiver.messages.append(message)
                receiver.on_message()
                self.send_response(receiver.status)
                for name, value in receiver.headers.items():
                    self.send_header(name, value)
                self.send_header("content-length", "0")
                self.end_headers()

            def log_message(self, format: str, *args: object) -> None:
                """Print nothing."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        assert self._server is not None
        self._server.shutdown()
        self._server.server_close()
