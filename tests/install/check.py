"""Builds the wheels, installs them into a clean virtual environment and runs the offline walk with them.

``python -m tests.install.check`` checks the default installation; ``--all`` checks ``towpath[all]`` with scans,
pictures and a recording. Needs Linux, `unshare` and `ip`; the network is used for the installation only.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.install.sizes import print_sizes

ROOT = Path(__file__).resolve().parents[2]
PIP = ("-m", "pip", "--quiet", "--disable-pip-version-check")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--all", action="store_true", help="install towpath[all]")
    parser.add_argument("--python", default=sys.executable, help="the Python to install into")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="towpath-install-") as name:
        folder = Path(name)
        build_wheels(folder / "dist")
        python = install(arguments.python, folder, "towpath[all]" if arguments.all else "towpath")
        print_sizes(python)
        options = ["--all"] if arguments.all else []
        command = [sys.executable, "-m", "tests.install.offline_walk", str(folder / "walk"), *options]
        print(in_namespace([*command, "--", str(python.parent / "towpath")]))


def build_wheels(target: Path) -> None:
    subprocess.run([sys.executable, *PIP, "wheel", "--no-deps", "-w", str(target), str(ROOT)], check=True)
    subprocess.run([sys.executable, str(ROOT / "packages" / "build_models.py")], check=True)
    for wheel in (ROOT / "packages" / "dist").glob("*.whl"):
        shutil.copy(wheel, target)


def install(python: str, folder: Path, requirement: str) -> Path:
    """The Python of a new virtual environment with the built wheels and what they need."""
    subprocess.run([python, "-m", "venv", str(folder / "venv")], check=True)
    installed = folder / "venv" / "bin" / "python"
    options = ("--only-binary=:all:", "--find-links", str(folder / "dist"))
    subprocess.run([str(installed), *PIP, "install", *options, requirement], check=True)
    return installed


def in_namespace(command: list[str]) -> str:
    """Run a command that sees no network but the loopback interface; returns what it prints."""
    script = 'ip link set lo up && exec "$@"'
    namespace = ["unshare", "-rn", "sh", "-c", script, "sh"]
    ended = subprocess.run([*namespace, *command], cwd=ROOT, capture_output=True, text=True, check=False)
    if ended.returncode:
        raise AssertionError(ended.stdout + ended.stderr)
    return ended.stdout


if __name__ == "__main__":
    main()
