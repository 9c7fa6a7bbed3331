"""Translates errors of the local disk into errors of Towpath."""

from __future__ import annotations

import errno
from collections.abc import Generator
from contextlib import contextmanager

from towpath.errors import StorageFull, StorageUnavailable

FULL_MESSAGE = (
    "There is no space left on the disk of the data folder. Delete documents or make the disk larger."
)
READ_ONLY_MESSAGE = (
    "The data folder cannot be written. Check the permissions of the folder and the mount options."
)

_FULL = frozenset({errno.ENOSPC, errno.EDQUOT})
_READ_ONLY = frozenset({errno.EROFS, errno.EACCES, errno.EPERM})


def is_disk_full(error: BaseException) -> bool:
    """True for an error of the operating system that says that the disk or the quota is full."""
    return isinstance(error, OSError) and error.errno in _FULL


@contextmanager
def disk_errors() -> Generator[None]:
    """Raise StorageFull or StorageUnavailable for a full or read-only disk; other errors stay as they are."""
    try:
        yield
    except OSError as error:
        if error.errno in _FULL:
            raise StorageFull(FULL_MESSAGE) from error
        if error.errno in _READ_ONLY:
            raise StorageUnavailable(READ_ONLY_MESSAGE) from error
        raise
