"""A small file system for tests: it can be filled and made read-only."""

from __future__ import annotations

import subprocess
import threading
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from tests.support.timeouts import wait_until

_BLOCK = bytes(64 * 1024)


class SmallDisk:
    """A mounted tmpfs."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._filler = folder / "filler"

    def fill(self) -> None:
        """Write until the disk has no space left."""
        with self._filler.open("ab", buffering=0) as file:
            try:
                while True:
                    file.write(_BLOCK)
            except OSError:
                return

    @contextmanager
    def kept_full(self) -> Generator[None]:
        """Fill the disk again as soon as a process frees space on it."""
        stopping = threading.Event()

        def keep_full() -> None:
            while not stopping.wait(0.005):
                self.fill()

        thread = threading.Thread(target=keep_full, daemon=True)
        thread.start()
        try:
            yield
        finally:
            stopping.set()
            thread.join()

    def free(self) -> None:
        self._filler.unlink(missing_ok=True)

    def set_read_only(self, value: bool) -> None:
        """Remount it. The kernel refuses while a process that was killed still has a file open for writing."""
        command = ["mount", "-o", f"remount,{'ro' if value else 'rw'}", str(self.folder)]
        wait_until(lambda: subprocess.run(command, check=False).returncode == 0, "the disk to be remounted")


@contextmanager
def small_disk(folder: Path, megabytes: int) -> Generator[SmallDisk]:
    """Mount a tmpfs of this size; needs root, as the other system packages of the tests do."""
    folder.mkdir(parents=True)
    subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={megabytes}m", "towpath-test", str(folder)], check=True
    )
    try:
        yield SmallDisk(folder)
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)
