"""Locks the data folder, so that at most one server uses it at a time."""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import cast

from towpath.errors import FolderInUse

_LOCK_FILE = "server.lock"


@contextmanager
def lock_data_dir(data: Path, url: str) -> Generator[None]:
    """Hold the lock for the duration of the context. The kernel releases it when the process ends."""
    data.mkdir(parents=True, exist_ok=True)
    descriptor = os.open(data / _LOCK_FILE, os.O_RDWR | os.O_CREAT, 0o644)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            other = running_server(data) or "another process"
            raise FolderInUse(
                f"The folder {data} is in use by {other}. Stop that server, "
                "or choose another folder with --data."
            ) from error
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, json.dumps({"pid": os.getpid(), "url": url}).encode(), 0)
        yield
    finally:
        os.close(descriptor)


def running_server(data: Path) -> str | None:
    """The URL of the server that holds the lock; None if no server runs."""
    path = data / _LOCK_FILE
    if not path.exists():
        return None
    with path.open("rb") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            try:
                return cast("str", json.loads(file.read() or b"{}").get("url")) or None
            except ValueError:
                return None
    return None
