"""Processes of the product that are killed: the embedded server and workers."""

from __future__ import annotations

import contextlib
import os
import socket
import subprocess
import sys
import time
from pathlib import Path

import httpx
import psutil

READY_SECONDS = 120.0


class TowpathProcess:
    """One `towpath` command. ``started_at`` is the monotonic time just before it."""

    def __init__(self, *arguments: str, data: Path, log: Path) -> None:
        self.started_at = time.monotonic()
        with log.open("ab") as file:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "towpath", *arguments, "--data", str(data)],
                stdout=file,
                stderr=file,
                env={**os.environ, "TOWPATH_EMBEDDER": "fast"},
            )

    @property
    def pid(self) -> int:
        return self.process.pid

    def cpu_seconds(self) -> float:
        """CPU seconds of the process so far, without its children."""
        times = psutil.Process(self.pid).cpu_times()
        return times.user + times.system

    def kill(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()


class ServerProcess(TowpathProcess):
    def __init__(self, data: Path, log: Path, *arguments: str) -> None:
        with contextlib.closing(socket.socket()) as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        self.url = f"http://127.0.0.1:{port}"
        super().__init__("serve", "--port", str(port), *arguments, data=data, log=log)

    def wait_until_ready(self) -> tuple[float, float]:
        """Seconds and CPU seconds from the start until the server is ready."""
        while time.monotonic() - self.started_at < READY_SECONDS:
            with contextlib.suppress(httpx.TransportError):
                if httpx.get(f"{self.url}/ready", timeout=5).status_code == 200:
                    return time.monotonic() - self.started_at, self.cpu_seconds()
            if self.process.poll() is not None:
                raise RuntimeError("the server ended")
            time.sleep(0.01)
        raise RuntimeError("the server was not ready in time")
