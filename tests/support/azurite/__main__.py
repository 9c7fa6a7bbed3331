"""`python -m tests.support.azurite` installs Azurite; it does nothing when the right one is there."""

from __future__ import annotations

import os
import shutil
import subprocess

from build_page import find_npm
from tests.support.azurite import HERE, PLACE


def install() -> None:
    """Bring `.cache/azurite` to the versions in the lock; does nothing when it is there already."""
    done = PLACE / "installed-from"
    lock = (HERE / "package-lock.json").read_text("utf-8")
    if done.exists() and done.read_text("utf-8") == lock:
        return
    PLACE.mkdir(parents=True, exist_ok=True)
    for name in ("package.json", "package-lock.json"):
        shutil.copyfile(HERE / name, PLACE / name)
    npm, path = find_npm()
    quiet = ("--no-save", "--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error")
    subprocess.run([*npm, "install", *quiet], cwd=PLACE, env={**os.environ, "PATH": path}, check=True)
    done.write_text(lock, "utf-8")


if __name__ == "__main__":
    install()
