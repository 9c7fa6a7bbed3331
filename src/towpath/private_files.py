"""Creates files and folders that only their owner can read: the data folder, the database, uploads and blobs."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path
from typing import BinaryIO


def make_private_folder(path: Path) -> None:
    """Create the folder with mode 0700, or take the rights of other users away. A folder of another user stays."""
    path.mkdir(mode=0o700, parents=True, exist_ok=True)
    _restrict(path, 0o700)


def make_private_file(path: Path) -> None:
    """Create the file with mode 0600 if it is missing, or take the rights of other users away."""
    if not path.exists():
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT, 0o600))
    _restrict(path, 0o600)


def open_private(path: Path) -> BinaryIO:
    """A new file with mode 0600, opened for writing."""
    return os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb")


def _restrict(path: Path, mode: int) -> None:
    with contextlib.suppress(OSError):
        if path.stat().st_mode & 0o777 & ~mode:
            path.chmod(mode)
