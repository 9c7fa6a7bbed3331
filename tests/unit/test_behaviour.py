"""`docs/reference/behaviour.md`: every named setting, profile, file and test exists, and the profiles are complete."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import fields
from functools import cache
from pathlib import Path

import pytest

from towpath.cli.settings_output import toml_value
from towpath.config import Settings, load
from towpath.config.profiles import PROFILES

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "reference" / "behaviour.md").read_text("utf-8")
SETTINGS = {item.name for item in fields(Settings)}
#: Folders that paths on the page start from.
FOLDERS = (ROOT, ROOT / "src" / "towpath")
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def _rows(columns: tuple[str, ...]) -> Iterator[list[str]]:
    """The rows of every table with these columns."""
    inside = False
    for line in PAGE.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split(" | ")] if line.startswith("|") else []
        if cells == list(columns):
            inside = True
        elif not cells:
            inside = False
        elif inside and not line.startswith("|---"):
            assert len(cells) == len(columns), line
            yield cells


BEHAVIOURS = list(_rows(("behaviour", "where", "setting", "test")))


def _code(cell: str) -> list[str]:
    return re.findall(r"`([^`]+)`", cell)


@cache
def _names_of_tests(file: Path) -> set[str]:
    """The tests of a file as pytest names them: a function, or a class and its method."""
    module = ast.parse(file.read_text("utf-8"))
    names = {node.name for node in module.body if isinstance(node, FUNCTIONS)}
    for node in module.body:
        if isinstance(node, ast.ClassDef):
            names |= {f"{node.name}::{part.name}" for part in node.body if isinstance(part, FUNCTIONS)}
    return names


def test_the_page_has_all_tables() -> None:
    assert len(BEHAVIOURS) > 60


@pytest.mark.parametrize("row", BEHAVIOURS, ids=lambda row: row[0][:60])
class TestBehaviour:
    def test_its_files_exist(self, row: list[str]) -> None:
        files = _code(row[1])
        assert files
        for file in files:
            assert any((folder / file).is_file() for folder in FOLDERS), file

    def test_its_settings_exist_and_accept_the_value(self, row: list[str]) -> None:
        if row[2] == "default":
            return
        names = _code(row[2])
        assert names
        for name in names:
            setting, _, value = name.partition(" = ")
            assert setting in SETTINGS | PROFILES.keys(), name
            if value:
                loaded = load({setting: value.strip('"'), "lease_seconds": 7200}, environment={}, file=None)
                assert loaded.sources[setting] == "flag"

    def test_its_tests_exist(self, row: list[str]) -> None:
        tests = _code(row[3])
        assert tests
        for test in tests:
            file, _, name = test.partition("::")
            assert name in _names_of_tests(ROOT / file), test


def test_the_profiles_are_listed_with_all_values() -> None:
    listed = {_code(row[0])[0]: _code(row[2]) for row in _rows(("profile", "use", "values"))}
    assert listed == {
        name: [f"{setting} = {toml_value(value)}" for setting, value in profile.values.items()]
        for name, profile in PROFILES.items()
    }


def test_every_difference_has_a_reason_and_names_existing_settings() -> None:
    differences = list(_rows(("literal behaviour", "default", "why")))
    assert len(differences) > 10
    for row in differences:
        assert all(row), row
        named = re.findall(r"\(`(\w+)`\)", row[0])
        assert set(named) <= SETTINGS, row[0]
