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

    def _watch(self) -> None:
        while not self._ended.wait(0.1):
            with contextlib.suppress(psutil.Error):
                self.server = max(self.server, self._process.memory_info().rss)
            with contextlib.suppress(psutil.Error):
                for child in self._process.children(recursive=True):
                    with contextlib.suppress(psutil.Error):
                        self.child = max(self.child, child.memory_info().rss)
