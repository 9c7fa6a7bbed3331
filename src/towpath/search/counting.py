"""Remembers how many passages have a word, for as long as the collection has not changed much."""

from __future__ import annotations

import threading
from collections import OrderedDict

MOST = 20_000


class Counts:
    """A moment is anything that grows as the collection changes; ``stale`` of it later a count is forgotten.

    Small counts are forgotten sooner: there a few passages more make a difference.
    """

    def __init__(self, stale: float) -> None:
        self._stale = stale
        self._lock = threading.Lock()
        self._known: OrderedDict[str, tuple[int, float]] = OrderedDict()

    def get(self, word: str, moment: float) -> int | None:
        with self._lock:
            count, noted = self._known.get(word, (0, moment))
        return count if 0 <= moment - noted < min(self._stale, count / 4) else None

    def note(self, word: str, count: int, moment: float) -> int:
        with self._lock:
            self._known[word] = (count, moment)
            self._known.move_to_end(word)
            if len(self._known) > MOST:
                self._known.popitem(last=False)
        return count
