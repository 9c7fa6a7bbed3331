"""Bytes in: written aside while they are hashed, so that nothing is left of an upload that breaks off."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import BinaryIO

from towpath.errors import Rejected
from towpath.model.ids import new_id


class Spool:
    """A file on its way in."""

    def __init__(self, path: Path, file: BinaryIO, limit: int) -> None:
        self.path = path
        self.size = 0
        self._file = file
        self._limit = limit
        self._hash = hashlib.sha256()

    def write(self, piece: bytes | memoryview) -> None:
        self.size += len(piece)
        if self.size > self._limit:
            limit = f"{self._limit / (1 << 20):,.0f} MB"
            raise Rejected(
                "too_large", f"The file is larger than {limit}; the setting max_upload_bytes is the limit."
            )
        self._hash.update(piece)
        self._file.write(piece)

    async def close(self) -> None:
        await asyncio.to_thread(self._file.close)

    @property
    def sha256(self) -> str:
        return self._hash.hexdigest()


@asynccontextmanager
async def spool(folder: Path, limit: int) -> AsyncGenerator[Spool]:
    """A place to write an upload to; gone again when the context ends, unless it was moved away."""
    path = folder / new_id()
    file = await asyncio.to_thread(path.open, "wb")
    try:
        yield Spool(path, file, limit)
    finally:
        file.close()
        path.unlink(missing_ok=True)
