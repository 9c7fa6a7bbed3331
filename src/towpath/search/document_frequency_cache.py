"""Caches how many chunks contain a term, until the collection has changed too much."""

from __future__ import annotations

import threading
from collections import OrderedDict

MAX_ENTRIES = 20_000


class DocumentFrequencyCache:
    """`version` is any counter that grows with changes; an entry expires once it is `stale` versions old.

    Small counts expire sooner: there a few more chunks make a difference.
    """

    def __init__(self, stale: float) -> None:
        self._stale = stale
        self._lock = threading.Lock()
        self._entries: OrderedDict[str, tuple[int, float]] = OrderedDict()

    def get(self, key: str, version: float) -> int | None:
        with self._lock:
            count, stored_version = self._entries.get(key, (0, version))
        return count if 0 <= version - stored_version < min(self._stale, count / 4) else None

    def put(self, key: str, count: int, version: float) -> int:
        with self._lock:
            self._entries[key] = (count, version)
            self._entries.move_to_end(key)
            if len(self._entries) > MAX_ENTRIES:
                self._entries.popitem(last=False)
        return count
