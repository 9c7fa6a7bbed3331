"""Starts a private redis-server without persistence, kills it and starts it again on the same port."""

from __future__ import annotations

import contextlib
import shutil
import signal
import subprocess
import time
from collections import Counter
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import cast

from redis import Redis
from redis.exceptions import RedisError

from tests.support.ports import free_port
from tests.support.timeouts import PROCESS_SECONDS


class RedisServer:
    """A Redis whose data is lost when it stops."""

    def __init__(self, folder: Path, port: int) -> None:
        self._folder = folder
        self._port = port
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"redis://127.0.0.1:{self._port}/0"

    def start(self) -> None:
        program = shutil.which("redis-server")
        if program is None:
            raise RuntimeError("The tests need redis-server: `make redis` installs it.")
        options = ["--bind", "127.0.0.1", "--port", str(self._port), "--save", "", "--appendonly", "no"]
        self._process = subprocess.Popen(
            [program, *options, "--dir", str(self._folder)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        self._wait_until_ready(self._process)

    def kill(self) -> None:
        """End the server with SIGKILL."""
        if self._process is not None:
            self._process.kill()
            self._process.wait(PROCESS_SECONDS)
            self._process = None

    def pause(self) -> None:
        """Let the server accept connections and answer nothing."""
        assert self._process is not None
        self._process.send_signal(signal.SIGSTOP)

    def resume(self) -> None:
        assert self._process is not None
        self._process.send_signal(signal.SIGCONT)

    def flush(self) -> None:
        with Redis.from_url(self.url) as client:
            client.flushall()

    def all_keys(self) -> set[str]:
        with Redis.from_url(self.url, decode_responses=True) as client:
            return {str(key) for key in cast("Iterator[object]", client.scan_iter())}

    def waiting(self, stage: str) -> int:
        """The number of offers of a stage that no worker has taken."""
        with Redis.from_url(self.url) as client:
            return client.llen(f"towpath:{stage}:wait")

    def events(self, stage: str) -> Counter[str]:
        """How often each event of BullMQ happened to the jobs of a stage."""
        with Redis.from_url(self.url, decode_responses=True) as client:
            entries = cast("list[tuple[str, dict[str, str]]]", client.xrange(f"towpath:{stage}:events"))
        return Counter(fields["event"] for _, fields in entries)

    def _wait_until_ready(self, process: subprocess.Popen[bytes]) -> None:
        deadline = time.monotonic() + PROCESS_SECONDS
        while True:
            try:
                with Redis.from_url(self.url) as client:
                    client.ping()
                return
            except RedisError:
                if process.poll() is not None or time.monotonic() > deadline:
                    raise RuntimeError("redis-server did not start.") from None
                time.sleep(0.02)


@contextlib.contextmanager
def private_redis(folder: Path) -> Generator[RedisServer]:
    server = RedisServer(folder, free_port())
    server.start()
    try:
        yield server
    finally:
        server.kill()
