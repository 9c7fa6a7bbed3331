"""Stores blobs as local files: a write goes to a temporary file, fsync, rename, and fsync of the folder."""

from __future__ import annotations

import asyncio
import os
import shutil
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import BinaryIO

from towpath.model.ids import new_id
from towpath.private_files import open_private
from towpath.storage.contract import require_key
from towpath.storage.disk_errors import disk_errors

CHUNK = 1 << 20


class LocalStore:
    """A BlobStore in a local folder."""

    def __init__(self, root: Path, incoming: Path) -> None:
        self._root = root / "blobs"
        #: Files that are still being written.
        self._incoming = incoming
        with disk_errors():
            self._root.mkdir(mode=0o700, parents=True, exist_ok=True)

    async def close(self) -> None:
        """Does nothing: no file stays open between calls."""

    async def put(self, key: str, body: bytes) -> None:
        target = self._path(key)
        await asyncio.to_thread(self._write, target, body)

    async def put_file(self, key: str, path: Path) -> None:
        target = self._path(key)
        await asyncio.to_thread(self._put_file, path, target)

    async def get(self, key: str) -> bytes:
        return await asyncio.to_thread(self._path(key).read_bytes)

    async def stream(self, key: str, start: int = 0, end: int | None = None) -> AsyncIterator[bytes]:
        remaining = None if end is None else end - start
        file, data = await asyncio.to_thread(_open_and_read, self._path(key), start, _part_size(remaining))
        try:
            while data:
                remaining = None if remaining is None else remaining - len(data)
                is_last = len(data) < CHUNK
                yield data
                if is_last:
                    return
                data = await asyncio.to_thread(file.read, _part_size(remaining))
        finally:
            file.close()

    async def size(self, key: str) -> int | None:
        try:
            return (await asyncio.to_thread(self._path(key).stat)).st_size
        except FileNotFoundError:
            return None

    async def delete(self, key: str) -> None:
        path = self._path(key)
        await asyncio.to_thread(path.unlink, missing_ok=True)

    async def keys(self, prefix: str = "") -> AsyncIterator[str]:
        for key in await asyncio.to_thread(self._list, prefix):
            yield key

    @asynccontextmanager
    async def as_file(self, key: str) -> AsyncGenerator[Path]:
        path = self._path(key)
        if not path.exists():
            raise FileNotFoundError(key)
        yield path

    async def signed_url(self, key: str) -> str | None:
        return None

    def _path(self, key: str) -> Path:
        return self._root / require_key(key)

    def _list(self, prefix: str) -> list[str]:
        folder = self._root / prefix.rpartition("/")[0]
        keys = (path.relative_to(self._root).as_posix() for path in folder.rglob("*") if path.is_file())
        return sorted(key for key in keys if key.startswith(prefix))

    def _write(self, target: Path, body: bytes) -> None:
        temporary = self._incoming / new_id()
        with disk_errors():
            try:
                with open_private(temporary) as file:
                    file.write(body)
                self._move_into_place(temporary, target)
            finally:
                temporary.unlink(missing_ok=True)

    def _put_file(self, path: Path, target: Path) -> None:
        with disk_errors():
            self._move_into_place(path, target)

    def _move_into_place(self, path: Path, target: Path) -> None:
        _sync(path)
        _make_folder(target.parent, self._root)
        try:
            path.rename(target)
        except OSError:
            # Another file system: copy into the folder of the target first, so that the rename is atomic.
            temporary = target.with_name(f".{new_id()}")
            try:
                with path.open("rb") as source, open_private(temporary) as copy:
                    shutil.copyfileobj(source, copy, CHUNK)
                _sync(temporary)
                temporary.rename(target)
            finally:
                temporary.unlink(missing_ok=True)
            path.unlink(missing_ok=True)
        _sync(target.parent)


def _open_and_read(path: Path, start: int, size: int) -> tuple[BinaryIO, bytes]:
    file = path.open("rb")
    try:
        file.seek(start)
        return file, file.read(size)
    except BaseException:
        file.close()
        raise


def _part_size(remaining: int | None) -> int:
    return CHUNK if remaining is None else max(0, min(CHUNK, remaining))


def _make_folder(folder: Path, root: Path) -> None:
    """Create the folder durably: sync the parent of each new folder."""
    missing: list[Path] = []
    while not folder.exists() and folder != root:
        missing.append(folder)
        folder = folder.parent
    for path in reversed(missing):
        path.mkdir(mode=0o700, exist_ok=True)
        _sync(path.parent)


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
