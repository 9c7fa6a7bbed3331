"""Creates folders for temporary files: one per process, deleted after its process has ended."""

from __future__ import annotations

import os
import shutil
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from towpath.model.ids import new_id
from towpath.os_resources import try_lock


@contextmanager
def own_folder(root: Path) -> Generator[Path]:
    """A folder that is deleted with the context. Folders of killed processes are deleted first."""
    root.mkdir(mode=0o700, parents=True, exist_ok=True)
    delete_folders_of_ended_processes(root)
    folder, descriptor = _create_locked(root)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        os.close(descriptor)


def delete_folders_of_ended_processes(root: Path) -> None:
    """Delete the folders of ended processes; those of running processes are locked and stay."""
    for entry in root.iterdir():
        if not entry.is_dir():
            entry.unlink(missing_ok=True)
        elif (descriptor := _lock(entry)) is not None:
            shutil.rmtree(entry, ignore_errors=True)
            os.close(descriptor)


def _create_locked(root: Path) -> tuple[Path, int]:
    while True:
        folder = root / new_id()
        folder.mkdir(mode=0o700)
        descriptor = _lock(folder)
        # If another process deleted the folder in between, create another one.
        if descriptor is not None and folder.exists():
            return folder, descriptor
        if descriptor is not None:
            os.close(descriptor)


def _lock(folder: Path) -> int | None:
    """Lock the folder; None if it is locked. The kernel releases the lock when the process ends."""
    try:
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    except FileNotFoundError:
        return None
    if not try_lock(descriptor):
        os.close(descriptor)
        return None
    return descriptor
