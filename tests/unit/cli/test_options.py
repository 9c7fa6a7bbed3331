"""Shared options stand before or after the command; the example of a settings file is valid."""

from __future__ import annotations

import json
import re
from dataclasses import fields
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from towpath.cli.main import main
from towpath.config import Settings, load


def invoke(*arguments: str) -> Result:
    return CliRunner(env={"TOWPATH_DATA": None, "TOWPATH_URL": None}).invoke(main, arguments)


@pytest.fixture(autouse=True)
def empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    "arguments",
    [
        ["--data", "wharf", "--json", "config"],
        ["config", "--data", "wharf", "--json"],
        ["--json", "config", "--data", "wharf"],
        ["--data", "quay", "config", "--data", "wharf", "--json"],
    ],
    ids=" ".join,
)
def test_an_option_counts_before_and_after_the_command(arguments: list[str]) -> None:
    result = invoke(*arguments)

    assert json.loads(result.output)["data"] == {"value": "wharf", "source": "flag"}


def test_the_server_is_named_before_or_after_the_command() -> None:
    before, after = (
        invoke(*arguments)
        for arguments in (
            ["--server", "http://127.0.0.1:9", "search", "lock"],
            ["search", "lock", "--server", "http://127.0.0.1:9"],
        )
    )

    assert before.exit_code == after.exit_code == 2
    assert before.output == after.output
    assert "No server answers at http://127.0.0.1:9" in before.output


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--server", "http://127.0.0.1:9", "check"], "it has no --server"),
        (["--json", "serve"], "This command has no --json"),
        (["search", "lock", "--server", "wharf:8000"], "--server must be an address like http://host:8000"),
    ],
    ids=["server", "json", "address"],
)
def test_an_option_that_a_command_cannot_use_is_refused(arguments: list[str], message: str) -> None:
    result = invoke(*arguments)

    assert result.exit_code == 2
    assert message in result.output


@pytest.mark.parametrize(
    "arguments",
    [["search", "lock"], ["status", "x"], ["jobs"], ["prune"], ["keys", "list"]],
    ids=" ".join,
)
def test_a_command_that_reads_does_not_create_a_library(arguments: list[str], empty_folder: Path) -> None:
    result = invoke(*arguments)

    assert result.exit_code == 2
    assert "There is no library in towpath-data" in result.output
    assert "--data" in result.output
    assert list(empty_folder.iterdir()) == []


def test_submit_creates_a_library_only_if_asked(empty_folder: Path) -> None:
    (empty_folder / "note.txt").write_text("A note.\n")

    result = invoke("submit", "note.txt")

    assert result.exit_code == 2
    assert "towpath submit --create" in result.output
    assert not (empty_folder / "towpath-data").exists()


def test_the_example_of_a_settings_file_has_every_setting_with_its_default(empty_folder: Path) -> None:
    # A broken settings file does not prevent the example.
    (empty_folder / "towpath.toml").write_text("port = = 1\n")
    example = invoke("config", "--example").output
    file = empty_folder / "all.toml"
    file.write_text(re.sub(r"^#(\w+ = )", r"\1", example, flags=re.MULTILINE))

    loaded = load({}, environment={}, file=file)

    assert loaded.settings == Settings()
    assert set(loaded.sources.values()) == {f"file {file}"}
    assert all(item.metadata["help"].split()[0] in example for item in fields(Settings))
    assert max(map(len, example.splitlines())) <= 120
