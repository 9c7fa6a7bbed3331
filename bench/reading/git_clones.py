"""Reads files of given commits out of git clones of public repositories."""

from __future__ import annotations

import subprocess
from pathlib import Path


def find_clone(clones: Path, repository: str) -> Path | None:
    """The git folder of a clone ``owner/name`` or ``owner+name``, with or without a work tree."""
    for name in (repository, repository.replace("/", "+")):
        for folder in (clones / name, clones / name / "repo"):
            if (folder / ".git").exists() or (folder / "HEAD").exists():
                return folder
    return None


def read_file(clone: Path, commit: str, path: str) -> bytes | None:
    command = ["git", "-C", str(clone), "cat-file", "blob", f"{commit}:{path}"]
    result = subprocess.run(command, check=False, capture_output=True)
    return result.stdout if result.returncode == 0 else None
