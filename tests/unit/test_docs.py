"""Commands, links and file names in the documentation exist."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.commands import parses
from tests.support.hostile_files import HOSTILE_FILES
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
                for folder in [word for word in words if re.fullmatch(r"\w+/", word)]:
                    (tmp_path / folder).mkdir(exist_ok=True)
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


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_tests_that_a_page_names_exist(page: Path) -> None:
    for file, name in re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", page.read_text("utf-8")):
        assert re.search(
            rf"^(?:async )?def {name}\b|^    (?:async )?def {name}\b",
            (ROOT / file).read_text("utf-8"),
            re.MULTILINE,
        ), name


def _rows(page: str) -> Iterator[list[str]]:
    """The cells of the rows of tables whose last column is `test`."""
    has_tests = False
    for line in (ROOT / "docs" / "guides" / page).read_text("utf-8").splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if not line.startswith("|"):
            has_tests = False
        elif cells[-1] == "test":
            has_tests = True
        elif has_tests and set(line) - set("|- "):
            yield cells


@pytest.mark.parametrize(("page", "fewest"), [("faults.md", 20), ("security.md", 12)])
def test_every_row_names_a_test_that_exists(page: str, fewest: int) -> None:
    rows = list(_rows(page))
    assert len(rows) >= fewest
    for cells in rows:
        names = re.findall(r"`([^`]+)`", cells[-1])
        assert names, f"{page}: no test for {cells[0]}"
        for name in names:
            assert _is_test(name, cells[-1]), f"{page}: {name}, the test for {cells[0]}, does not exist"


def _is_test(name: str, cell: str) -> bool:
    """A test file, a test in it, a class of the test files in the cell, or one of the hostile files."""
    file, _, function = name.partition("::")
    path = ROOT / file if "/" in file else ROOT / "tests" / "security" / file
    if path.suffix == ".py" and path.is_file():
        return not function or bool(re.search(rf"def {function}\b", path.read_text("utf-8")))
    if name in HOSTILE_FILES:
        return True
    files = [ROOT / "tests" / "security" / other for other in re.findall(r"`(test_\w+\.py)`", cell)]
    return any(re.search(rf"^class {name}\b", other.read_text("utf-8"), re.MULTILINE) for other in files)
