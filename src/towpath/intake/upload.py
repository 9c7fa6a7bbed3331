"""Receives an upload into a temporary file and hashes it on the way; removed if the upload breaks off."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import BinaryIO

from towpath.errors import Rejected
from towpath.model.ids import new_id
from towpath.private_files import open_private
from towpath.storage.disk_errors import disk_errors


class UploadFile:
    """A temporary file that an upload is written to."""

    def __init__(self, path: Path, file: BinaryIO, limit: int) -> None:
        self.path = path
        self.size = 0
        self._file = file
        self._limit = limit
        self._hash = hashlib.sha256()

    def write(self, data: bytes | memoryview) -> None:
        self.size += len(data)
        if self.size > self._limit:
            limit = f"{self._limit / (1 << 20):,.0f} MB"
            raise Rejected(
                "too_large",
                f"The file is larger than {limit}. Raise the setting max_upload_bytes to accept it.",
            )
        self._hash.update(data)
        self._file.write(data)

    async def close(self) -> None:
        await asyncio.to_thread(self._file.close)

    @property
    def sha256(self) -> str:
        return self._hash.hexdigest()


@asynccontextmanager
async def receive_upload(folder: Path, limit: int) -> AsyncGenerator[UploadFile]:
    """A temporary file for an upload, removed when the context ends unless it was moved."""
    path = folder / new_id()
    with disk_errors():
        file = await asyncio.to_thread(open_private, path)
        try:
            yield UploadFile(path, file, limit)
        finally:
            try:
                file.close()
            finally:
                path.unlink(missing_ok=True)
