"""Opens untrusted zip files. Limits apply to the measured inflated sizes, not to the declared ones.

Nothing is written to disk, so an entry name such as ``../../etc/passwd`` is harmless.
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

from towpath import rejections
from towpath.errors import Rejected
from towpath.readers.office import reject_ole

_MIB = 1 << 20
_BLOCK_BYTES = 1 << 16
_END_RECORD = struct.Struct("<4s4H2LH")
_ZIP64_END_RECORD = struct.Struct("<4sQ2H2L4Q")
_ZIP64_LOCATOR = struct.Struct("<4sLQL")
# The exceptions that Python's zipfile was observed to raise on damaged files.
_FORMAT_ERRORS = (zipfile.BadZipFile, zlib.error, struct.error, EOFError, NotImplementedError)
_READ_ERRORS = (*_FORMAT_ERRORS, RuntimeError, ValueError, OverflowError, OSError)


@dataclass(frozen=True, slots=True)
class ArchiveLimits:
    """Limits of a zip file in entries and bytes. Parts read into memory have a lower limit than streamed ones.

    The compression ratio is checked beyond ``ratio_from_bytes`` only: small parts often compress very well.
    """

    entries: int = 20_000
    directory_bytes: int = 8 * _MIB
    part_bytes: int = 256 * _MIB
    in_memory_part_bytes: int = 32 * _MIB
    total_bytes: int = 768 * _MIB
    ratio: int = 300
    ratio_from_bytes: int = 32 * _MIB


class Archive:
    """The parts of one zip file by name; ignores case, backslashes and leading slashes in names."""

    def __init__(self, file: zipfile.ZipFile, format_name: str, limits: ArchiveLimits) -> None:
        self.format_name = format_name
        self._file = file
        self._limits = limits
        self._inflated_bytes = 0
        self._entries = {
            _normalized_name(entry.filename): entry
            for entry in file.infolist()
            if not entry.filename.endswith("/")
        }

    def __contains__(self, name: str) -> bool:
        """True if the zip has a part with this name."""
        return _normalized_name(name) in self._entries

    def names(self) -> list[str]:
        return [entry.filename for entry in self._entries.values()]

    def read_optional(self, name: str) -> bytes | None:
        """The content of the part, or None if there is no such part."""
        if name not in self:
            return None
        blocks: list[bytes] = []
        with self.open_part(name) as part:
            while block := part.read():
                blocks.append(block)
                if part.inflated_bytes > self._limits.in_memory_part_bytes:
                    raise rejections.too_large(
                        self.format_name, f"part {name} exceeds {self._limits.in_memory_part_bytes >> 20} MB"
                    )
        return b"".join(blocks)

    def read(self, name: str) -> bytes:
        """The content of a part that must exist."""
        content = self.read_optional(name)
        if content is None:
            raise rejections.corrupt(self.format_name, f"part {name} is missing")
        return content

    @contextmanager
    def open_part(self, name: str) -> Generator[ArchivePart]:
        """Open the part as a stream; reading beyond the limits rejects the file."""
        entry = self._entries.get(_normalized_name(name))
        if entry is None:
            raise rejections.corrupt(self.format_name, f"part {name} is missing")
        if entry.flag_bits & 1:
            raise rejections.encrypted(self.format_name)
        if entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            # For other methods zipfile inflates a whole block at once, whatever size is asked for.
            raise rejections.corrupt(self.format_name, f"part {name} uses an unsupported compression method")
        try:
            source = self._file.open(entry)
        except _READ_ERRORS as error:
            raise rejections.corrupt(self.format_name, f"part {name} cannot be opened") from error
        with source:
            yield ArchivePart(source, name, self, entry)

    def count_inflated(self, inflated: int, part_inflated: int, part_packed: int) -> None:
        """Add an inflated block to the total; reject the file beyond the limits."""
        self._inflated_bytes += inflated
        limits = self._limits
        if part_inflated > limits.part_bytes or self._inflated_bytes > limits.total_bytes:
            raise rejections.too_large(
                self.format_name,
                f"it unpacks to more than {limits.total_bytes >> 20} MB, or a part to {limits.part_bytes >> 20} MB",
            )
        if part_inflated > limits.ratio_from_bytes and part_inflated > limits.ratio * max(part_packed, 1):
            raise rejections.too_large(
                self.format_name, f"one of its parts unpacks to over {limits.ratio} times its size"
            )


class ArchivePart:
    """One part as a stream of inflated bytes, readable by an XML parser."""

    def __init__(self, source: IO[bytes], name: str, archive: Archive, entry: zipfile.ZipInfo) -> None:
        self.inflated_bytes = 0
        self._source = source
        self._name = name
        self._archive = archive
        self._entry = entry

    @property
    def declared_bytes(self) -> int:
        """The inflated size that the zip declares; untrusted, use it for progress only."""
        return max(self._entry.file_size, self.inflated_bytes)

    def read(self, size: int = _BLOCK_BYTES) -> bytes:
        """The next inflated bytes, at most 64 KB; empty at the end."""
        try:
            block = self._source.read(min(size, _BLOCK_BYTES) if size > 0 else _BLOCK_BYTES)
        except _READ_ERRORS as error:
            raise rejections.corrupt(self._archive.format_name, f"part {self._name} is truncated") from error
        self.inflated_bytes += len(block)
        self._archive.count_inflated(len(block), self.inflated_bytes, self._entry.compress_size)
        return block


@contextmanager
def open_archive(path: Path, format_name: str, limits: ArchiveLimits | None = None) -> Generator[Archive]:
    """Open a zip file after a check of its directory's size; files that are not zip are rejected."""
    limits = limits or ArchiveLimits()
    with path.open("rb") as file:
        head = file.read(8)
        if not head:
            raise rejections.empty(format_name)
        if head == reject_ole.MAGIC:
            reject_ole.reject_ole(path)
        try:
            _check_directory(file, format_name, limits)
            archive = zipfile.ZipFile(file)
        except Rejected:
            raise
        except _READ_ERRORS as error:
            raise rejections.corrupt(format_name) from error
        with archive:
            yield Archive(archive, format_name, limits)


def _check_directory(file: IO[bytes], format_name: str, limits: ArchiveLimits) -> None:
    """Check the size of the directory first, because zipfile reads all of it into memory."""
    size = file.seek(0, 2)
    start = max(0, size - _END_RECORD.size - 0xFFFF)
    file.seek(start)
    tail = file.read()
    end_offset = tail.rfind(b"PK\x05\x06")
    if end_offset < 0:
        raise rejections.corrupt(format_name, "its end is missing, the download may be incomplete")
    _, _, _, _, entries, directory_bytes, _, _ = _END_RECORD.unpack_from(tail, end_offset)
    if end_offset >= _ZIP64_LOCATOR.size and tail[end_offset - _ZIP64_LOCATOR.size :].startswith(
        b"PK\x06\x07"
    ):
        _, _, offset, _ = _ZIP64_LOCATOR.unpack_from(tail, end_offset - _ZIP64_LOCATOR.size)
        file.seek(min(offset, size))
        zip64_end = file.read(_ZIP64_END_RECORD.size)
        if zip64_end.startswith(b"PK\x06\x06"):
            *_, entries, directory_bytes, _ = _ZIP64_END_RECORD.unpack(zip64_end)
    if entries > limits.entries or directory_bytes > limits.directory_bytes:
        raise rejections.too_large(format_name, f"it has more than {limits.entries} parts")
    file.seek(0)


def _normalized_name(name: str) -> str:
    return name.replace("\\", "/").lstrip("/").casefold()
