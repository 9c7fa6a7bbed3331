"""A file object that raises an error if a library reads too much of it; for hostile files in the server process."""

from __future__ import annotations

import io
from pathlib import Path


class TooMuchReadError(Exception):
    """More bytes were read than the limit."""


class ReadBudgetFile(io.FileIO):
    """A file of which ``limit`` bytes may be read in all, wherever they are."""

    def __init__(self, path: Path, limit: int) -> None:
        super().__init__(path, "rb")
        self._left = limit

    def read(self, size: int | None = -1, /) -> bytes:
        # A library may ask for much more than there is: the read itself must be bounded.
        wanted = self._left + 1 if size is None or size < 0 else min(size, self._left + 1)
        content = super().read(wanted) or b""
        self._left -= len(content)
        if self._left < 0:
            raise TooMuchReadError
        return content
