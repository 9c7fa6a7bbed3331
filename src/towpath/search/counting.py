"""Remembers how many passages have a word, for as long as the collection has not changed much."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable

MOST = 20_000
#: So many changed chunks later a count is taken anew.
STALE = 500


class Counts:
    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._known: OrderedDict[str, tuple[int, int]] = OrderedDict()

    def get(self, word: str, change: int, count: Callable[[], int]) -> int:
        with self._lock:
            known = self._known.get(word)
        if known is not None and 0 <= change - known[1] < min(STALE, known[0] // 4):
            return known[0]
        counted = count()
        with self._lock:
            self._known[word] = (counted, change)
            self._known.move_to_end(word)
            if len(self._known) > MOST:
                self._known.popitem(last=False)
        return counted
