"""Every text format works without the network. `make install-check` does the same with installed wheels."""

from __future__ import annotations

import sys
from pathlib import Path

from tests.install.check import in_namespace


def test_every_text_format_is_found_without_the_network(tmp_path: Path) -> None:
    walk = [sys.executable, "-m", "tests.install.offline_walk", str(tmp_path / "walk")]

    printed = in_namespace([*walk, "--", sys.executable, "-m", "towpath"])

    assert "28 of 28 files were found without the network" in printed
