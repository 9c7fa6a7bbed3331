"""The version of the program, and the commit that it was built from."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from towpath import __version__

_PACKAGE = Path(__file__).parent
#: Written into wheel and sdist by build_page.py.
COMMIT_FILE = _PACKAGE / "commit.txt"


@cache
def source_commit() -> str | None:
    """The commit of an installed package or of the checkout that it runs from; None if it is not known."""
    checkout = _PACKAGE.parent.parent
    if (checkout / ".git").exists():
        return git_commit(checkout)
    return COMMIT_FILE.read_text("utf-8").strip() or None if COMMIT_FILE.exists() else None


def git_commit(checkout: Path) -> str | None:
    """The first 12 digits of the commit, with `+` if files were changed since; None without git."""
    import subprocess

    try:
        command = [
            "git",
            "-C",
            str(checkout),
            "describe",
            "--always",
            "--abbrev=12",
            "--exclude=*",
            "--dirty=+",
        ]
        result = subprocess.run(command, capture_output=True, text=True, check=True, timeout=10)
    except (OSError, subprocess.SubprocessError):
        return None
    return result.stdout.strip() or None


def version_text() -> str:
    """`0.2.0`, or `0.2.0 (commit 0123456789ab)`."""
    known = source_commit()
    return f"{__version__} (commit {known})" if known else __version__
