"""A private Redis for one benchmark run, without persistence: BullMQ at its fastest. Stopped by its pid."""

from __future__ import annotations

import contextlib
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Generator

from redis import Redis
from redis.exceptions import RedisError

START_SECONDS = 30.0


@contextlib.contextmanager
def private_redis() -> Generator[str]:
    """Start a server on a free port of this machine and return its URL; at the end kill it."""
    program = shutil.which("redis-server")
    if program is None:
        raise RuntimeError("The rows of BullMQ need a redis-server: apt install redis-server")
    with tempfile.TemporaryDirectory(prefix="towpath-bench-redis-") as folder:
        port = _free_port()
        options = ["--bind", "127.0.0.1", "--port", str(port), "--save", "", "--appendonly", "no"]
        process = subprocess.Popen(
            [program, *options, "--dir", folder], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL
        )
        try:
            url = f"redis://127.0.0.1:{port}/0"
            _wait_until_ready(url)
            yield url
        finally:
            process.kill()
            process.wait()


def _wait_until_ready(url: str) -> None:
    deadline = time.monotonic() + START_SECONDS
    with Redis.from_url(url) as client:
        while True:
            try:
                client.execute_command("PING")
                return
            except RedisError:
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.02)


def _free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])
