"""`towpath --help` has a short line for every command, and an unknown command is answered with similar ones."""

from __future__ import annotations

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
