"""The drill sees the requests that an own stage sends outside of `once`, whichever way it sends them."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from tests.support.timeouts import COMMAND_SECONDS


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:
        pass


def test_requests_outside_of_once_are_noted_once_for_each_execution() -> None:
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        done = subprocess.run(
            [
                sys.executable,
                str(Path(__file__).with_name("observe_calls.py")),
                f"http://127.0.0.1:{server.server_address[1]}/",
            ],
            capture_output=True,
            text=True,
            timeout=COMMAND_SECONDS,
            check=False,
        )
    finally:
        server.shutdown()
        server.server_close()
        thread.join()

    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == ["urllib", "to_thread", "executor", "httpx", "httpx again", "task"]
