"""Where files lie while they are on their way: a folder for each process, swept once its process is gone."""

from __future__ import annotations

import fcntl
import os
import shutil
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from towpath.model.ids import new_id


@contextmanager
def own_folder(root: Path) -> Generator[Path]:
    """A folder that lives as long as the context; what killed processes left beside it is removed."""
    root.mkdir(parents=True, exist_ok=True)
    sweep(root)
    folder, held = _taken(root)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        os.close(held)


def sweep(root: Path) -> None:
    """Remove the folders that nobody holds any more; those of living processes stay untouched."""
    for left in root.iterdir():
        if not left.is_dir():
            left.unlink(missing_ok=True)
        elif (held := _lock(left)) is not None:
            shutil.rmtree(left, ignore_errors=True)
            os.close(held)


def _taken(root: Path) -> tuple[Path, int]:
    while True:
        folder = root / new_id()
        folder.mkdir()
        held = _lock(folder)
        # Somebody who swept in between had the lock first, and the folder is gone: take another.
        if held is not None and folder.exists():
            return folder, held
        if held is not None:
            os.close(held)


def _lock(folder: Path) -> int | None:
    """The kernel's lock on the folder, which ends with its holder however that dies; None if it is held."""
    try:
        held = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    except FileNotFoundError:
        return None
    try:
        fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(held)
        return None
    return held
