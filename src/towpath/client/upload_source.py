"""Opens the file of an upload and reports how many bytes of it were read."""

from __future__ import annotations

import io
from collections.abc import Callable, Generator
from contextlib import contextmanager
from os import PathLike, fspath
from pathlib import Path
from typing import IO

#: Called with the bytes sent so far and the size of the file.
OnUpload = Callable[[int, int], None]
Source = str | PathLike[str] | bytes | IO[bytes]


class CountedFile(io.RawIOBase):
    """A file that reports how much of it was read."""

    def __init__(self, file: IO[bytes], on_progress: OnUpload | None) -> None:
        self._file = file
        start = file.tell()
        self._size = file.seek(0, io.SEEK_END) - start
        file.seek(start)
        self._sent = 0
        self._on_progress = on_progress

    def read(self, size: int = -1) -> bytes:
        data = self._file.read(size)
        self._sent += len(data)
        if self._on_progress is not None and data:
            self._on_progress(self._sent, self._size)
        return data

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        return self._file.seek(offset, whence)

    def tell(self) -> int:
        return self._file.tell()

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True


@contextmanager
def open_source(
    source: Source, name: str | None, on_progress: OnUpload | None
) -> Generator[tuple[str, CountedFile]]:
    """The name under which a file is uploaded, and the file."""
    if isinstance(source, bytes):
        with io.BytesIO(source) as file:
            yield name or "unnamed", CountedFile(file, on_progress)
    elif isinstance(source, str | PathLike):
        path = Path(fspath(source))
        with path.open("rb") as file:
            yield name or path.name, CountedFile(file, on_progress)
    else:
        yield name or Path(str(getattr(source, "name", "unnamed"))).name, CountedFile(source, on_progress)
