"""Modules that exist on Unix only are imported in one place, behind a check of the platform."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

SOURCE = Path(__file__).parents[2] / "src" / "towpath"
UNIX_ONLY = {"fcntl", "resource", "grp", "pwd", "termios", "tty", "pty"}


def imported(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module


def test_unix_modules_are_imported_in_one_module_only():
    found = {
        path.relative_to(SOURCE).as_posix()
        for path in SOURCE.rglob("*.py")
        if UNIX_ONLY & set(imported(path))
    }

    assert found == {"os_resources.py"}
