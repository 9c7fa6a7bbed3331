"""Opens zip files that strangers made. Sizes are measured while inflating, never believed.

Nothing is ever written to disk, so a name such as ``../../etc/passwd`` is only a name that nobody asks for.
"""

from __future__ import annotations

import struct
import zipfile
import zlib
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from towpath.errors import Rejected
from towpath.providers.local import ole, refusals

_MIB = 1 << 20
_BLOCK = 1 << 16
_END = struct.Struct("<4s4H2LH")
_END64 = struct.Struct("<4sQ2H2L4Q")
_LOCATOR64 = struct.Struct("<4sLQL")
# All that Python's zipfile was seen to raise on damaged files.
_BROKEN = (zipfile.BadZipFile, zlib.error, struct.error, EOFError, NotImplementedError)
_UNREADABLE = (*_BROKEN, RuntimeError, ValueError, OverflowError, OSError)


@dataclass(frozen=True, slots=True)
class Limits:
    """How much a zip may hold: a part in memory may be smaller than one that is only streamed.

    Ratios count only past ``ratio_from`` bytes: small parts pack oddly well.
    """

    entries: int = 20_000
    directory: int = 8 * _MIB
    part: int = 256 * _MIB
    whole_part: int = 32 * _MIB
    total: int = 768 * _MIB
    ratio: int = 300
    ratio_from: int = 32 * _MIB


class Archive:
    """The parts of one zip by name, forgiving about case, backslashes and leading slashes."""

    def __init__(self, file: zipfile.ZipFile, what: str, limits: Limits) -> None:
        self.what = what
        self._file = file
        self._limits = limits
        self._inflated = 0
        self._entries = {
            _plain(entry.filename): entry for entry in file.infolist() if not entry.filename.endswith("/")
        }

    def __contains__(self, name: str) -> bool:
        """Whether there is a part of this name."""
        return _plain(name) in self._entries

    def names(self) -> list[str]:
        return [entry.filename for entry in self._entries.values()]

    def find(self, name: str) -> bytes | None:
        """The whole part, or None when there is no such part."""
        if name not in self:
            return None
        blocks: list[bytes] = []
        with self.stream(name) as part:
            while block := part.read():
                blocks.append(block)
                if part.inflated > self._limits.whole_part:
                    raise refusals.too_large(self.what, f"its part {name} is larger than any ordinary one")
        return b"".join(blocks)

    def read(self, name: str) -> bytes:
        content = self.find(name)
        if content is None:
            raise refusals.corrupt(self.what, f"its part {name} is missing")
        return content

    @contextmanager
    def stream(self, name: str) -> Generator[Part]:
        """The part as a stream that stops at the limits; for parts that are walked without being held."""
        entry = self._entries.get(_plain(name))
        if entry is None:
            raise refusals.corrupt(self.what, f"its part {name} is missing")
        if entry.flag_bits & 1:
            raise refusals.encrypted(self.what)
        if entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            # The others inflate a whole block at once in Python's zipfile, whatever size is asked for.
            raise refusals.corrupt(self.what, f"its part {name} is packed in an unusual way")
        try:
            source = self._file.open(entry)
        except _UNREADABLE as error:
            raise refusals.corrupt(self.what, f"its part {name} cannot be opened") from error
        with source:
            yield Part(source, name, self, entry)

    def count(self, inflated: int, of_part: int, packed: int) -> None:
        """Called for every block inflated; raises when the part or the whole grew past the limits."""
        self._inflated += inflated
        limits = self._limits
        if of_part > limits.part or self._inflated > limits.total:
            raise refusals.too_large(self.what, "it unpacks to more than any ordinary document holds")
        if of_part > limits.ratio_from and of_part > limits.ratio * max(packed, 1):
            raise refusals.too_large(self.what, f"a part of it unpacks to over {limits.ratio} times its size")


class Part:
    """One part being inflated; ``read`` is all that an XML parser needs."""

    def __init__(self, source: IO[bytes], name: str, archive: Archive, entry: zipfile.ZipInfo) -> None:
        self.inflated = 0
        self._source = source
        self._name = name
        self._archive = archive
        self._entry = entry

    @property
    def stated_size(self) -> int:
        """What the zip says the part will inflate to: good enough for a progress bar, for nothing else."""
        return max(self._entry.file_size, self.inflated)

    def read(self, size: int = _BLOCK) -> bytes:
        try:
            block = self._source.read(min(size, _BLOCK) if size > 0 else _BLOCK)
        except _UNREADABLE as error:
            raise refusals.corrupt(self._archive.what, f"its part {self._name} breaks off") from error
        self.inflated += len(block)
        self._archive.count(len(block), self.inflated, self._entry.compress_size)
        return block


@contextmanager
def open_archive(path: Path, what: str, limits: Limits | None = None) -> Generator[Archive]:
    """Open a zip after looking at its directory's size, and refuse in words what is no zip at all."""
    limits = limits or Limits()
    with path.open("rb") as file:
        head = file.read(8)
        if not head:
            raise refusals.empty(what)
        if head == ole.MAGIC:
            ole.reject_ole(path)
        try:
            _check_directory(file, what, limits)
            archive = zipfile.ZipFile(file)
        except Rejected:
            raise
        except _UNREADABLE as error:
            raise refusals.corrupt(what) from error
        with archive:
            yield Archive(archive, what, limits)


def _check_directory(file: IO[bytes], what: str, limits: Limits) -> None:
    """Python reads a zip's whole directory into memory, so its size is looked at first."""
    size = file.seek(0, 2)
    start = max(0, size - _END.size - 0xFFFF)
    file.seek(start)
    tail = file.read()
    at = tail.rfind(b"PK\x05\x06")
    if at < 0:
        raise refusals.corrupt(what, "its end is missing")
    _, _, _, _, entries, length, _, _ = _END.unpack_from(tail, at)
    if at >= _LOCATOR64.size and tail[at - _LOCATOR64.size :].startswith(b"PK\x06\x07"):
        _, _, offset, _ = _LOCATOR64.unpack_from(tail, at - _LOCATOR64.size)
        file.seek(min(offset, size))
        found = file.read(_END64.size)
        if found.startswith(b"PK\x06\x06"):
            *_, entries, length, _ = _END64.unpack(found)
    if entries > limits.entries or length > limits.directory:
        raise refusals.too_large(what, f"it holds more than {limits.entries} parts")
    file.seek(0)


def _plain(name: str) -> str:
    return name.replace("\\", "/").lstrip("/").casefold()
