"""A real `towpath serve` in a process of its own, and an API client that waits for facts."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import httpx
import psutil

PATIENCE = 60.0
OVER = ("COMPLETED", "FAILED", "TIMED_OUT", "CANCELLED")


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class Server:
    """One server process on one data folder. Killed or stopped only by its own id."""

    def __init__(
        self, data: Path, *, port: int | None = None, settings: Mapping[str, str] | None = None
    ) -> None:
        self.data = data
        self.port = port or free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        data.parent.mkdir(parents=True, exist_ok=True)
        self.log = data.parent / f"server-{self.port}.log"
        given = {"TOWPATH_BACKOFF_SCALE": "0.01", **(settings or {})}
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "towpath", "serve", "--data", str(data), "--port", str(self.port)],
                stdout=log,
                stderr=log,
                env={**os.environ, **given},
            )

    def wait_until_ready(self) -> Server:
        def answers() -> bool:
            if self.process.poll() is not None:
                raise AssertionError(f"The server ended: {self.said()}")
            try:
                return httpx.get(f"{self.url}/ready", timeout=5).status_code == 200
            except httpx.TransportError:
                return False

        wait_for(answers, "the server to be ready")
        return self

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()

    def stop(self) -> int:
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(PATIENCE)

    def memory(self) -> int:
        """Resident bytes of the server process itself."""
        return psutil.Process(self.process.pid).memory_info().rss

    def said(self) -> str:
        return self.log.read_text("utf-8", "replace")[-4000:]

    def __enter__(self) -> Server:
        return self.wait_until_ready()

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            self.stop()


class Client:
    """The API, blocking, for stories about a server process."""

    def __init__(self, url: str) -> None:
        self.http = httpx.Client(base_url=url, timeout=60)

    def get(self, path: str, **parameters: Any) -> Any:
        answer = self.http.get(path, params=parameters)
        answer.raise_for_status()
        return answer.json()

    def upload(self, name: str, body: bytes) -> Any:
        answer = self.http.post("/documents", files={"file": (name, body)})
        answer.raise_for_status()
        return answer.json()

    def wait_until_over(self, *document_ids: str) -> list[Any]:
        def statuses() -> list[Any] | None:
            found = self.get("/documents/status", ids=",".join(document_ids))
            return found if all(one["status"] in OVER for one in found) else None

        return wait_for(statuses, "every document to be over")

    def chunk_ids(self, document_id: str) -> list[str]:
        return [chunk["id"] for chunk in self.get(f"/documents/{document_id}/chunks", limit=1000)]


def wait_for(fact: Callable[[], Any], what: str, seconds: float = PATIENCE) -> Any:
    deadline = time.monotonic() + seconds
    while not (found := fact()):
        if time.monotonic() > deadline:
            raise AssertionError(f"Waited {seconds:.0f} s in vain for {what}.")
        time.sleep(0.05)
    return found
