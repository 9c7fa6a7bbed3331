"""Measures what each package of an installation costs on disk."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

_SCRIPT = """
import importlib.metadata, json, os
sizes = {}
for distribution in importlib.metadata.distributions():
    paths = {os.path.realpath(distribution.locate_file(file)) for file in distribution.files or ()}
    sizes[distribution.metadata["Name"]] = sum(os.path.getsize(path) for path in paths if os.path.isfile(path))
print(json.dumps(sizes))
"""
#: They belong to the virtual environment.
_NOT_OURS = {"pip", "setuptools"}


def package_sizes(python: Path) -> dict[str, int]:
    """Bytes on disk of each installed package, with its compiled modules, largest first."""
    answer = subprocess.run([str(python), "-c", _SCRIPT], capture_output=True, text=True, check=True)
    sizes: dict[str, int] = json.loads(answer.stdout)
    ours = [(name, size) for name, size in sizes.items() if name not in _NOT_OURS]
    return dict(sorted(ours, key=lambda entry: -entry[1]))


def print_sizes(python: Path) -> None:
    sizes = package_sizes(python)
    print(f"{len(sizes)} packages, {_megabytes(sum(sizes.values()))} without pip and setuptools:")
    for name, size in list(sizes.items())[:25]:
        print(f"  {name:32}{_megabytes(size):>10}")


def _megabytes(size: int) -> str:
    return f"{size / 1e6:.1f} MB"
