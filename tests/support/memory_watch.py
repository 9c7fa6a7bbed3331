"""Measures the resident memory of a server and of its child processes while a test runs."""

from __future__ import annotations

import contextlib
import threading

import psutil

MAX_SERVER_BYTES = 600 << 20
MAX_CHILD_BYTES = 1_500 << 20


class MemoryWatch:
    """The largest resident memory of a process, and of any of its children, while the context is open."""

    def __init__(self, pid: int) -> None:
        self._process = psutil.Process(pid)
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._watch)
        self.server = self.child = 0

    def __enter__(self) -> MemoryWatch:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self._thread.join()

    def __str__(self) -> str:
        return f"server {self.server >> 20} MB, largest child {self.child >> 20} MB"

    def problems(self) -> list[str]:
        """What used more memory than its limit, in words."""
        limits = (
            ("the server", self.server, MAX_SERVER_BYTES),
            ("a child process", self.child, MAX_CHILD_BYTES),
        )
        return [f"{name} used {used >> 20} MB" for name, used, limit in limits if used > limit]

    def _watch(self) -> None:
        while not self._ended.wait(0.1):
            with contextlib.suppress(psutil.Error):
                self.server = max(self.server, self._process.memory_info().rss)
            with contextlib.suppress(psutil.Error):
                for child in self._process.children(recursive=True):
                    with contextlib.suppress(psutil.Error):
                        self.child = max(self.child, child.memory_info().rss)
