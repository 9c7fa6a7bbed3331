"""Defines which files sandboxed child processes may open, and tests which sandbox limits work on this machine."""

from __future__ import annotations

import asyncio
import contextlib
import getpass
import json
import logging
import os
import subprocess
import sys
import tempfile
from collections.abc import Generator
from pathlib import Path

from towpath.config import Settings
from towpath.process_sandbox import SandboxPaths, clean_environment
from towpath.storage.scratch import own_folder

log = logging.getLogger(__name__)

_report: dict[str, bool] | None = None


@contextlib.contextmanager
def sandbox_paths(settings: Settings) -> Generator[SandboxPaths]:
    """Child processes read language data for OCR, and keep models in the data folder.

    Temporary files of their libraries are not on the disk of the data folder, which may be small or full.
    """
    models = (settings.data / "models").absolute()
    with contextlib.suppress(OSError):
        # Without it, as on a full disk, no model can be stored there.
        models.mkdir(mode=0o700, parents=True, exist_ok=True)
    readable = () if settings.tessdata is None else (settings.tessdata.absolute(),)
    with own_folder(settings.data / "incoming") as scratch, own_folder(_temporary_root()) as temporary:
        yield SandboxPaths(scratch.absolute(), temporary.absolute(), readable, (models,))


def _temporary_root() -> Path:
    """A folder in the system's folder for temporary files that belongs to this user alone."""
    user = str(os.getuid()) if hasattr(os, "getuid") else getpass.getuser()
    root = Path(tempfile.gettempdir(), f"towpath-{user}")
    root.mkdir(mode=0o700, exist_ok=True)
    found = root.lstat()
    mine = not hasattr(os, "getuid") or (found.st_uid == os.getuid() and not found.st_mode & 0o077)
    # Another user may have made a folder of this name.
    return root if mine and not root.is_symlink() else Path(tempfile.mkdtemp(prefix="towpath-"))


async def sandbox_report(paths: SandboxPaths) -> dict[str, bool]:
    """Which limits hold, measured once in a process that enters the sandbox and ends."""
    global _report
    if _report is None:
        _report = await asyncio.to_thread(_measure, paths)
        missing = [name for name, holds in _report.items() if not holds]
        if missing:
            log.warning("child processes run without these limits on this machine: %s", ", ".join(missing))
    return _report


def _measure(paths: SandboxPaths) -> dict[str, bool]:
    command = [sys.executable, "-m", "towpath.process_sandbox", str(paths.scratch), str(paths.temporary)]
    try:
        result = subprocess.run(
            command, capture_output=True, check=True, timeout=60, env=clean_environment(os.environ)
        )
        return json.loads(result.stdout)
    except (OSError, subprocess.SubprocessError, ValueError):
        log.warning("the sandbox of child processes could not be measured", exc_info=True)
        return {}
