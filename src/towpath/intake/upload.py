"""Receives an upload into a temporary file and hashes it on the way; removed if the upload breaks off."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import BinaryIO, TypeVar

from towpath.errors import Rejected
from towpath.model.ids import new_id
from towpath.private_files import open_private
from towpath.storage.disk_errors import disk_errors

T = TypeVar("T")

#: Up to this size an upload is collected in memory and written at once: a change of threads takes longer.
BUFFER_BYTES = 65_536


class UploadFile:
    """A temporary file that an upload is written to."""

    def __init__(self, path: Path, limit: int) -> None:
        self.path = path
        self.size = 0
        self._buffer: list[bytes] = []
        self._file: BinaryIO | None = None
        self._closed = False
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
        if self._file is None and self.size <= BUFFER_BYTES:
            self._buffer.append(bytes(data))
        else:
            self._open().write(data)

    async def close(self) -> None:
        await asyncio.to_thread(self._close)

    async def read_by(self, function: Callable[[Path], T]) -> T:
        """Close the file and call a function with its path, both in one thread."""

        def close_and_read() -> T:
            self._close()
            return function(self.path)

        return await asyncio.to_thread(close_and_read)

    @property
    def sha256(self) -> str:
        return self._hash.hexdigest()

    def abort(self) -> None:
        """Close and remove the file, unless it was moved."""
        try:
            if self._file is not None:
                self._file.close()
        finally:
            self.path.unlink(missing_ok=True)

    def _open(self) -> BinaryIO:
        """The file, with what was collected in memory."""
        if self._file is None:
            self._file = open_private(self.path)
            self._file.writelines(self._buffer)
            self._buffer = []
        return self._file

    def _close(self) -> None:
        if not self._closed:
            self._open().close()
            self._closed = True


@asynccontextmanager
async def receive_upload(folder: Path, limit: int) -> AsyncGenerator[UploadFile]:
    """A temporary file for an upload, removed when the context ends unless it was moved."""
    with disk_errors():
        upload = UploadFile(folder / new_id(), limit)
        try:
            yield upload
        finally:
            upload.abort()
