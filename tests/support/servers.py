"""Server: a `towpath serve` process. Client: a blocking API client that waits for results."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from typing import Any

import httpx
import psutil

from tests.support.forked_command import ForkedCommand, needs_interpreter
from tests.support.ports import free_port
from tests.support.timeouts import PROCESS_SECONDS, REQUEST_SECONDS, wait_until

FINISHED_STATUSES = ("COMPLETED", "FAILED", "TIMED_OUT", "CANCELLED")


class Server:
    """One server process on one data folder, killed or stopped by its pid."""

    def __init__(
        self,
        data: Path,
        *,
        port: int | None = None,
        settings: Mapping[str, str] | None = None,
        arguments: Sequence[str] = (),
        new_interpreter: bool = False,
    ) -> None:
        """``new_interpreter``: start it as a shell does, for tests that measure its memory or its start."""
        self.data = data
        self.port = port or free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        data.parent.mkdir(parents=True, exist_ok=True)
        self.log = data.parent / f"server-{self.port}.log"
        environment = {**os.environ, "TOWPATH_BACKOFF_SCALE": "0.01", **(settings or {})}
        command = ["serve", *arguments, "--data", str(data), "--port", str(self.port)]
        self.process = (
            _executed(command, self.log, environment)
            if new_interpreter or needs_interpreter(environment)
            else ForkedCommand(command, self.log, environment)
        )

    def wait_until_ready(self) -> Server:
        def answers() -> bool:
            if self.process.poll() is not None:
                raise AssertionError(f"The server ended: {self.log_tail()}")
            return _is_ready(self.port)

        wait_until(answers, "the server to be ready")
        return self

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()

    def stop(self) -> int:
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(PROCESS_SECONDS)

    def memory(self) -> int:
        """Resident bytes of the server process itself."""
        return psutil.Process(self.process.pid).memory_info().rss

    def log_tail(self) -> str:
        return self.log.read_text("utf-8", "replace")[-4000:]

    def __enter__(self) -> Server:
        return self.wait_until_ready()

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            self.stop()


def _executed(command: Sequence[str], log: Path, environment: Mapping[str, str]) -> subprocess.Popen[bytes]:
    with log.open("ab") as output:
        return subprocess.Popen(
            [sys.executable, "-m", "towpath", *command], stdout=output, stderr=output, env=dict(environment)
        )


def _is_ready(port: int) -> bool:
    """Ask the server. The client of httpx would take 20 ms of CPU time for each question: it loads certificates."""
    connection = HTTPConnection("127.0.0.1", port, timeout=5)
    try:
        connection.request("GET", "/ready")
        return connection.getresponse().status == 200
    except (OSError, HTTPException):
        return False
    finally:
        connection.close()


class Client:
    """A blocking client of the API of a server process."""

    def __init__(self, url: str) -> None:
        # Without certificates, which take 20 ms of CPU time to load.
        self.http = httpx.Client(base_url=url, timeout=REQUEST_SECONDS, verify=False)

    def get(self, path: str, **parameters: Any) -> Any:
        answer = self.http.get(path, params=parameters)
        answer.raise_for_status()
        return answer.json()

    def upload(self, name: str, body: bytes) -> Any:
        answer = self.http.post("/documents", files={"file": (name, body)})
        answer.raise_for_status()
        return answer.json()

    def wait_until_finished(self, *document_ids: str) -> list[Any]:
        def statuses() -> list[Any] | None:
            answers = self.get("/documents/status", ids=",".join(document_ids))
            return answers if all(answer["status"] in FINISHED_STATUSES for answer in answers) else None

        return wait_until(statuses, "every document to be finished", every=0.1)

    def chunk_ids(self, document_id: str) -> list[str]:
        return [chunk["id"] for chunk in self.get(f"/documents/{document_id}/chunks", limit=1000)]
