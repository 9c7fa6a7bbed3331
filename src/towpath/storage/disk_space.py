"""Measures the free space of the data folder, and keeps a reserve file that is deleted when the disk is full.

On a full disk SQLite can neither delete rows nor record why a job waits. The reserve makes room for both; it is
created again as soon as there is space.
"""

from __future__ import annotations

import contextlib
import logging
import os
import shutil
import threading
from enum import StrEnum
from pathlib import Path

from towpath.errors import StorageFull, StorageUnavailable
from towpath.storage.disk_errors import FULL_MESSAGE, READ_ONLY_MESSAGE

log = logging.getLogger(__name__)

_RESERVE_FILE = "reserve"


class DiskState(StrEnum):
    """Whether files can be stored in the data folder."""

    OK = "ok"
    FULL = "full"
    READ_ONLY = "read_only"


class DiskSpace:
    """Watches the free space of a folder; 0 for ``reserve_bytes`` switches the check off."""

    def __init__(self, folder: Path, reserve_bytes: int) -> None:
        self._folder = folder
        self._file = folder / _RESERVE_FILE
        self._reserve_bytes = reserve_bytes
        self._lock = threading.Lock()

    def state(self) -> DiskState:
        """FULL if less than the reserve is free."""
        try:
            stats = os.statvfs(self._folder)
        except OSError:
            return DiskState.READ_ONLY
        if stats.f_flag & os.ST_RDONLY or not os.access(self._folder, os.W_OK):
            return DiskState.READ_ONLY
        is_full = stats.f_bavail * stats.f_frsize < self._reserve_bytes
        return DiskState.FULL if is_full else DiskState.OK

    def usage(self) -> tuple[int, int] | None:
        """The free and all bytes of the folder's disk; None if they cannot be read."""
        try:
            usage = shutil.disk_usage(self._folder)
        except OSError:
            return None
        return usage.free, usage.total

    def require_space(self) -> None:
        """Raise StorageFull or StorageUnavailable if nothing more should be stored."""
        match self.state():
            case DiskState.FULL:
                raise StorageFull(FULL_MESSAGE)
            case DiskState.READ_ONLY:
                raise StorageUnavailable(READ_ONLY_MESSAGE)
            case DiskState.OK:
                return

    def keep_reserve(self) -> None:
        """Create the reserve if it is missing and at least as much would stay free."""
        with self._lock:
            if not self._reserve_bytes or self._file.exists():
                return
            stats = os.statvfs(self._folder)
            if stats.f_bavail * stats.f_frsize < 2 * self._reserve_bytes:
                return
            temporary = self._file.with_suffix(".new")
            with contextlib.suppress(OSError):
                with temporary.open("wb") as file:
                    os.posix_fallocate(file.fileno(), 0, self._reserve_bytes)
                temporary.replace(self._file)
            temporary.unlink(missing_ok=True)

    def release_reserve(self) -> bool:
        """Delete the reserve; true if there was one, so that the failed write can be tried again."""
        with self._lock:
            try:
                self._file.unlink()
            except OSError:
                return False
        log.warning("the disk is full; the reserve of %d MB is in use now", self._reserve_bytes >> 20)
        return True
