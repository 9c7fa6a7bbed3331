"""Commands, links and file names in the documentation exist."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.commands import parses
from towpath.model.job import WaitingReason

ROOT = Path(__file__).resolve().parents[2]
#: Folders that paths in the documentation start from.
FOLDERS = (ROOT, ROOT / "src" / "towpath")
PAGES = [
    ROOT / "README.md",
    ROOT / "ARCHITECTURE.md",
    ROOT / "CONTRIBUTING.md",
    ROOT / "CHANGELOG.md",
    ROOT / "bench" / "README.md",
    *(ROOT / "docs").rglob("*.md"),
]

_BLOCK = re.compile(r"^```(?:console|sh|bash|shell)?\n(.*?)^```", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)]*)?\)")
_PATH = re.compile(r"`((?:[\w.-]+/)+(?:[\w-]+\.(?:py|sql|md|yml|json|ts|tsx)))`")
_TARGET = re.compile(r"^([a-z-]+):", re.MULTILINE)


def commands_in(page: Path) -> Iterator[list[str]]:
    """The commands of the page's code blocks, each split into words."""
    for block in _BLOCK.findall(page.read_text("utf-8")):
        for line in block.replace("\\\n", " ").splitlines():
            if re.match(r"(\.venv/bin/)?towpath |make ", line):
                yield shlex.split(re.split(r"\s[|>&]", line)[0], comments=True)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
class TestPage:
    def test_its_commands_exist(self, page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.chdir(tmp_path)
        targets = set(_TARGET.findall((ROOT / "Makefile").read_text("utf-8")))
        for program, *words in commands_in(page):
            if program == "make":
                assert set(words) <= targets
            else:
                for file in [word for word in words if re.fullmatch(r"\w+\.\w+", word)]:
                    (tmp_path / file).touch()
                assert parses(words)

    def test_its_links_exist(self, page: Path) -> None:
        for link in _LINK.findall(page.read_text("utf-8")):
            if "://" not in link:
                assert (page.parent / link).exists(), f"{link} in {page.name}"

    def test_the_files_that_it_names_exist(self, page: Path) -> None:
        for path in _PATH.findall(page.read_text("utf-8")):
            assert any((folder / path).exists() for folder in FOLDERS), f"{path} in {page.name}"


def test_the_readme_begins_with_the_two_commands() -> None:
    first = _BLOCK.search((ROOT / "README.md").read_text("utf-8"))
    assert first is not None
    assert first[1].splitlines() == ["make run", "make test"]


def test_the_faq_has_an_entry_for_each_waiting_reason() -> None:
    faq = (ROOT / "docs" / "guides" / "faq.md").read_text("utf-8")
    assert [reason for reason in WaitingReason if f"| `{reason}` |" not in faq] == []
