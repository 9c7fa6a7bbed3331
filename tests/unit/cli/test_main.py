"""`towpath --help` has a short line for every command; wrong commands and paths are answered with a sentence."""

from __future__ import annotations

import errno
from pathlib import Path

import pytest
from click.testing import CliRunner

from towpath.cli.main import COMMANDS, SECTIONS, main


def test_every_command_is_in_one_section_and_its_line_fits_a_terminal() -> None:
    output = CliRunner().invoke(main, ["--help"], terminal_width=80).output

    assert sum(map(len, SECTIONS.values())) == len(COMMANDS)
    for name, entry in COMMANDS.items():
        assert f"  {name.ljust(max(map(len, COMMANDS)))}  {entry.summary}\n" in output


def test_every_command_of_the_list_exists() -> None:
    for name in COMMANDS:
        result = CliRunner().invoke(main, [name, "--help"])
        assert result.exit_code == 0
        assert f"{name} [OPTIONS]" in result.output


@pytest.mark.parametrize(
    ("word", "answer"),
    [
        ("lisst", "There is no command 'lisst'. Did you mean 'list'?"),
        ("xyzzy", "There is no command 'xyzzy'.\n"),
    ],
)
def test_an_unknown_command_is_answered_with_similar_ones(word: str, answer: str) -> None:
    result = CliRunner().invoke(main, [word])

    assert result.exit_code == 2
    assert answer in result.output


def test_a_path_that_cannot_be_written_is_named_in_a_sentence(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("no folder")

    result = CliRunner().invoke(main, ["new", "acme-notes", "--folder", str(file / "package")])

    assert result.exit_code == 2
    assert f"towpath: {file}" in result.output
    assert "cannot be used: Not a directory. Name another path." in result.output


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (
            PermissionError(errno.EACCES, "Permission denied", "out"),
            "out cannot be used: Permission denied. Check",
        ),
        (OSError(errno.ENOSPC, "No space left on device"), "There is no space left on the disk. Free some"),
    ],
)
def test_errors_of_the_disk_are_sentences(
    error: OSError, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_arguments: object) -> None:
        raise error

    monkeypatch.setattr("towpath.cli.package_template.write_package", fail)
    result = CliRunner().invoke(main, ["new", "acme-notes"])

    assert result.exit_code == 2
    assert message in result.output


def test_other_errors_of_the_system_keep_their_trace(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_arguments: object) -> None:
        raise ConnectionResetError(errno.ECONNRESET, "Connection reset by peer")

    monkeypatch.setattr("towpath.cli.package_template.write_package", fail)

    assert isinstance(CliRunner().invoke(main, ["new", "acme-notes"]).exception, ConnectionResetError)
