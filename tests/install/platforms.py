"""Looks up wheels of the default installation for platforms that the tests cannot run on.

``python -m tests.install.platforms`` builds the wheels and downloads them with all their dependencies, as pip would
choose them on Python 3.14 of each platform; a dependency without a wheel is an error.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.install.check import PIP, build_wheels

PYTHON_VERSION = "3.14"
PLATFORMS = {
    "Linux ARM": ("manylinux2014_aarch64", "manylinux_2_17_aarch64", "manylinux_2_28_aarch64"),
    "macOS ARM": ("macosx_14_0_arm64",),
    "Windows": ("win_amd64",),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("requirement", nargs="?", default="towpath", help="such as 'towpath[all]'")
    requirement: str = parser.parse_args().requirement
    with tempfile.TemporaryDirectory(prefix="towpath-platforms-") as name:
        wheels = Path(name) / "dist"
        build_wheels(wheels)
        failed = [label for label in PLATFORMS if not has_wheels(label, requirement, wheels, Path(name))]
    if failed:
        raise SystemExit(f"{requirement} cannot be installed on: {', '.join(failed)}")


def has_wheels(label: str, requirement: str, wheels: Path, folder: Path) -> bool:
    """Whether pip finds a wheel of every dependency; prints the answer."""
    target = folder / label
    platforms = [option for platform in PLATFORMS[label] for option in ("--platform", platform)]
    options = ["--only-binary=:all:", "--python-version", PYTHON_VERSION, *platforms]
    command = [*PIP, "download", *options, "--find-links", str(wheels), "--dest", str(target), requirement]
    ended = subprocess.run([sys.executable, *command], capture_output=True, text=True, check=False)
    if ended.returncode:
        print(f"{label}: {ended.stderr}")
        return False
    print(f"{label}: {len(list(target.iterdir()))} wheels")
    return True


if __name__ == "__main__":
    main()
