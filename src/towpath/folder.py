"""The data folder: one server at a time, held by a lock of the operating system."""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import cast

from towpath.errors import FolderInUse

_LOCK = "server.lock"


@contextmanager
def owned(data: Path, url: str) -> Generator[None]:
    """Hold the folder while the context lasts. However the process dies, the kernel lets go of it."""
    data.mkdir(parents=True, exist_ok=True)
    descriptor = os.open(data / _LOCK, os.O_RDWR | os.O_CREAT, 0o644)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            other = running_server(data) or "another process"
            raise FolderInUse(
                f"The folder {data} is in use by {other}. One server may own it at a time: stop that one, "
                "or choose another folder with --data."
            ) from error
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, json.dumps({"pid": os.getpid(), "url": url}).encode(), 0)
        yield
    finally:
        os.close(descriptor)


def running_server(data: Path) -> str | None:
    """The address of the server that owns the folder now, if one does."""
    path = data / _LOCK
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
