"""The Redis of a drill: a private redis-server without persistence that is killed, started again and flushed."""

from __future__ import annotations

import contextlib
import random
import shutil
import socket
import subprocess
import time
from collections.abc import Generator
from pathlib import Path

from towpath.errors import ConfigError

START_SECONDS = 30.0
_PORTS = (20_000, 32_000)


class DrillRedis:
    """One redis-server on one port; what it holds is lost when it is killed."""

    def __init__(self, program: str, folder: Path) -> None:
        self._program = program
        self._folder = folder
        self._port = _free_port()
        self._process: subprocess.Popen[bytes] | None = None
        #: When a killed server is to be started again (monotonic seconds).
        self._start_at: float | None = None

    @property
    def url(self) -> str:
        return f"redis://127.0.0.1:{self._port}/0"

    @property
    def is_up(self) -> bool:
        return self._process is not None

    def start(self) -> None:
        options = ["--bind", "127.0.0.1", "--port", str(self._port), "--save", "", "--appendonly", "no"]
        self._start_at = None
        with (self._folder / "redis.log").open("ab") as log:
            self._process = subprocess.Popen(
                [self._program, *options, "--dir", str(self._folder)],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )
        deadline = time.monotonic() + START_SECONDS
        while not self._answers():
            if self._process.poll() is not None or time.monotonic() > deadline:
                raise ConfigError(f"redis-server did not start; see {self._folder / 'redis.log'}.")
            time.sleep(0.02)

    def kill(self, seconds: float) -> None:
        """Send SIGKILL; `tend` starts the server again after ``seconds``."""
        self.stop()
        self._start_at = time.monotonic() + seconds

    def tend(self, *, at_once: bool = False) -> None:
        """Start a killed server whose time is over, or ``at_once``."""
        if self._start_at is not None and (at_once or time.monotonic() >= self._start_at):
            self.start()

    def flush(self) -> None:
        self._command(b"FLUSHALL\r\n")

    def stop(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None

    def _answers(self) -> bool:
        try:
            return self._command(b"PING\r\n").startswith(b"+PONG")
        except OSError:
            return False

    def _command(self, command: bytes) -> bytes:
        with socket.create_connection(("127.0.0.1", self._port), timeout=5) as connection:
            connection.sendall(command)
            return connection.recv(100)


@contextlib.contextmanager
def private_redis(folder: Path) -> Generator[DrillRedis]:
    program = shutil.which("redis-server")
    if program is None:
        raise ConfigError(
            "The drill of BullMQ starts its own redis-server. Install it, for example `apt install redis-server`."
        )
    folder.mkdir(parents=True, exist_ok=True)
    server = DrillRedis(program, folder)
    server.start()
    try:
        yield server
    finally:
        server.stop()


def _free_port() -> int:
    """A free port below those that the system gives to clients, so that it is still free after a kill."""
    while True:
        port = random.randrange(*_PORTS)
        with socket.socket() as probe, contextlib.suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port
