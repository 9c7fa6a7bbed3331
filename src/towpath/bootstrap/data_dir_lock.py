"""Locks the data folder, so that at most one server uses it at a time."""

from __future__ import annotations

import json
import os
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import cast

from towpath.errors import FolderInUse
from towpath.os_resources import try_lock
from towpath.private_files import make_private_folder

_LOCK_FILE = "server.lock"


@contextmanager
def lock_data_dir(data: Path, url: str) -> Generator[None]:
    """Hold the lock for the duration of the context. The kernel releases it when the process ends."""
    make_private_folder(data)
    descriptor = os.open(data / _LOCK_FILE, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        if not try_lock(descriptor):
            other = running_server(data) or "another process"
            raise FolderInUse(
                f"The folder {data} is in use by {other}. Stop that server, "
                "or choose another folder with --data."
            )
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
        if not try_lock(file.fileno(), shared=True):
            try:
                return cast("str", json.loads(file.read() or b"{}").get("url")) or None
            except ValueError:
                return None
    return None
