"""The first page of the documentation works as it is written, in a clean shell."""

from __future__ import annotations

import sys
from pathlib import Path

from tests.install.check import in_namespace


def test_docs_start_is_followed_literally(tmp_path: Path) -> None:
    printed = in_namespace([sys.executable, "-m", "tests.install.start_walk", str(tmp_path)])

    assert "1 file: completed" in printed
    assert "The upper lock has wooden paddles." in printed
    assert "0 missing" in printed
    assert (tmp_path / "library" / "towpath-data" / "towpath.db").is_file()
