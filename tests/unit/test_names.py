"""No retired name of tests/data/retired_names.txt is used in the code, the docs, the API, the CLI or the metrics."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.public_names import command_help, metric_names

ROOT = Path(__file__).resolve().parents[2]
LIST = ROOT / "tests" / "data" / "retired_names.txt"

FOLDERS = ("src", "ui/src", "tests", "bench", "docs", "deploy")
PAGES = ("README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md", "Makefile", "pyproject.toml")
SUFFIXES = {
    ".py",
    ".sql",
    ".ts",
    ".tsx",
    ".css",
    ".html",
    ".md",
    ".json",
    ".toml",
    ".yml",
    ".yaml",
    ".sh",
    ".svg",
}

# Each exclusion has its reason.
EXCLUDED = {
    "src/towpath/page": "built from ui/src",
    "src/towpath/ledger/migrations": "a migration names the tables and columns that it changes",
    "tests/data": "the list itself, and files that older versions wrote",
    "bench/data": "texts of published books",
    "src/towpath/model/job_payload.py": "reads an argument under the name that version 0.1.0 stored",
    "tests/unit/model/test_job_payload.py": "the same",
    "tests/unit/text/test_word_tokenizer.py": "compares a constant of a migration",
}


def retired_names() -> list[str]:
    lines = LIST.read_text("utf-8").splitlines()
    return [name for line in lines if (name := line.split("#")[0].strip())]


def sources() -> Iterator[Path]:
    for folder in FOLDERS:
        for file in sorted((ROOT / folder).rglob("*")):
            relative = file.relative_to(ROOT).as_posix()
            if file.suffix in SUFFIXES and not any(
                f"{relative}/".startswith(f"{path}/") for path in EXCLUDED
            ):
                yield file
    yield from (ROOT / page for page in PAGES)


def _pattern(names: list[str]) -> re.Pattern[str]:
    return re.compile(r"(?<!\w)(?:" + "|".join(map(re.escape, names)) + r")(?!\w)")


def _uses(text: str, pattern: re.Pattern[str]) -> set[str]:
    return set(pattern.findall(text))


def test_the_list_has_at_least_150_names_and_none_twice() -> None:
    names = retired_names()
    assert len(names) >= 150
    assert len(set(names)) == len(names)


def test_every_retired_name_is_found_where_it_is_used() -> None:
    names = retired_names()
    pattern = _pattern(names)
    for name in names:
        assert _uses(f"x = {name}(1)", pattern) == {name}
        assert not _uses(f"x{name}x", pattern)


def test_no_source_file_uses_a_retired_name() -> None:
    pattern = _pattern(retired_names())
    uses = [
        f"{file.relative_to(ROOT)}:{number}: {', '.join(sorted(names))}"
        for file in sources()
        for number, line in enumerate(file.read_text("utf-8").splitlines(), 1)
        if (names := _uses(line, pattern))
    ]
    assert not uses, "\n".join(uses)


def test_no_file_is_called_by_a_retired_name() -> None:
    pattern = _pattern(retired_names())
    paths = [file.relative_to(ROOT).with_suffix("").as_posix() for file in sources()]
    assert not [path for path in paths if _uses(path, pattern)]


@pytest.mark.parametrize("command", command_help(), ids=lambda pair: pair[0])
def test_no_command_help_uses_a_retired_name(command: tuple[str, str]) -> None:
    assert not _uses(command[1], _pattern(retired_names()))


def test_the_api_document_uses_no_retired_name() -> None:
    document = json.dumps(json.loads((ROOT / "ui" / "openapi.json").read_text("utf-8")))
    assert not _uses(document, _pattern(retired_names()))


def test_no_metric_uses_a_retired_name() -> None:
    assert not _uses(" ".join(metric_names()), _pattern(retired_names()))
