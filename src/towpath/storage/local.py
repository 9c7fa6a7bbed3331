"""Blobs as files: written aside, synced, renamed, and the folder synced, before anyone is told."""

from __future__ import annotations

import asyncio
import os
import shutil
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from towpath.model.ids import new_id
from towpath.storage.contract import checked

CHUNK = 1 << 20


class LocalStore:
    def __init__(self, root: Path, incoming: Path) -> None:
        self._root = root / "blobs"
        #: Files that are still being written.
        self._incoming = incoming
        self._root.mkdir(parents=True, exist_ok=True)

    async def close(self) -> None:
        """Nothing is held open between calls."""

    async def put(self, key: str, body: bytes) -> None:
        target = self._path(key)
        await asyncio.to_thread(self._write, target, body)

    async def put_file(self, key: str, path: Path) -> None:
        target = self._path(key)
        await asyncio.to_thread(self._adopt, path, target)

    async def get(self, key: str) -> bytes:
        return await asyncio.to_thread(self._path(key).read_bytes)

    async def stream(self, key: str, start: int = 0, end: int | None = None) -> AsyncIterator[bytes]:
        file = await asyncio.to_thread(self._path(key).open, "rb")
        try:
            await asyncio.to_thread(file.seek, start)
            left = None if end is None else end - start
            while left is None or left > 0:
                piece = await asyncio.to_thread(file.read, CHUNK if left is None else min(CHUNK, left))
                if not piece:
                    return
                left = None if left is None else left - len(piece)
                yield piece
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
        return self._root / checked(key)

    def _list(self, prefix: str) -> list[str]:
        folder = self._root / prefix.rpartition("/")[0]
        found = (path.relative_to(self._root).as_posix() for path in folder.rglob("*") if path.is_file())
        return sorted(key for key in found if key.startswith(prefix))

    def _write(self, target: Path, body: bytes) -> None:
        aside = self._incoming / new_id()
        try:
            aside.write_bytes(body)
            self._adopt(aside, target)
        finally:
            aside.unlink(missing_ok=True)

    def _adopt(self, path: Path, target: Path) -> None:
        _sync(path)
        _make_folder(target.parent, self._root)
        try:
            path.rename(target)
        except OSError:
            # Another file system: copy next to the target first, so that the rename stays atomic.
            aside = target.with_name(f".{new_id()}")
            shutil.copyfile(path, aside)
            _sync(aside)
            aside.rename(target)
            path.unlink(missing_ok=True)
        _sync(target.parent)


def _make_folder(folder: Path, root: Path) -> None:
    """Make the folder durable too: each new one is an entry in its parent."""
    missing: list[Path] = []
    while not folder.exists() and folder != root:
        missing.append(folder)
        folder = folder.parent
    for path in reversed(missing):
        path.mkdir(exist_ok=True)
        _sync(path.parent)


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
