"""Downloads Debian packages with apt-get and copies files out of them; needs Debian and its package lists."""

from __future__ import annotations

import gzip
import shutil
import subprocess
import sys
from pathlib import Path


def unpack(package: str, folder: Path) -> Path | None:
    """The folder with the contents of the package; None if apt-get does not find it."""
    subprocess.run(["apt-get", "download", package], cwd=folder, check=False, capture_output=True)
    archive = next(folder.glob("*.deb"), None)
    if archive is None:
        print(f"{package}: not found", file=sys.stderr)
        return None
    subprocess.run(["dpkg-deb", "-x", archive, folder / "contents"], check=True)
    return folder / "contents"


def find(contents: Path, name: str) -> Path | None:
    """The file or folder whose path ends with ``name`` or ``name.gz``."""
    for path in sorted(contents.rglob("*")):
        relative = f"/{path.relative_to(contents)}"
        if not path.is_symlink() and relative.removesuffix(".gz").endswith(f"/{name.removesuffix('.gz')}"):
            return path
    return None


def copy(source: Path, target: Path) -> None:
    """Copy a file; a compressed one is unpacked."""
    if source.suffix == ".gz":
        with gzip.open(source) as packed:
            target.write_bytes(packed.read())
    else:
        shutil.copy(source, target)
