"""What the documentation tells people to type and to read exists."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.commands import understood

ROOT = Path(__file__).resolve().parents[2]
PAGES = [
    ROOT / "README.md",
    ROOT / "ARCHITECTURE.md",
    ROOT / "CONTRIBUTING.md",
    *(ROOT / "docs").rglob("*.md"),
]

_BLOCK = re.compile(r"^```(?:console|sh|bash|shell)?\n(.*?)^```", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)]*)?\)")
_TARGET = re.compile(r"^([a-z-]+):", re.MULTILINE)


def typed(page: Path) -> Iterator[list[str]]:
    """The commands of the page's code blocks, as lists of words."""
    for block in _BLOCK.findall(page.read_text("utf-8")):
        for line in block.replace("\\\n", " ").splitlines():
            if re.match(r"(\.venv/bin/)?towpath |make ", line):
                yield shlex.split(re.split(r"\s[|>&]", line)[0], comments=True)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
class TestPage:
    def test_its_commands_are_commands_of_the_program(
        self, page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.chdir(tmp_path)
        targets = set(_TARGET.findall((ROOT / "Makefile").read_text("utf-8")))
        for program, *words in typed(page):
            if program == "make":
                assert set(words) <= targets
            else:
                for file in [word for word in words if re.fullmatch(r"\w+\.\w+", word)]:
                    (tmp_path / file).touch()
                assert understood(words)

    def test_its_links_lead_somewhere(self, page: Path) -> None:
        for link in _LINK.findall(page.read_text("utf-8")):
            if "://" not in link:
                assert (page.parent / link).exists(), f"{link} in {page.name}"
